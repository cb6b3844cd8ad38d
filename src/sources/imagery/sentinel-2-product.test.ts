import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gdal, withoutGdal } from '../../../test/fixtures/gdal.ts';
import { stacServer } from '../../../test/fixtures/stac-server.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { zipFixture } from '../../../test/fixtures/zip-fixture.ts';
import { readPass } from '../../app/imagery/read-scene.ts';
import type { SceneItem, SceneSource } from '../../app/imagery/scene-source.ts';
import type { PixelSet } from '../../raster/pixel-set.ts';
import { readSentinel2Metadata } from './sensors/sentinel-2-metadata.ts';
import { SceneFolder } from './scene-folder.ts';
import { StacSceneSource } from './stac-scene-source.ts';

const PRODUCT = 'S2A_MSIL2A_20240601T100031_N0510_R122_T33SVB_20240601T160000';
const SIDE_M = 1200;
const BANDS = { B03: 10, B04: 10, B08: 10, B11: 20, SCL: 20 } as const;
const METADATA = `<?xml version="1.0"?><n1:Level-2A_User_Product><General_Info>
<BOA_QUANTIFICATION_VALUE unit="none">10000</BOA_QUANTIFICATION_VALUE>
<BOA_ADD_OFFSET_VALUES_LIST>${[0, 2, 3, 7, 11].map((band) => `<BOA_ADD_OFFSET band_id="${band}">-1000</BOA_ADD_OFFSET>`).join('\n')}
</BOA_ADD_OFFSET_VALUES_LIST></General_Info><Cloud_Coverage_Assessment>12.5</Cloud_Coverage_Assessment></n1:Level-2A_User_Product>`;
const marked = (pixels: PixelSet): number[] => {
  const samples = new Int16Array(41 * 37);
  pixels.mark(samples, 1);
  return [...samples];
};
const ALL = { bounds: undefined, fromMs: -Infinity, toMs: Infinity };

