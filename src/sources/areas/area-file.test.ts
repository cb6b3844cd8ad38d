// Long file: the same areas are compared in every format.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gdal, withoutGdal } from '../../../test/fixtures/gdal.ts';
import { zipFixture } from '../../../test/fixtures/zip-fixture.ts';
import type { FileArea } from '../../app/areas/area-file-reader.ts';
import { validateArea } from '../../geo/area-validation.ts';
import { AreaFiles } from './area-file.ts';

const refused = (message: RegExp) => ({ name: 'InvalidInput', message });
type Ring = readonly (readonly [number, number])[];
const square = (x: number, y: number, size: number): Ring => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
];
/** One polygon, one with a hole, and two in one. */
const SHAPES = [
  { name: 'Wald & Höhe', type: 'Polygon', coordinates: [square(14, 46, 0.1)] },
  {
    name: 'Hole',
    type: 'Polygon',
    coordinates: [square(15, 46, 0.2), square(15.05, 46.05, 0.05).toReversed()],
  },
  {
    name: 'Two',
    type: 'MultiPolygon',
    coordinates: [[square(16, 46, 0.1)], [square(16.3, 46, 0.1), square(16.32, 46.02, 0.05).toReversed()]],
  },
] as const;
const COLLECTION = {
  type: 'FeatureCollection',
  features: SHAPES.map(({ name, type, coordinates }) => ({
    type: 'Feature',
    properties: { name, other: `${name}!` },
    geometry: { type, coordinates },
  })),
};

/** Geometries as sets of rings, rounded, whatever their first position and direction are. */
function rings(areas: readonly FileArea[], digits = 7): unknown {
  return areas.map((area) => {
    if ('problem' in area) return area.problem;
    const { type, coordinates } = area.geometry as {
      readonly type: string;
      readonly coordinates: Ring[] | Ring[][];
    };
    const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as Ring[][];
    return polygons
      .map((polygon) =>
        polygon
          .map((ring) =>
            ring
              .slice(1)
              .map(([x, y]) => `${x.toFixed(digits)},${y.toFixed(digits)}`)
              .toSorted()
              .join(' '),
          )
          .join(' | '),
      )
      .toSorted();
  });
}
const names = (areas: readonly FileArea[]): unknown => areas.map(({ name }) => name);

