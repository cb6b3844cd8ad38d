import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outlineOf, viewBounds, viewOutline } from './drawing.ts';

test('two corners make no polygon', () => {
  assert.equal(
    outlineOf([
      [0, 0],
      [1, 0],
    ]),
    undefined,
  );
});

test('a ring drawn in either direction is closed and runs counter-clockwise', () => {
  const expected = [
    [
      [0, 0],
      [1, 0],
      [0, 1],
      [0, 0],
    ],
  ];
  assert.deepEqual(
    outlineOf([
      [0, 0],
      [1, 0],
      [0, 1],
    ])?.coordinates,
    expected,
  );
  assert.deepEqual(
    outlineOf([
      [0, 1],
      [1, 0],
      [0, 0],
    ])?.coordinates,
    expected,
  );
});

test('corners beyond the antimeridian are wrapped to the other side', () => {
  assert.deepEqual(viewOutline(179.5, -17, 181, -16).coordinates, [
    [
      [179.5, -17],
      [-179, -17],
      [-179, -16],
      [179.5, -16],
      [179.5, -17],
    ],
  ]);
});

test('the outline of a view wider than the world is the world', () => {
  assert.deepEqual(viewOutline(-300, -80, 200, 80).coordinates, [
    [
      [-180, -80],
      [180, -80],
      [180, 80],
      [-180, 80],
      [-180, -80],
    ],
  ]);
});

test('a view becomes a box for the API, also across the antimeridian and wider than the world', () => {
  assert.deepEqual(viewBounds(14, 45, 15, 46), [14, 45, 15, 46]);
  assert.deepEqual(viewBounds(179.5, -17, 181, -16), [179.5, -17, -179, -16]);
  assert.deepEqual(viewBounds(-181, -17, -179, -16), [179, -17, -179, -16]);
  assert.deepEqual(viewBounds(-300, -85, 200, 85), [-180, -85, 180, 85]);
});
