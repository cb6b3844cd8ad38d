import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AreaGeometry, Ring } from './polygon.ts';
import { bboxesOverlap, bboxOf, fromGeoJsonBbox, splitBbox, toGeoJsonBbox, uniteBboxes } from './bbox.ts';

function box(west: number, south: number, east: number, north: number): Ring {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

function boxes(...rings: Ring[]): AreaGeometry {
  return { type: 'MultiPolygon', coordinates: rings.map((ring) => [ring]) };
}

test('the box of an area takes the shortest arc of longitude', () => {
  assert.deepEqual(bboxOf({ type: 'Polygon', coordinates: [box(5, 45, 6, 47)] }), [5, 45, 6, 47]);
  assert.deepEqual(bboxOf(boxes(box(177, -19, 180, -16), box(-180, -18, -178, -15))), [177, -19, 182, -15]);
  assert.deepEqual(bboxOf(boxes(box(-180, 0, -170, 1), box(170, 0, 180, 1))), [170, 0, 190, 1]);
  assert.deepEqual(bboxOf(boxes(box(-60, 0, -50, 1), box(60, 0, 70, 1))), [-60, 0, 70, 1]);
  assert.deepEqual(bboxOf(boxes(box(-180, -90, 180, -60))), [-180, -90, 180, -60]);
  assert.deepEqual(bboxOf(boxes(box(0, 0, 180, 1), box(-180, 0, 0, 1))), [-180, 0, 180, 1]);
});

test('boxes split at the antimeridian and back', () => {
  assert.deepEqual(splitBbox([10, 0, 20, 5]), [[10, 0, 20, 5]]);
  assert.deepEqual(splitBbox([177, -19, 182, -15]), [
    [177, -19, 180, -15],
    [-180, -19, -178, -15],
  ]);
});

test('RFC 7946 form: the example of section 5.2 and back', () => {
  assert.deepEqual(fromGeoJsonBbox([177, -20, -178, -16]), [177, -20, 182, -16]);
  assert.deepEqual(toGeoJsonBbox([177, -20, 182, -16]), [177, -20, -178, -16]);
  assert.deepEqual(fromGeoJsonBbox([-180, -90, 180, 90]), [-180, -90, 180, 90]);
  assert.deepEqual(fromGeoJsonBbox([180, 0, -170, 1]), [-180, 0, -170, 1]);
});

test('an invalid box is refused', () => {
  const bad = [
    [0, 0, 1],
    [0, 5, 1, 4],
    [0, -91, 1, 0],
    [-181, 0, 1, 1],
    [0, Number.NaN, 1, 1],
    [0, 0, Infinity, 1],
  ];
  for (const values of bad) assert.throws(() => fromGeoJsonBbox(values), RangeError, values.join());
});

test('boxes overlap across the antimeridian, at shared edges and at a shared pole', () => {
  assert.ok(bboxesOverlap([170, 0, 190, 1], [-175, 0, -174, 1]));
  assert.ok(bboxesOverlap([-175, 0, -174, 1], [170, 0, 190, 1]));
  assert.ok(bboxesOverlap([170, 0, 180, 1], [-180, 0, -170, 1]));
  assert.ok(bboxesOverlap([0, 0, 1, 1], [1, 1, 2, 2]));
  assert.ok(bboxesOverlap([0, 80, 1, 90], [100, 80, 101, 90]));
  assert.ok(!bboxesOverlap([0, 80, 1, 89], [100, 80, 101, 89]));
  assert.ok(!bboxesOverlap([170, 0, 190, 1], [-165, 0, 165, 1]));
});

test('the union of two boxes spans the shorter arc of longitude', () => {
  assert.deepEqual(uniteBboxes([170, 0, 175, 1], [-175, 2, -170, 3]), [170, 0, 190, 3]);
  assert.deepEqual(uniteBboxes([-10, 0, 5, 1], [3, -2, 30, 3]), [-10, -2, 30, 3]);
  assert.deepEqual(uniteBboxes([-180, 0, 0, 1], [0, 0, 180, 1]), [-180, 0, 180, 1]);
});
