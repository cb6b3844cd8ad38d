import assert from 'node:assert/strict';
import { test } from 'node:test';
import { innerPoint } from './inner-point.ts';

const box = (west: number, south: number, east: number, north: number): [number, number][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

test('the point is the middle of a box, outside its holes, and inside one part of several', () => {
  assert.deepEqual(innerPoint({ type: 'Polygon', coordinates: [box(10, 40, 12, 42)] }), { lat: 41, lng: 11 });
  const holed = { type: 'Polygon' as const, coordinates: [box(0, 0, 10, 2), box(2, 0.5, 9, 1.5)] };
  assert.deepEqual(innerPoint(holed), { lat: 1, lng: 1 });
  const parts = { type: 'MultiPolygon' as const, coordinates: [[box(0, 0, 1, 2)], [box(5, 0, 9, 2)]] };
  assert.deepEqual(innerPoint(parts), { lat: 1, lng: 7 });
});

test('corners on the middle parallel are counted once', () => {
  const diamond: [number, number][] = [
    [0, 1],
    [2, 0],
    [4, 1],
    [2, 2],
    [0, 1],
  ];
  assert.deepEqual(innerPoint({ type: 'Polygon', coordinates: [diamond] }), { lat: 1, lng: 2 });
});

test('an empty area has no point inside', () => {
  assert.equal(innerPoint({ type: 'MultiPolygon', coordinates: [] }), undefined);
});
