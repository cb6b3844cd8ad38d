import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AreaGeometry, boundsOf } from './bounds.ts';

const box = (west: number, south: number, east: number, north: number): AreaGeometry => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ],
});

test('one box contains every geometry', () => {
  assert.deepEqual(boundsOf([box(14, 46, 15, 47), box(13, 46.5, 13.5, 48)]), [13, 46, 15, 48]);
});

test('the box of an area on both sides of the antimeridian crosses it', () => {
  const { coordinates: west } = box(179, -18, 180, -16);
  const { coordinates: east } = box(-180, -18, -178, -16);
  assert.deepEqual(boundsOf([{ type: 'MultiPolygon', coordinates: [west, east] }]), [179, -18, 182, -16]);
});

test('without geometries there is no box', () => {
  assert.equal(boundsOf([]), undefined);
  assert.equal(boundsOf([{ type: 'Polygon', coordinates: [] }]), undefined);
});
