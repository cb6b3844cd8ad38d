import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSceneFileName } from './scene-file-name.ts';

/** A parsed name in one line: scene, pass, time, and what the file contains. */
function parsed(path: string): string | undefined {
  const file = readSceneFileName(path);
  if (file === undefined) return undefined;
  const { id, pass, timeMs } = file.scene;
  const { part } = file;
  const content =
    part.kind === 'band'
      ? `${part.band} ${Object.values(part.reflectance).join(' ')} ${part.nodata}`
      : part.kind === 'quality'
        ? part.encoding
        : part.kind;
  return `${id} | ${pass} | ${new Date(timeMs).toISOString()} | ${content}`;
}

const DAY = 'T00:00:00.000Z';

test('Landsat Collection 2 surface reflectance: scale 0.0000275, offset -0.2 (USGS LSDS-1619), band numbers by sensor', () => {
  const oli = 'LC08_L2SP_014031_20200106_20200823_02_T1';
  assert.equal(
    parsed(`/in/${oli}/${oli}_SR_B5.TIF`),
    `${oli} | landsat-8_2020-01-06_14 | 2020-01-06${DAY} | nir 0.0000275 -0.2 0`,
  );
  assert.equal(
    parsed(`${oli}_QA_PIXEL.TIF`),
    `${oli} | landsat-8_2020-01-06_14 | 2020-01-06${DAY} | landsat-c2`,
  );
  const tm = 'LT05_L2SP_227068_19900607_20200915_02_T1';
  assert.match(parsed(`${tm}_SR_B4.TIF`)!, /landsat-5_1990-06-07_227 .* nir 0\.0000275/);
  assert.equal(parsed(`${tm}_SR_B6.TIF`), undefined); // a thermal band has no reflectance
  assert.equal(parsed(`${oli}_ST_B10.TIF`), undefined);
  assert.equal(parsed(`${oli}_QA_RADSAT.TIF`), undefined);
  assert.match(parsed(`${oli}_MTL.txt`)!, /metadata$/);
});

test('Landsat level 1: scale 0.00002, offset -0.1 on Landsat 8 and 9 (USGS LSDS-1574), else from the metadata file', () => {
  const l8 = 'LC08_L1TP_014031_20180106_20180119_01_T1';
  assert.match(parsed(`${l8}_B4.TIF`)!, /red 0\.00002 -0\.1 0$/);
  assert.match(parsed(`${l8}_BQA.TIF`)!, /landsat-c1$/);
  assert.match(
    parsed('LE07_L1TP_014031_20030106_20160920_01_T1_B4.TIF')!,
    /nir 4 expected its _MTL\.txt .* 0$/,
  );
  // Surface reflectance of Collection 1 has the name of the level 1 scene that it was made from.
  assert.match(parsed(`${l8}_sr_band4.tif`)!, /red 0\.0001 0 -9999$/);
  assert.match(parsed(`${l8}_pixel_qa.tif`)!, /landsat-ard$/);
});

test('the folder name gives the product when file names are shortened', () => {
  assert.match(
    parsed('/in/LC08_L1TP_014031_20180106_20180119_01_T1/LC08_L1TP_014031_20180106_B4.TIF')!,
    /^LC08_L1TP_014031_20180106_20180119_01_T1 \| landsat-8_2018-01-06_14/,
  );
  assert.match(
    parsed('/other/LC08_L1TP_014031_20180106_B4.TIF')!,
    /^LC08_L1TP_014031_20180106 \| landsat-8_2018-01-06_14/,
  );
});

test('Landsat analysis ready data of Collection 1 and 2', () => {
  assert.match(
    parsed('LC08_CU_028005_20180106_20181219_C01_V01_SRB4.tif')!,
    /landsat-8_2018-01-06 \| .* red 0\.0001 0 -9999$/,
  );
  assert.match(parsed('LC08_CU_028005_20180106_20181219_C01_V01_PIXELQA.tif')!, /landsat-ard$/);
  assert.match(parsed('LC08_CU_028005_20180106_20210501_02_SR_B4.TIF')!, /red 0\.0000275 -0\.2 0$/);
  assert.match(parsed('LC08_CU_028005_20180106_20210501_02_QA_PIXEL.TIF')!, /landsat-c2$/);
});