describe('a Sentinel-2 product of level 2A', { skip: withoutGdal }, () => {
  let folder: string;
  const files: Record<string, Buffer> = {};
  const geotiffs = new Map<string, Buffer>();
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-safe-'));
    for (const [name, metres] of Object.entries(BANDS)) {
      const side = SIDE_M / metres;
      const raw = (i: number): number => {
        const field = ((i % side) * metres) / 100 + Math.floor((Math.floor(i / side) * metres) / 100) * 7;
        if (name === 'SCL') return [4, 5, 8, 4, 11][Math.floor(field) % 5]!;
        return 1200 + (Math.floor(field * Object.keys(BANDS).indexOf(name) * 131) % 4000) + (i % 13);
      };
      const tiff = tiffFixture({
        width: side,
        height: side,
        bands: [Array.from({ length: side * side }, (_, i) => raw(i))],
        kind: name === 'SCL' ? 'uint8' : 'uint16',
        origin: [399_960, 4_200_000],
        pixel: [metres, metres],
        keys: { 1024: 1, 1025: 1, 3072: 32633 },
      });
      geotiffs.set(name, tiff);
      const [from, to] = [join(folder, `${name}.tif`), join(folder, `${name}.jp2`)];
      writeFileSync(from, tiff);
      await gdal('gdal_translate', [
        '-q',
        '-of',
        'JP2OpenJPEG',
        '-co',
        'QUALITY=100',
        '-co',
        'REVERSIBLE=YES',
        '-co',
        'BLOCKXSIZE=48',
        '-co',
        'BLOCKYSIZE=48',
        from,
        to,
      ]);
      files[
        `${PRODUCT}.SAFE/GRANULE/L2A_T33SVB/IMG_DATA/R${metres}m/T33SVB_20240601T100031_${name}_${metres}m.jp2`
      ] = readFileSync(to);
    }
    files[`${PRODUCT}.SAFE/MTD_MSIL2A.xml`] = Buffer.from(METADATA);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const folders = (): SceneSource => new SceneFolder(new StacSceneSource(undefined as never));
  const only = async (source: SceneSource, where: string): Promise<SceneItem> => {
    const found = [];
    for await (const scene of source.search(where, ALL)) found.push(scene);
    assert.deepEqual(
      found.map((scene) => (scene.ok ? 'ok' : scene.reason)),
      ['ok'],
    );
    return (found[0] as { readonly item: SceneItem }).item;
  };
  const samples = async (source: SceneSource, item: SceneItem) => {
    const { grid } = await source.open(item.bands.swir1!.href);
    const window = {
      ...grid,
      width: 41,
      height: 37,
      transform: [400_160, 20, 0, 4_199_600, 0, -20] as const,
    };
    const { indices, snow } = await readPass(source, [item], ['ndvi', 'ndmi', 'mndwi'], window);
    return {
      ndvi: [...indices.get('ndvi')!],
      ndmi: [...indices.get('ndmi')!],
      mndwi: [...indices.get('mndwi')!],
      snow: marked(snow),
    };
  };

  test('as a folder, an archive, a STAC item of JPEG 2000 or COG, and GeoTIFFs it gives the same samples', async () => {
    const put = (place: string): void => {
      for (const [name, bytes] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, place, name)), { recursive: true });
        writeFileSync(join(folder, place, name), bytes);
      }
    };
    put('safe');
    const source = folders();
    const item = await only(source, join(folder, 'safe'));
    assert.equal(item.id, PRODUCT);
    assert.equal(item.pass, 'sentinel-2a_2024-06-01_122');
    assert.equal(item.cloudShare, 0.125);
    assert.deepEqual([item.bands.red!.scale, item.bands.red!.offset], [1e-4, -0.1]);
    const expected = await samples(source, item);
    assert.ok(expected.ndvi.filter((value) => value > -32_768).length > 700);
    assert.ok(new Set(expected.ndvi).size > 100);

    mkdirSync(join(folder, 'tiffs', PRODUCT), { recursive: true });
    for (const [name, bytes] of geotiffs)
      writeFileSync(
        join(folder, 'tiffs', PRODUCT, `T33SVB_20240601T100031_${name}_${BANDS[name as 'B03']}m.tif`),
        bytes,
      );
    assert.deepEqual(await samples(source, await only(source, join(folder, 'tiffs'))), expected);

    for (const isPacked of [false, true]) {
      const place = join(folder, `zip-${isPacked}`);
      mkdirSync(place);
      writeFileSync(join(place, `${PRODUCT}.zip`), zipFixture(files, isPacked));
      for (const where of [place, join(place, `${PRODUCT}.zip`)]) {
        const zipped = await only(source, where);
        assert.equal(zipped.cloudShare, 0.125);
        assert.deepEqual(await samples(source, zipped), expected);
      }
    }

    await using server = await stacServer();
    const assets: Record<string, unknown> = {};
    for (const [name, bytes] of Object.entries(files)) {
      const band = /_(B\d\d|SCL)_(\d0m)\.jp2$/.exec(name);
      if (band === null) continue;
      server.files.set(`/${band[1]}.jp2`, bytes);
      const common = { B03: 'green', B04: 'red', B08: 'nir', B11: 'swir16' }[band[1]!];
      assets[`${band[1]}_${band[2]}`] = {
        href: `${server.base}/${band[1]}.jp2`,
        type: 'image/jp2',
        bands: [{ name: band[1], ...(common && { 'eo:common_name': common }) }],
        'raster:bands': [{ nodata: 0 }],
      };
    }
    const [west, south, east, north] = item.bounds;
    const properties = {
      datetime: '2024-06-01T10:00:31Z',
      platform: 'sentinel-2a',
      constellation: 'sentinel-2',
      'processing:version': '05.10',
      'sat:relative_orbit': 122,
    };
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    server.items.push({
      type: 'Feature',
      id: PRODUCT,
      geometry: { type: 'Polygon', coordinates: [ring] },
      properties,
      assets,
    });
    const remote = new StacSceneSource(server.reader);
    const found = await only(remote, `${server.base}/v1/collections/s2`);
    assert.deepEqual(await samples(remote, found), expected);

    // The same item with cloud-optimised GeoTIFFs as GDAL makes them.
    for (const asset of Object.values(assets as Record<string, Record<string, unknown>>)) {
      const name = String(asset['href']).replaceAll(/^.*\/|\.jp2$/g, '');
      const [from, to] = [join(folder, `${name}.tif`), join(folder, `${name}.cog.tif`)];
      const options = ['BLOCKSIZE=128', 'COMPRESS=DEFLATE', 'PREDICTOR=YES'];
      const given = options.flatMap((option) => ['-co', option]);
      await gdal('gdal_translate', ['-q', '-of', 'COG', ...given, from, to]);
      server.files.set(`/${name}.tif`, readFileSync(to));
      asset['href'] = `${server.base}/${name}.tif`;
      asset['type'] = 'image/tiff; application=geotiff; profile=cloud-optimized';
    }
    server.asked.length = 0;
    const optimised = await only(remote, `${server.base}/v1/collections/s2`);
    assert.deepEqual(await samples(remote, optimised), expected);
    assert.ok(server.asked.some((line) => line.endsWith('.tif')));
    assert.ok(server.asked.every((line) => !line.endsWith('.jp2')));
  });

  test('without its metadata the offset follows from the processing baseline', async () => {
    const source = folders();
    for (const [baseline, offset] of [
      ['N0510', -0.1],
      ['N0301', 0],
    ] as const) {
      const name = PRODUCT.replace('N0510', baseline);
      for (const [path, bytes] of Object.entries(files)) {
        if (path.endsWith('.xml')) continue;
        const to = join(folder, baseline, path.replace(PRODUCT, name));
        mkdirSync(dirname(to), { recursive: true });
        writeFileSync(to, bytes);
      }
      const { bands, cloudShare } = await only(source, join(folder, baseline));
      assert.deepEqual([bands.red!.scale, bands.red!.offset, cloudShare], [1e-4, offset, null]);
    }
  });
});

test('the metadata of a product gives scale and offset by band, and nothing where it is damaged', () => {
  const { top, cloudShare, timeMs } = readSentinel2Metadata(METADATA);
  assert.deepEqual([cloudShare, timeMs, top.get(3)], [0.125, null, { scale: 1e-4, offset: -0.1 }]);
  assert.equal(top.get(12), undefined);
  const [start, end] = ['<BOA_ADD_OFFSET_VALUES_LIST>', '</BOA_ADD_OFFSET_VALUES_LIST>'];
  const former =
    METADATA.slice(0, METADATA.indexOf(start)) + METADATA.slice(METADATA.indexOf(end) + end.length);
  assert.deepEqual(readSentinel2Metadata(former).top.get(3), { scale: 1e-4, offset: 0 });
  assert.equal(readSentinel2Metadata(former.slice(0, -9)).top.size, 0);
  for (const text of ['', METADATA.replace('10000', '0'), METADATA.replace('10000', 'x')])
    assert.equal(readSentinel2Metadata(text).top.size, 0);
});
