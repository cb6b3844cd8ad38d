import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readStacItem } from './stac-item.ts';

const BASE = 'https://example.com/item.json';
/** An item as Planetary Computer writes those of `sentinel-1-rtc` (stactools-packages/sentinel1). */
const ITEM = {
  type: 'Feature',
  stac_version: '1.0.0',
  id: 'S1A_IW_GRDH_1SDV_20191215T004339_20191215T004404_030352_0378DC_rtc',
  collection: 'sentinel-1-rtc',
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
    datetime: '2019-12-15T00:43:52Z',
    platform: 'SENTINEL-1A',
    constellation: 'Sentinel-1',
    'sar:instrument_mode': 'IW',
    'sar:polarizations': ['VV', 'VH'],
    'sar:product_type': 'GRD',
    'sar:looks_equivalent_number': 4.4,
    'sat:orbit_state': 'ascending',
    'sat:relative_orbit': 5,
  } as Readonly<Record<string, unknown>>,
  assets: {
    vv: {
      href: './iw-vv.rtc.tiff',
      type: 'image/tiff; application=geotiff',
      'raster:bands': [{ nodata: -32_768 }],
    },
    vh: {
      href: './iw-vh.rtc.tiff',
      type: 'image/tiff; application=geotiff',
      'raster:bands': [{ nodata: -32_768 }],
    },
    rendered_preview: { href: './preview.png', type: 'image/png' },
  } as Readonly<Record<string, object>>,
};
const OTHER = {
  ...ITEM,
  id: 'one',
  collection: 'own',
  properties: { ...ITEM.properties, 'sar:product_type': 'NRB' },
};
const withUnit = (unit: unknown) => ({
  ...OTHER,
  assets: { vh: { href: 'a_vh.tif', 'raster:bands': [{ unit }] } },
});

describe('a radar item', () => {
  test('of Planetary Computer: linear power, by orbit, without a mask', () => {
    const { radar, quality, pass, bands, timeMs } = readStacItem(ITEM, BASE);
    assert.equal(pass, 'sentinel-1a_2019-12-15_5');
    assert.equal(quality, null);
    assert.deepEqual(bands, {});
    assert.equal(timeMs, Date.UTC(2019, 11, 15, 0, 43, 52));
    assert.deepEqual(radar, {
      orbit: 5,
      unit: 'power',
      polarisations: {
        vv: {
          href: 'https://example.com/iw-vv.rtc.tiff',
          band: 0,
          scale: null,
          offset: null,
          nodata: -32_768,
        },
        vh: {
          href: 'https://example.com/iw-vh.rtc.tiff',
          band: 0,
          scale: null,
          offset: null,
          nodata: -32_768,
        },
      },
    });
  });

  test('of OPERA: the orbit is the track of the id, and the mask is read', () => {
    const id = 'OPERA_L2_RTC-S1_T047-100908-IW3_20200702T133142Z_20230619T221158Z_S1B_30_v1.0';
    const assets = Object.fromEntries(
      ['VV', 'VH', 'mask'].map((layer, i) => [
        `file_${i}`,
        { href: `https://example.com/${id}_${layer}.tif` },
      ]),
    );
    const read = readStacItem(
      { ...ITEM, id, properties: { datetime: '2020-07-02T13:31:42Z' }, assets },
      BASE,
    );
    assert.equal(read.radar?.orbit, 47);
    assert.match(read.radar.polarisations.vh!.href, /_VH\.tif$/);
    assert.deepEqual(read.quality, {
      href: `https://example.com/${id}_mask.tif`,
      encoding: 'opera-rtc-mask',
    });
  });

  test('of another producer: the unit is what the item declares', () => {
    assert.equal(readStacItem(withUnit('dB'), BASE).radar?.unit, 'dB');
    assert.equal(readStacItem(withUnit('1'), BASE).radar?.unit, 'power');
  });

  for (const [what, item, expected] of [
    [
      'a unit that is not declared',
      withUnit(undefined),
      /assets\.vh\.raster:bands\.unit: expected dB or 1 .* got undefined/,
    ],
    ['a unit of amplitude', withUnit('amplitude'), /got "amplitude"; the unit of backscatter is not guessed/],
    ['a unit that is an object', withUnit({ name: 'dB' }), /got an object/],
    [
      'raster:bands of text',
      { ...OTHER, assets: { vh: { href: 'a.tif', 'raster:bands': ['dB'] } } },
      /raster:bands: expected an object/,
    ],
    [
      'no orbit',
      { ...ITEM, properties: { ...ITEM.properties, 'sat:relative_orbit': undefined } },
      /properties\.sat:relative_orbit: expected 1 to 175, got undefined/,
    ],
    [
      'orbit 176',
      { ...ITEM, properties: { ...ITEM.properties, 'sat:relative_orbit': 176 } },
      /expected 1 to 175, got 176/,
    ],
    [
      'an orbit of text',
      { ...ITEM, properties: { ...ITEM.properties, 'sat:relative_orbit': '../5' } },
      /got "\.\.\/5"/,
    ],
    [
      'a list for an orbit',
      { ...ITEM, properties: { ...ITEM.properties, 'sat:relative_orbit': [5] } },
      /got a list of 1/,
    ],
    [
      'no co- or cross-polarisation',
      { ...ITEM, assets: { hh: { href: 'hh.tif' } } },
      /assets: expected GeoTIFFs vv or vh, got hh/,
    ],
    [
      'GRD without terrain correction',
      { ...ITEM, id: 'S1A_IW_GRDH', collection: 'sentinel-1-grd' },
      /properties\.sar:product_type: expected backscatter that is corrected for terrain .* got "GRD"/,
    ],
  ] as const)
    test(`${what} is refused; the message names the field`, () => {
      assert.throws(() => readStacItem(item, BASE), expected);
    });
});
