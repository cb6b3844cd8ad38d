import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bboxOf } from '../../geo/bbox.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { stationsForArea } from './area-stations.ts';

function areaOf(west: number, south: number, east: number, north: number) {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ] as [number, number][];
  const geometry: AreaGeometry = { type: 'Polygon', coordinates: [ring] };
  return { geometry, bounds: bboxOf(geometry) };
}

const station = (key: string, lng: number, lat: number) => ({ id: key, key, lng, lat });
const keys = (...given: Parameters<typeof stationsForArea>) =>
  stationsForArea(...given).map(({ key }) => key);

test('only stations inside the area are used; without any inside, the nearest within reach', () => {
  const area = areaOf(10, 46, 10.1, 46.1);
  const [inside, near, far] = [
    station('a', 10.05, 46.05),
    station('b', 10.12, 46.05),
    station('c', 10.3, 46.05),
  ];
  assert.deepEqual(keys(area, [far, inside, near], 50_000), ['a']);
  assert.deepEqual(keys(area, [far, near], 50_000), ['b']);
  // The nearer station is 0.02 degrees of longitude away: 1,545 m at 46 N.
  assert.deepEqual(keys(area, [far, near], 1550), ['b']);
  assert.deepEqual(keys(area, [far, near], 1540), []);
  assert.deepEqual(keys(area, [], 50_000), []);
});

test('the nearest station is measured to the outline, not to the bounding box', () => {
  // An L-shaped area: the corner of its bounding box is empty.
  const geometry: AreaGeometry = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [1, 0],
        [1, 0.1],
        [0.1, 0.1],
        [0.1, 1],
        [0, 1],
        [0, 0],
      ],
    ],
  };
  const area = { geometry, bounds: bboxOf(geometry) };
  assert.deepEqual(keys(area, [station('corner', 0.9, 0.9), station('east', 1.2, 0.05)], 200_000), ['east']);
});

test('distances work across the antimeridian', () => {
  const geometry: AreaGeometry = {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [179.9, 0],
          [180, 0],
          [180, 0.1],
          [179.9, 0.1],
          [179.9, 0],
        ],
      ],
      [
        [
          [-180, 0],
          [-179.9, 0],
          [-179.9, 0.1],
          [-180, 0.1],
          [-180, 0],
        ],
      ],
    ],
  };
  const area = { geometry, bounds: bboxOf(geometry) };
  assert.deepEqual(keys(area, [station('west', 179.8, 0.05), station('east', -179.87, 0.05)], 20_000), [
    'east',
  ]);
  assert.deepEqual(keys(area, [station('west', 179.8, 0.05), station('in', -179.95, 0.05)], 20_000), ['in']);
});

test('of many stations at most 500 are selected, the same ones every time', () => {
  const area = areaOf(10, 46, 11, 47);
  const many = Array.from({ length: 1700 }, (_, i) => station(String(i), 10 + i / 2000, 46.5));
  const chosen = keys(area, many, 1000);
  assert.ok(chosen.length > 400 && chosen.length <= 500, `${chosen.length}`);
  assert.deepEqual(keys(area, many, 1000), chosen);
});
