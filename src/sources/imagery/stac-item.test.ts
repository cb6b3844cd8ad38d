import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readStacItem } from './stac-item.ts';
import { resolveHref } from './stac-link.ts';

const SHARED = fileURLToPath(new URL('../../../../shared/data/stac-items/', import.meta.url));
const skip = existsSync(SHARED) ? false : 'the real items in ../shared/data are not there';

const real = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`${SHARED}${name}.json`, 'utf8')) as Record<string, unknown>;
const base = 'https://example.com/items/one.json';

describe(
  'items as published (stac-utils/pystac e064109398, stac-server db694c756b, rio-tiler 2822b756e1)',
  { skip },
  () => {
    test('Sentinel-2 level 2A of Earth Search v0: bands by common name, default scale, offset by baseline', () => {
      const item = readStacItem(real('raster_sentinel2'), base);
      assert.equal(new Date(item.timeMs).toISOString(), '2021-02-21T10:00:17.000Z');
      assert.equal(item.cloudShare, 0.2122);
      assert.equal(item.pass, 'sentinel-2b_2021-02-21');
      const folder =
        'https://sentinel-cogs.s3.us-west-2.amazonaws.com/sentinel-s2-l2a-cogs/33/S/VB/2021/2/S2B_33SVB_20210221_0_L2A';
      assert.deepEqual(
        Object.fromEntries(
          Object.entries(item.bands).map(([band, { href }]) => [band, href.slice(folder.length + 1)]),
        ),
        {
          blue: 'B02.tif',
          green: 'B03.tif',
          red: 'B04.tif',
          nir: 'B08.tif',
          swir1: 'B11.tif',
          swir2: 'B12.tif',
        },
      );
      assert.deepEqual(item.bands.red, {
        href: `${folder}/B04.tif`,
        band: 0,
        scale: 1e-4,
        offset: 0,
        nodata: 0,
      });
      assert.deepEqual(item.quality, { href: `${folder}/SCL.tif`, encoding: 'sentinel-2-scl' });
    });

    test('Landsat Collection 2 level 2: scale 0.0000275, offset -0.2, QA_PIXEL, relative links', () => {
      const item = readStacItem(real('landsat_c2l2_classification'), base);
      assert.deepEqual(item.bands.red, {
        href: 'https://example.com/items/LC08_L2SP_047027_20201204_20210313_02_T1_SR_B4.TIF',
        band: 0,
        scale: 2.75e-5,
        offset: -0.2,
        nodata: 0,
      });
      assert.match(item.bands.nir!.href, /SR_B5\.TIF$/);
      assert.match(item.bands.swir2!.href, /SR_B7\.TIF$/);
      assert.equal(item.quality?.encoding, 'landsat-c2');
      assert.equal(item.pass, 'landsat-8_2020-12-04_47');
    });

    test('Landsat level 1 of STAC 1.1: a time with six decimals and offset +00:00', () => {
      const item = readStacItem(real('stacserver_landsat8_20150219'), base);
      assert.equal(new Date(item.timeMs).toISOString(), '2015-02-19T15:06:12.565Z');
      assert.match(item.bands.nir!.href, /_B5\.TIF$/);
      assert.equal(item.quality?.encoding, 'landsat-c1');
      assert.equal(item.pass, 'landsat-8_2015-02-19_10');
    });

    for (const [name, why] of [
      ['stacserver_bad_geometry', /badGeometryItem: geometry\..*expected/],
      [
        'stacserver_sentinel1_1',
        /properties\.sar:product_type: expected backscatter that is corrected for terrain .* got "GRD"/,
      ],
      ['earthsearch_sentinel2_l2a', /level 1C is reflectance at the top of the atmosphere/],
      ['rio_tiler_proj_2_0', /expected a quality band/], // STAC version 0.9, links by http
      ['rio_tiler_raster_ext', /expected a quality band/], // bands in the form of STAC 1.1, links by http
    ] as const)
      test(`${name} is refused; the message names the item and field`, () => {
        assert.throws(() => readStacItem(real(name), base), why);
      });
  },
);

