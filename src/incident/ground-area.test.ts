import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geodesicAreaM2 } from '../geo/area.ts';
import { bboxOf } from '../geo/bbox.ts';
import type { AreaGeometry } from '../geo/polygon.ts';
import { groundAreaM2, sharedGrounds } from './ground-area.ts';

/** A square with its south-west corner at a place, with sides of some thousandths of a degree. */
function square(lng: number, lat: number, side: number, hole?: number): AreaGeometry {
  const ring = (size: number, at = 0): [number, number][] => {
    const [w, s, e, n] = [lng + at, lat + at, lng + at + size, lat + at + size];
    return [
      [w, s],
      [e, s],
      [e, n],
      [w, n],
      [w, s],
    ];
  };
  return {
    type: 'Polygon',
    coordinates: hole === undefined ? [ring(side)] : [ring(side), ring(hole, (side - hole) / 2).toReversed()],
  };
}

/** Area of the ground of some geometries in units of one of them. */
function inUnits(unit: AreaGeometry, ...geometries: AreaGeometry[]): number {
  const grounds = geometries.map((one) => ({ bounds: bboxOf(one), areaM2: geodesicAreaM2(one) }));
  return groundAreaM2(grounds, new Map(geometries.entries())) / geodesicAreaM2(unit);
}

const UNIT = square(14, 46, 0.004);

test('ground that several changes show counts once', () => {
  assert.equal(inUnits(UNIT, UNIT), 1);
  assert.ok(
    Math.abs(inUnits(UNIT, UNIT, UNIT, UNIT, UNIT) - 1) < 1e-9,
    'four collections that show the same',
  );
  assert.ok(Math.abs(inUnits(UNIT, UNIT, square(14.002, 46, 0.004)) - 1.5) < 0.002, 'half of each');
  assert.ok(Math.abs(inUnits(UNIT, UNIT, square(14.001, 46.001, 0.002)) - 1) < 0.002, 'one within the other');
});

test('ground of changes that lie apart is summed, also within the hole of another', () => {
  assert.ok(Math.abs(inUnits(UNIT, UNIT, square(14.1, 46, 0.004)) - 2) < 1e-4);
  const ring = square(14, 46, 0.004, 0.002);
  assert.ok(Math.abs(inUnits(UNIT, ring, square(14.001, 46.001, 0.002)) - 1) < 0.002);
  const boxes = [UNIT, square(14.1, 46, 0.004), square(14.002, 46.002, 0.004)];
  assert.deepEqual(
    sharedGrounds(boxes.map((one) => ({ bounds: bboxOf(one) }))).map((group) =>
      group.toSorted((a, b) => a - b),
    ),
    [[0, 2]],
  );
});

test('a change whose outline is gone counts by its own area', () => {
  const grounds = [1, 2].map(() => ({ bounds: bboxOf(UNIT), areaM2: 100 }));
  assert.equal(groundAreaM2(grounds, new Map()), 200);
});
