import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOutline } from './geojson-outline.ts';

const ring = [
  [14.46, 46.04],
  [14.52, 46.04],
  [14.52, 46.08],
  [14.46, 46.04],
];
const other = [
  [15, 46],
  [15.1, 46],
  [15.1, 46.1],
  [15, 46],
];
const read = (value: unknown) => readOutline(JSON.stringify(value));

test('a polygon becomes the outline unchanged', () => {
  const polygon = { type: 'Polygon', coordinates: [ring] };
  assert.deepEqual(read(polygon), { outline: polygon, name: undefined, polygons: 1 });
});

test('the polygons of several features become one, with the first name', () => {
  assert.deepEqual(
    read({
      type: 'FeatureCollection',
      features: [
        { type: 'Feature', properties: null, geometry: { type: 'Polygon', coordinates: [ring] } },
        {
          type: 'Feature',
          properties: { name: 'West' },
          geometry: { type: 'MultiPolygon', coordinates: [[other]] },
        },
      ],
    }),
    { outline: { type: 'MultiPolygon', coordinates: [[ring], [other]] }, name: 'West', polygons: 2 },
  );
});

test('a text without a polygon gives a problem', () => {
  const problem = (text: string): string => {
    const reading = readOutline(text);
    assert.ok('problem' in reading, text);
    return reading.problem;
  };
  assert.match(problem('{'), /^This is not JSON: /);
  assert.equal(problem('3'), 'This is not a GeoJSON object.');
  assert.equal(
    problem('{"type":"Point","coordinates":[1,2]}'),
    'An area is a Polygon or MultiPolygon, not a Point.',
  );
  assert.equal(problem('{"type":"FeatureCollection","features":[]}'), 'There is no polygon in it.');
  assert.equal(problem('{"type":"Polygon"}'), 'A Polygon needs coordinates.');
  assert.equal(problem('{"type":"Feature","geometry":null}'), 'This is not a GeoJSON object.');
});

test('positions that no map can show are a problem that names the first', () => {
  const projected = [
    [14.46, 46.04],
    [800_100, 9_949_900],
    [0, 0],
    [14.46, 46.04],
  ];
  const swapped = [
    [-0.45, 135.7],
    [-0.46, 135.7],
    [-0.46, 135.71],
    [-0.45, 135.7],
  ];
  for (const [bad, named] of [
    [projected, '[800100, 9949900]'],
    [swapped, '[-0.45, 135.7]'],
  ] as const) {
    const reading = read({ type: 'Polygon', coordinates: [bad] });
    assert.ok('problem' in reading && reading.problem.startsWith(`${named} is not a longitude`));
  }
});

test('files of other formats are named, with the command that reads them', () => {
  for (const [text, name] of [
    ['<?xml version="1.0"?><kml/>', 'KML'],
    ['PK\u0003\u0004...', 'shapefile'],
    ['SQLite format 3\u0000', 'GeoPackage'],
  ] as const) {
    const reading = readOutline(text);
    assert.ok('problem' in reading && reading.problem.includes(name) && /aois import/.test(reading.problem));
  }
});