test('Harmonized Landsat and Sentinel-2: dates by day of the year, band numbers of the sensor', () => {
  const sentinel = 'HLS.S30.T18TWL.2020229T154911.v2.0';
  assert.equal(
    parsed(`${sentinel}.B8A.tif`),
    `${sentinel} | hls-s30_2020-08-16 | 2020-08-16T15:49:11.000Z | nir 0.0001 0 -9999`,
  );
  assert.match(parsed('HLS.L30.T18TWL.2020229T154911.v2.0.B05.tif')!, /nir 0\.0001/);
  assert.match(parsed(`${sentinel}.Fmask.tif`)!, /hls-fmask$/);
  assert.equal(parsed(`${sentinel}.B01.tif`), undefined);
});

test('Sentinel-2 as GeoTIFF with ESA names: the offset depends on the processing baseline', () => {
  const of = (baseline: string): string =>
    `/in/S2A_MSIL2A_20200816T154911_${baseline}_R054_T18TWL_20200816T201530.SAFE/GRANULE/L2A_T18TWL_A026912_20200816T155316/IMG_DATA/R10m/T18TWL_20200816T154911_B08_10m.tif`;
  const former = of('N0301').replace('R10m/', 'R10m/L2A_');
  assert.deepEqual(readSceneFileName(former), readSceneFileName(of('N0301')));
  assert.match(
    parsed(of('N0214'))!,
    /sentinel-2a_2020-08-16_54 \| 2020-08-16T15:49:11\.000Z \| nir 0\.0001 0 0$/,
  );
  assert.match(parsed(of('N0500'))!, /nir 0\.0001 -0\.1 0$/);
  assert.equal(parsed('/in/T18TWL_20200816T154911_B08_10m.tif'), undefined); // without the folder its baseline is unknown
});

test('other files are ignored', () => {
  for (const name of [
    'LC08_L1TP_014031_20181399_20180119_01_T1_B4.TIF', // no such day
    'LC08_L1TP_014031_20180106_20180119_01_T1_B4.TIF.aux.xml',
    'notes.txt',
    'ndvi_2018-01-06.tif',
  ])
    assert.equal(parsed(name), undefined, name);
});

test('versions of a frame rank by level, then tier, then day of processing', () => {
  const rank = (id: string): string => readSceneFileName(`${id}_QA_PIXEL.TIF`)!.scene.rank;
  const order = [
    'LC08_L1TP_014031_20180106_20180107_02_RT',
    'LC08_L1TP_014031_20180106_20180119_02_T2',
    'LC08_L1TP_014031_20180106_20180119_02_T1',
    'LC08_L1TP_014031_20180106_20200823_02_T1',
    'LC08_L2SP_014031_20180106_20200823_02_T1',
  ];
  assert.deepEqual(
    order.toReversed().toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)),
    order,
  );
});

test('MODIS and VIIRS as AppEEARS exports them, and named after the granule', () => {
  assert.equal(
    parsed('MOD09A1.061_sur_refl_b02_doy2020153000000_aid0001.tif'),
    'MOD09A1.061_doy2020153_aid0001 | mod09a1_2020-06-01 | 2020-06-01T00:00:00.000Z | nir 0.0001 0 -28672',
  );
  assert.match(parsed('MOD09A1.061_sur_refl_state_500m_doy2020153_aid0001.tif')!, /modis-sr-state$/);
  assert.match(
    parsed('MYD13Q1.A2020153.h18v04.061.2020170101112_250m_16_days_NIR_reflectance.tif')!,
    /^MYD13Q1\.A2020153\.h18v04\.061\.2020170101112 \| myd13q1_2020-06-01 .* nir 0\.0001 0 -1000$/,
  );
  assert.match(
    parsed('MOD13Q1.061__250m_16_days_pixel_reliability_doy2020153_aid0001.tif')!,
    /modis-vi-summary$/,
  );
  assert.match(
    parsed('MCD43A4.061_Nadir_Reflectance_Band7_doy2020153_aid0001.tif')!,
    /swir2 0\.0001 0 32767$/,
  );
  assert.match(parsed('VNP09H1.002_SurfReflect_I1_doy2020153_aid0001.tif')!, /red 0\.0001 0 -28672$/);
  // SWIR1 of VNP13 is at 1.24 um, SWIR2 at 1.61 um, SWIR3 at 2.25 um.
  assert.match(parsed('VNP13A1.002__500_m_16_days_SWIR2_reflectance_doy2020153_aid0001.tif')!, /swir1 /);
  assert.equal(parsed('VNP13A1.002__500_m_16_days_SWIR1_reflectance_doy2020153_aid0001.tif'), undefined);
  assert.match(parsed('VJ113A1.002__500_m_16_days_pixel_reliability_doy2020153_aid0001.tif')!, /viirs-vi-/);
  assert.equal(parsed('MOD09A1.061_sur_refl_b02_doy2020400_aid0001.tif'), undefined); // no such day
});