describe('files of areas', () => {
  let folder: string;
  const files = new AreaFiles();
  const put = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-areas-'));
    put('areas.geojson', JSON.stringify(COLLECTION));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const read = (name: string, choice = {}) => files.readAreas(join(folder, name), choice);

  test('GeoJSON: a collection, a feature, a geometry; names; heights are dropped; an older reference system', async () => {
    const all = await read('areas.geojson');
    assert.deepEqual(
      names(all),
      SHAPES.map(({ name }) => name),
    );
    assert.deepEqual(
      names(await read('areas.geojson', { nameField: 'OTHER' })),
      SHAPES.map(({ name }) => `${name}!`),
    );
    for (const area of all) assert.ok('geometry' in area && validateArea(area.geometry).ok);
    put(
      'one.json',
      JSON.stringify({ type: 'Polygon', coordinates: [square(14, 46, 0.1).map(([x, y]) => [x, y, 300])] }),
    );
    const [one] = await read('one.json');
    assert.ok(one !== undefined && 'geometry' in one && one.hadHeights);
    assert.deepEqual(rings([one]), rings([all[0]!]));
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } };
    const R = 6378137;
    const mercator = square(14, 46, 0.1).map(([x, y]) => [
      (x * Math.PI * R) / 180,
      R * Math.log(Math.tan(Math.PI / 4 + (y * Math.PI) / 360)),
    ]);
    put(
      'old.json',
      JSON.stringify({
        type: 'FeatureCollection',
        crs,
        features: [
          { type: 'Feature', properties: null, geometry: { type: 'Polygon', coordinates: [mercator] } },
        ],
      }),
    );
    assert.deepEqual(rings(await read('old.json')), rings([all[0]!]));
    put(
      'faulty.json',
      JSON.stringify({
        type: 'FeatureCollection',
        features: [{ type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] } }, null, 7],
      }),
    );
    assert.deepEqual(
      (await read('faulty.json')).map((area) => 'problem' in area),
      [true, true, true],
    );
  });

  for (const [form, file, options] of [
    ['KML', 'areas.kml', []],
    ['LIBKML', 'areas.kmz', []],
    ['GPKG', 'areas.gpkg', []],
    ['GPKG', 'mercator.gpkg', ['-t_srs', 'EPSG:3857']],
    ['GPKG', 'lambert.gpkg', ['-t_srs', 'EPSG:3035']],
    [
      'GPKG',
      'gauss.gpkg',
      [
        '-t_srs',
        'EPSG:31256',
        '-a_srs',
        '+proj=tmerc +lat_0=0 +lon_0=16.3333333333 +x_0=0 +y_0=-5000000 +datum=WGS84',
      ],
    ],
    ['GPKG', 'heights.gpkg', ['-dim', 'XYZ', '-nlt', 'PROMOTE_TO_MULTI']],
    ['ESRI Shapefile', 'areas.shp', ['-lco', 'ENCODING=UTF-8']],
    ['ESRI Shapefile', 'utm.shp', ['-t_srs', 'EPSG:32633', '-lco', 'ENCODING=UTF-8']],
    ['ESRI Shapefile', 'three.shp', ['-dim', 'XYZ', '-lco', 'ENCODING=UTF-8']],
    ['FlatGeobuf', 'areas.fgb', []],
    ['FlatGeobuf', 'plain.fgb', ['-lco', 'SPATIAL_INDEX=NO', '-t_srs', 'EPSG:32633']],
  ] as const)
    test(`${file}, made by GDAL, has the areas of the GeoJSON`, { skip: withoutGdal }, async (t) => {
      const isOdd = file === 'gauss.gpkg';
      const args = isOdd
        ? ['-t_srs', '+proj=tmerc +lat_0=0 +lon_0=16.3333333333 +x_0=0 +y_0=-5000000 +datum=WGS84']
        : options;
      try {
        await gdal('ogr2ogr', [
          '-f',
          form,
          join(folder, file),
          join(folder, 'areas.geojson'),
          '-nln',
          'areas',
          ...args,
        ]);
      } catch (error) {
        if (form !== 'LIBKML') throw error;
        t.skip('this GDAL has no LIBKML');
        return;
      }
      const expected = await read('areas.geojson');
      const found = await read(file);
      // FlatGeobuf sorts its features by place.
      const order = (areas: readonly FileArea[]) =>
        areas.toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
      assert.deepEqual(names(order(found)), names(order(expected)));
      assert.deepEqual(rings(order(found), 6), rings(order(expected), 6));
      for (const area of found) {
        assert.ok('geometry' in area && validateArea(area.geometry).ok);
        assert.equal(area.hadHeights, /heights|three|kmz/.test(file), file);
      }
    });

  test('a zipped shapefile, alone and beside another', { skip: withoutGdal }, async () => {
    await gdal('ogr2ogr', [
      '-f',
      'ESRI Shapefile',
      join(folder, 'zip.shp'),
      join(folder, 'areas.geojson'),
      '-lco',
      'ENCODING=UTF-8',
    ]);
    const parts = Object.fromEntries(
      readdirSync(folder)
        .filter((name) => name.startsWith('zip.'))
        .map((name) => [`in/${name}`, readFileSync(join(folder, name))]),
    );
    put('shape.zip', zipFixture(parts, true));
    const expected = await read('areas.geojson');
    assert.deepEqual(rings(await read('shape.zip'), 6), rings(expected, 6));
    assert.deepEqual(names(await read('shape.zip')), names(expected));
    put('both.zip', zipFixture({ ...parts, 'in/other.shp': parts['in/zip.shp']! }, false));
    await assert.rejects(read('both.zip'), refused(/expected --layer with one of zip, other/));
    assert.equal((await read('both.zip', { layer: 'zip' })).length, 3);
    await assert.rejects(read('both.zip', { layer: 'other' }), refused(/has no \.prj file/));
    await assert.rejects(
      read('shape.zip', { nameField: 'id' }),
      refused(/expected --name-field with one of name, other/),
    );
    const prj = parts['in/zip.prj']!.toString();
    for (const [changed, isRead] of [
      [prj.replace('6378137', '6377397.155'), false], // Bessel's ellipsoid: its datum is not known
      ['LOCAL_CS["Nowhere"]', false],
      [prj, true],
    ] as const) {
      put('other.zip', zipFixture({ ...parts, 'in/zip.prj': Buffer.from(changed) }, true));
      if (isRead) assert.equal((await read('other.zip')).length, 3);
      else await assert.rejects(read('other.zip'), refused(/reference system that cannot be used/));
    }
  });

  test('KML: groups, namespaces, sections of text, and placemarks without a polygon', async () => {
    const ring = (x: number): string =>
      `<kml:LinearRing><kml:coordinates>${square(x, 46, 0.1)
        .map(([a, b]) => `${a},${b},5`)
        .join('\n ')}</kml:coordinates></kml:LinearRing>`;
    put(
      'own.kml',
      `\uFEFF<?xml version="1.0"?><!-- <Placemark> --><kml:kml xmlns:kml="http://www.opengis.net/kml/2.2"><kml:Document><kml:name>Not this</kml:name>
      <kml:Placemark><kml:name><![CDATA[A <b> & c]]></kml:name><kml:MultiGeometry>${[14, 15].map((x) => `<kml:Polygon><kml:outerBoundaryIs>${ring(x)}</kml:outerBoundaryIs></kml:Polygon>`).join('')}</kml:MultiGeometry></kml:Placemark>
      <kml:Placemark><kml:name>&#x41;&amp;B</kml:name><kml:Point><kml:coordinates>1,2</kml:coordinates></kml:Point></kml:Placemark>
      <kml:Placemark><kml:Polygon><kml:outerBoundaryIs><kml:LinearRing><kml:coordinates>1,2 x,4</kml:coordinates></kml:LinearRing></kml:outerBoundaryIs></kml:Polygon></kml:Placemark></kml:Document></kml:kml>`,
    );
    const found = await read('own.kml');
    assert.deepEqual(names(found), ['A <b> & c', 'A&B', undefined]);
    const [first, point, broken] = found;
    assert.ok(
      first !== undefined && 'geometry' in first && first.hadHeights && validateArea(first.geometry).ok,
    );
    assert.deepEqual(
      [point, broken],
      [
        { name: 'A&B', problem: 'expected a polygon, got a Point' },
        { name: undefined, problem: 'coordinates: expected longitude,latitude, got "x,4"' },
      ],
    );
    for (const [text, message] of [
      ['<!DOCTYPE x [<!ENTITY a "b">]><kml></kml>', /without document type and entities/],
      ['<kml><Placemark></kml>', /no sound XML/],
      ['<kml><Placemark>', /ends within <Placemark>/],
      ['<html></html>', /expected KML/],
      [`<kml>${'<Folder>'.repeat(200)}`, /at most 100 levels/],
      ['<kml></kml>', /expected areas, found none/],
    ] as const) {
      put('bad.kml', text);
      await assert.rejects(read('bad.kml'), refused(message));
    }
  });

  test('what is no file of areas, is damaged or has too many is refused', async () => {
    for (const [name, content, message] of [
      ['a.txt', 'hello', /expected GeoJSON, KML/],
      ['b.json', '{', /expected GeoJSON/],
      ['c.json', '{"type":"Polygon","type":"Point"}', /comes twice/],
      [
        'd.gpkg',
        Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(200)]),
        /cannot be read as a GeoPackage/,
      ],
      ['e.zip', zipFixture({ 'a.txt': Buffer.from('x') }, true), /expected GeoJSON, KML/],
      ['f.shp', Buffer.from('0000270a00000000', 'hex'), /is no shapefile, or is cut short/],
      [
        'g.json',
        JSON.stringify({ type: 'FeatureCollection', features: Array.from({ length: 10_001 }, () => null) }),
        /at most 10000 areas/,
      ],
      ['h.fgb', Buffer.from('6667620366676200ffffff7f', 'hex'), /is damaged/],
    ] as const) {
      put(name, content);
      await assert.rejects(read(name), refused(message), name);
    }
    await assert.rejects(read('nothing.kml'), refused(/nothing\.kml cannot be read/));
  });

  test(
    'files made by GDAL that are then damaged give an error or areas, and nothing else',
    { skip: withoutGdal },
    async () => {
      for (const [form, name] of [
        ['GPKG', 'x.gpkg'],
        ['FlatGeobuf', 'x.fgb'],
        ['ESRI Shapefile', 'x.shp'],
      ] as const) {
        await gdal('ogr2ogr', ['-f', form, join(folder, name), join(folder, 'areas.geojson')]);
        const whole = readFileSync(join(folder, name));
        for (let i = 0; i < 40; i++) {
          const bytes = i < 8 ? whole.subarray(0, (whole.length * (i + 0.5)) / 8) : Buffer.from(whole);
          if (i >= 8) for (let k = 0; k < 5; k++) bytes[(i * 7919 + k * 104_729) % bytes.length]! ^= 0xff;
          writeFileSync(join(folder, name), bytes);
          await read(name).catch((error: Error) => assert.equal(error.name, 'InvalidInput', error.stack));
        }
      }
    },
  );
});
