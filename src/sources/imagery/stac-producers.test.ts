import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readStacItem } from './stac-item.ts';

const BASE = 'https://example.com/item.json';
const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  ],
};

/** An item whose assets are GeoTIFFs of these keys, with what each says about itself. */
function item(
  id: string,
  collection: string,
  properties: Readonly<Record<string, unknown>>,
  assets: Readonly<Record<string, object>>,
) {
  return {
    type: 'Feature',
    stac_version: '1.0.0',
    id,
    collection,
    geometry: SQUARE,
    properties: { datetime: '2023-06-01T10:00:00Z', ...properties },
    assets: Object.fromEntries(
      Object.entries(assets).map(([key, more]) => [
        key,
        { href: `https://example.com/${id}.${key}.tif`, ...more },
      ]),
    ),
  };
}
/** The key and the scale, offset and nodata of each band. */
function bandsOf(json: unknown) {
  const { bands, quality, platform } = readStacItem(json, BASE);
  const told = Object.entries(bands).map(([band, { href, scale, offset }]) => [
    band,
    `${href.split('.').at(-2)} ${scale} ${offset}`,
  ]);
  return { ...Object.fromEntries(told), quality: quality!.encoding, platform } as Readonly<
    Record<string, string>
  >;
}

describe('items as other producers write them', () => {
  test('USGS LandsatLook names platform and assets its own way, and says neither scale nor offset', () => {
    const of = (platform: string, id: string) =>
      bandsOf(
        item(
          id,
          'landsat-c2l2-sr',
          { platform, 'landsat:correction': 'L2SP', 'landsat:collection_number': '02' },
          {
            green: {
              type: 'image/vnd.stac.geotiff; cloud-optimized=true',
              'eo:bands': [{ common_name: 'green' }],
            },
            red: { 'eo:bands': [{ common_name: 'red' }] },
            nir08: { 'eo:bands': [{ common_name: 'nir08' }] },
            swir16: { 'eo:bands': [{ common_name: 'swir16' }] },
            swir22: { 'eo:bands': [{ common_name: 'swir22' }] },
            qa_pixel: {},
          },
        ),
      );
    const expected = {
      red: 'red 0.0000275 -0.2',
      nir: 'nir08 0.0000275 -0.2',
      swir1: 'swir16 0.0000275 -0.2',
      swir2: 'swir22 0.0000275 -0.2',
      quality: 'landsat-c2',
    };
    for (const [platform, id] of [
      ['LANDSAT_8', 'LC08_L2SP_047027_20230601_20230607_02_T1_SR'],
      ['LANDSAT_7', 'LE07_L2SP_047027_20230601_20230607_02_T1_SR'],
    ] as const) {
      const got = of(platform, id);
      assert.equal(got['platform'], platform);
      for (const [band, told] of Object.entries(expected)) assert.equal(got[band], told);
    }
  });

  test('Landsat by asset names only: the numbers of the thematic mappers are not those of Landsat 8', () => {
    const assets = { SR_B2: {}, SR_B3: {}, SR_B4: {}, SR_B5: {}, SR_B7: {}, QA_PIXEL: {} };
    const mapper = bandsOf(item('LT05_L2SP_047027_20050601_20200902_02_T1', 'c2', {}, assets));
    assert.match(mapper['nir']!, /^SR_B4 /);
    assert.match(mapper['green']!, /^SR_B2 /);
    const imager = bandsOf(item('LC09_L2SP_047027_20230601_20230607_02_T1', 'c2', {}, assets));
    assert.match(imager['nir']!, /^SR_B5 /);
    assert.equal(imager['green'], 'SR_B3 0.0000275 -0.2');
  });

  test('a level 1 item of Landsat without scale has that of its file', () => {
    const id = 'LC08_L1TP_047027_20230601_20230607_02_T1';
    const got = bandsOf(
      item(id, 'landsat-c2l1', { platform: 'landsat-8' }, { red: {}, nir08: {}, qa_pixel: {} }),
    );
    assert.equal(got['red'], 'red null null');
  });

  test('HLS of CMR-STAC and of Planetary Computer: the narrow near infrared band, whatever B08 is called', () => {
    const sentinel = { B03: {}, B04: {}, B08: {}, B8A: {}, B11: {}, B12: {}, Fmask: {} };
    const expected = {
      green: 'B03 0.0001 0',
      red: 'B04 0.0001 0',
      nir: 'B8A 0.0001 0',
      swir1: 'B11 0.0001 0',
      swir2: 'B12 0.0001 0',
      quality: 'hls-fmask',
      platform: 'hls-s30',
    };
    const cmr = item('HLS.S30.T18TWL.2023152T154911.v2.0', 'HLSS30_2.0', {}, sentinel);
    assert.deepEqual(bandsOf(cmr), expected);
    const named = { ...sentinel, B08: { 'eo:bands': [{ name: 'B08', common_name: 'nir' }] } };
    const planetary = item(
      'HLS.S30.T18TWL.2023152T154911.v2.0',
      'hls2-s30',
      { platform: 'sentinel-2a' },
      named,
    );
    assert.deepEqual(bandsOf(planetary), expected);
    const landsat = { B03: {}, B04: {}, B05: {}, B06: {}, B07: {}, B10: {}, Fmask: {} };
    const l30 = item('HLS.L30.T18TWL.2023152T154911.v2.0', 'hls2-l30', { platform: 'landsat-8' }, landsat);
    assert.deepEqual(bandsOf(l30), {
      ...expected,
      nir: 'B05 0.0001 0',
      swir1: 'B06 0.0001 0',
      swir2: 'B07 0.0001 0',
      platform: 'hls-l30',
    });
  });

  test('MODIS and VIIRS of Planetary Computer: reflectance and quality by the names of layers', () => {
    const reflectance = ['sur_refl_b01', 'sur_refl_b02', 'sur_refl_b04', 'sur_refl_b06', 'sur_refl_b07'];
    const keys = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, {}]));
    const a1 = item(
      'MOD09A1.A2023145.h18v04.061.2023154101112',
      'modis-09A1-061',
      { platform: 'terra' },
      {
        ...keys(reflectance),
        sur_refl_state_500m: {},
      },
    );
    assert.deepEqual(bandsOf(a1), {
      green: 'sur_refl_b04 0.0001 0',
      red: 'sur_refl_b01 0.0001 0',
      nir: 'sur_refl_b02 0.0001 0',
      swir1: 'sur_refl_b06 0.0001 0',
      swir2: 'sur_refl_b07 0.0001 0',
      quality: 'modis-sr-state',
      platform: 'terra',
    });
    const q1 = bandsOf(
      item(
        'MOD13Q1.A2023145.h18v04.061.2023154101112',
        'modis-13Q1-061',
        { platform: 'terra' },
        {
          '250m_16_days_NDVI': {},
          '250m_16_days_red_reflectance': { 'raster:bands': [{ scale: 0.0001, nodata: -1000 }] },
          '250m_16_days_NIR_reflectance': {},
          '250m_16_days_MIR_reflectance': {},
          '250m_16_days_VI_Quality': {},
        },
      ),
    );
    assert.equal(q1['nir'], '250m_16_days_NIR_reflectance 0.0001 0');
    assert.equal(q1['swir2'], '250m_16_days_MIR_reflectance 0.0001 0');
    assert.equal(q1['quality'], 'modis-vi-detail');
    const h1 = bandsOf(
      item(
        'VNP09H1.A2023145.h18v04.002.2023154101112',
        'viirs-09H1-002',
        {},
        {
          SurfReflect_I1: {},
          SurfReflect_I2: {},
          SurfReflect_I3: {},
          SurfReflect_State_500m: {},
        },
      ),
    );
    assert.equal(h1['swir1'], 'SurfReflect_I3 0.0001 0');
    assert.equal(h1['quality'], 'modis-sr-state');
  });

  test('Sentinel-2 of Planetary Computer names its bands B04, and the baseline gives the offset', () => {
    const got = readStacItem(
      item(
        'S2B_MSIL2A_20230601T100029_R122_T33SVB_20230601T160000',
        'sentinel-2-l2a',
        {
          platform: 'Sentinel-2B',
          's2:processing_baseline': '05.09',
        },
        { B03: {}, B04: {}, B08: {}, B8A: {}, B11: {}, B12: {}, SCL: {} },
      ),
      BASE,
    );
    assert.deepEqual([got.bands.red?.scale, got.bands.red?.offset], [1e-4, -0.1]);
    assert.match(got.narrowNir!.href, /B8A\.tif$/);
    assert.match(got.bands.nir!.href, /B08\.tif$/);
  });
});
