import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gdal, withoutGdal } from '../../../test/fixtures/gdal.ts';
import { AreaFiles } from './area-file.ts';
import { referenceSystem } from './reference-system.ts';

/** Positions in national systems as PROJ 9.7 computes them, without files of grids: code, name by ESRI, x, y, lng, lat. */
const PLACES: readonly (readonly [number, string, number, number, number, number])[] = [
  [31370, 'Belge_Lambert_1972', 152202.88408875943, 165505.13552429527, 4.4, 50.8],
  [31467, 'DHDN_3_Degree_Gauss_Zone_3', 3500074.525405575, 5540407.107229995, 9, 50],
  [31256, 'MGI_Austria_GK_East', -2388.8044233858777, 340177.51741964556, 16.3, 48.2],
  [3912, 'MGI_1901_Slovene_National_Grid', 461643.335469672, 95211.6245456012, 14.5, 46],
  [3003, 'Monte_Mario_Italy_1', 1500027.4988173707, 4982969.502250463, 9, 45],
  [29902, 'TM65_Irish_Grid', 267187.9797714107, 194797.28541138623, -7, 53],
  [2326, 'Hong_Kong_1980_Grid', 833498.7696181673, 817895.984381609, 114.15, 22.3],
  [21781, 'CH1903_LV03', 597056.2028125199, 194321.87647952358, 7.4, 46.9],
  [23700, 'Hungarian_1972_Egyseges_Orszagos_Vetuleti', 646390.9638796083, 183979.50125961684, 19, 47],
];
/** New York Long Island in US survey feet has its unit by the code alone. */
const FEET = [2263, 984250.0000000001, 194305.3389411525, -74, 40.7] as const;
/** Well-known text of ESRI, shortened: the name of the system, and an ellipsoid whose shift is not in the text. */
const esri = (name: string): string =>
  `PROJCS["${name}",GEOGCS["GCS",DATUM["D",SPHEROID["Bessel_1841",6377397.155,299.1528128]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Gauss_Kruger"],UNIT["Meter",1.0]]`;

const METRE = 1e-5; // of latitude [degrees]

for (const [code, name, x, y, lng, lat] of PLACES)
  test(`EPSG:${code} by its code and by the name that ESRI gives it`, () => {
    for (const projection of [
      referenceSystem('a.gpkg', `EPSG:${code}`, undefined),
      referenceSystem('a.shp', undefined, esri(name)),
    ]) {
      const found = projection!.toLngLat(x, y);
      assert.ok(
        Math.abs(found[0] - lng) < METRE && Math.abs(found[1] - lat) < METRE,
        `${found.join(' ')} instead of ${lng} ${lat}`,
      );
    }
  });

test('a system in feet by its code has the unit of its code', () => {
  const [code, x, y, lng, lat] = FEET;
  const found = referenceSystem('a.gpkg', `EPSG:${code}`, undefined)!.toLngLat(x, y);
  assert.ok(Math.abs(found[0] - lng) < METRE && Math.abs(found[1] - lat) < METRE, found.join(' '));
});

test('a system whose shift is not known stays refused, and a file without one is told so', () => {
  const refused = (message: RegExp) => ({ name: 'InvalidInput', message });
  for (const [code, wkt] of [
    ['EPSG:31700', undefined],
    [undefined, esri('Krovak')],
  ] as const)
    assert.throws(
      () => referenceSystem('a', code, wkt),
      refused(/in a reference system that cannot be used/),
    );
  assert.throws(
    () => referenceSystem('a', undefined, undefined),
    refused(
      /^a names no reference system; write it with the one that it is in, for example with ogr2ogr -a_srs/,
    ),
  );
});

describe('files of areas of others', { skip: withoutGdal }, () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'groundwatch-strangers-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const ring = [
    [14.4, 46],
    [14.5, 46],
    [14.5, 46.1],
    [14.4, 46],
  ];
  const collection = JSON.stringify({
    type: 'FeatureCollection',
    features: ['a', 'b'].map((name) => ({
      type: 'Feature',
      properties: { name },
      geometry: { type: 'Polygon', coordinates: [ring] },
    })),
  });
  const read = (file: string) => new AreaFiles().readAreas(join(folder, file), {});

  test('GeoJSON with a feature on each line, with and without record separators', async () => {
    writeFileSync(join(folder, 'all.json'), collection);
    const expected = await read('all.json');
    assert.equal(expected.length, 2);
    for (const separators of ['NO', 'YES']) {
      const file = `lines-${separators}.geojsonl`;
      const option = ['-f', 'GeoJSONSeq', '-lco', `RS=${separators}`];
      await gdal('ogr2ogr', [...option, join(folder, file), join(folder, 'all.json')]);
      assert.deepEqual(await read(file), expected, file);
    }
    writeFileSync(join(folder, 'broken.geojsonl'), '{"type":"Feature"}\n{"type":}\n');
    await assert.rejects(read('broken.geojsonl'), {
      name: 'InvalidInput',
      message: /^broken\.geojsonl: expected GeoJSON: /,
    });
  });

  test('a GeoPackage of no reference system says so', async () => {
    writeFileSync(join(folder, 'some.json'), collection);
    await gdal('ogr2ogr', [
      '-f',
      'GPKG',
      '-a_srs',
      'NONE',
      join(folder, 'none.gpkg'),
      join(folder, 'some.json'),
    ]);
    await assert.rejects(read('none.gpkg'), {
      name: 'InvalidInput',
      message: /^none\.gpkg names no reference system/,
    });
  });
});