describe('a STAC item', () => {
  const tif = (name: string, more: object = {}) => ({
    href: `https://example.com/${name}.tif`,
    type: 'image/tiff',
    ...more,
  });
  const item = (over: Record<string, unknown> = {}, assets: Record<string, unknown> = {}) => ({
    type: 'Feature',
    id: 'one',
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    },
    properties: {
      datetime: '2022-06-01T10:00:00Z',
      constellation: 'sentinel-2',
      's2:processing_baseline': '04.00',
    },
    assets: { red: tif('red'), nir: tif('nir'), scl: tif('scl'), ...assets },
    ...over,
  });

  test('Sentinel-2 from baseline 04.00 on has the offset -0.1 when the item declares none', () => {
    assert.deepEqual(readStacItem(item(), base).bands.red, {
      href: 'https://example.com/red.tif',
      band: 0,
      scale: 1e-4,
      offset: -0.1,
      nodata: null,
    });
  });

  test('a STAC 1.1 band in a file of several bands is found by its common name', () => {
    const bands = [
      { name: 'a', 'eo:common_name': 'green' },
      { name: 'b', 'eo:common_name': 'swir22', 'raster:scale': 0.5 },
    ];
    const read = readStacItem(item({}, { stack: tif('stack', { bands }) }), base);
    assert.deepEqual([read.bands.green!.band, read.bands.swir2!.band, read.bands.swir2!.scale], [0, 1, 0.5]);
  });

  test('the broad near infrared band of Sentinel-2 is preferred to the narrow one; previews are not bands', () => {
    const read = readStacItem(
      item({}, { nir08: tif('narrow'), visual: tif('tci', { 'eo:bands': [{ common_name: 'green' }] }) }),
      base,
    );
    assert.match(read.bands.nir!.href, /nir\.tif$/);
    assert.equal(read.bands.green, undefined);
  });

  for (const [what, broken, why] of [
    ['a text', 'text', /item: expected an object, got "text"/],
    ['an item without an id', item({ id: 7 }), /id: expected text, got 7/],
    ['an id that turns text round', item({ id: 'a\u202eb' }), /id: expected text without .*, got U\+202E$/],
    ['a collection', item({ type: 'Collection' }), /one: type: expected Feature, got "Collection"/],
    [
      'an item without a time',
      item({ properties: {} }),
      /one: properties.datetime: expected an RFC 3339 time/,
    ],
    [
      'an item without a quality band',
      item({ assets: { red: tif('red') } }),
      /one: assets: expected a quality band/,
    ],
    [
      'a link by a protocol that is not read',
      item({ assets: { red: { ...tif('red'), href: 'ftp://b/red.tif' }, scl: tif('scl') } }),
      /one: href: expected https, s3, gs or az, got ftp/,
    ],
    [
      'a link into a container of an unknown account',
      item({ assets: { red: { ...tif('red'), href: 'az://b/red.tif' }, scl: tif('scl') } }),
      /does not tell the storage account/,
    ],
  ] as const)
    test(`${what} is refused`, () => {
      assert.throws(() => readStacItem(broken, base), why);
    });

  test('JPEG 2000 files are read where there is no GeoTIFF of the same band, under the names of Copernicus too', () => {
    const jp2 = (name: string, more: object = {}) => ({
      href: `https://example.com/${name}.jp2`,
      type: 'image/jp2',
      ...more,
    });
    const both = readStacItem(
      item({}, { 'red-jp2': jp2('red', { 'eo:bands': [{ common_name: 'red' }] }), 'scl-jp2': jp2('scl') }),
      base,
    );
    assert.deepEqual(
      [both.bands.red!.href, both.quality?.href],
      ['https://example.com/red.tif', 'https://example.com/scl.tif'],
    );
    const named = (name: string) => ({ bands: [{ name, 'eo:common_name': name }] });
    const only = readStacItem(
      item({
        assets: { B04_10m: jp2('B04', named('red')), B08_10m: jp2('B08', named('nir')), SCL_20m: jp2('SCL') },
      }),
      base,
    );
    assert.deepEqual(only.bands.red, {
      href: 'https://example.com/B04.jp2',
      band: 0,
      scale: 1e-4,
      offset: -0.1,
      nodata: null,
    });
    assert.deepEqual(only.quality, { href: 'https://example.com/SCL.jp2', encoding: 'sentinel-2-scl' });
  });

  test('relative links are resolved against the address of the item', () => {
    assert.equal(resolveHref('../a.tif', 'https://example.com/x/y/z.json'), 'https://example.com/x/a.tif');
    assert.equal(resolveHref('./a.tif', 'data/item.json'), 'data/./a.tif');
    assert.equal(resolveHref('/data/a.tif', 'data/item.json'), '/data/a.tif');
    assert.throws(
      () => resolveHref('file:///etc/passwd', 'https://example.com/'),
      /expected https, s3, gs or az, got file/,
    );
  });

  test('a link by http is followed by https, unless it names a port', () => {
    assert.equal(resolveHref('http://example.com/a.tif?b=1', 'x'), 'https://example.com/a.tif?b=1');
    assert.throws(
      () => resolveHref('http://example.com:8080/a.tif', 'x'),
      /expected https, got http with a port/,
    );
  });

  test('links to buckets are read at the address of the store, by region, account and alternate link', () => {
    const hrefs = (over: Record<string, unknown>, properties: Record<string, unknown> = {}) => {
      const base_ = item();
      const read = readStacItem(
        item(
          { properties: { ...base_.properties, ...properties } },
          { red: tif('red', over), scl: tif('scl', { href: 's3://scenes/scl.tif' }) },
        ),
        base,
      );
      return [read.bands.red!.href, read.quality?.href];
    };
    const scl = 'https://scenes.s3.us-west-2.amazonaws.com/scl.tif';
    assert.deepEqual(hrefs({ href: 's3://scenes/red.tif' }, { 'storage:region': 'us-west-2' }), [
      'https://scenes.s3.us-west-2.amazonaws.com/red.tif',
      scl,
    ]);
    const alternate = { s3: { href: 's3://a/b' }, https: { href: 'https://example.com/alternate.tif' } };
    assert.equal(hrefs({ href: 's3://scenes/red.tif', alternate })[0], 'https://example.com/alternate.tif');
    assert.equal(hrefs({ alternate: { s3: { href: 's3://a/b' } } })[0], 'https://example.com/red.tif');
    const schemes = {
      azure: { type: 'ms-azure', account: 'landsateuwest' },
      store: { type: 'custom-s3', platform: 'https://eodata.dataspace.copernicus.eu' },
    };
    assert.deepEqual(
      hrefs({ href: 'az://landsat-c2/red.tif', 'storage:refs': ['azure'] }, { 'storage:schemes': schemes }),
      [
        'https://landsateuwest.blob.core.windows.net/landsat-c2/red.tif',
        'https://scenes.s3.amazonaws.com/scl.tif',
      ],
    );
    assert.equal(
      hrefs({ href: 's3://eodata/red.tif', 'storage:refs': ['store'] }, { 'storage:schemes': schemes })[0],
      'https://eodata.dataspace.copernicus.eu/eodata/red.tif',
    );
  });
});
