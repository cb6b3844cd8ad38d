import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graticule } from './graticule.ts';

test('a small view has a few lines at round degrees', () => {
  const { meridians, parallels } = graticule(14.43, 46.03, 14.53, 46.09);
  assert.deepEqual(
    meridians.map(({ label }) => label),
    ['14.44° E', '14.46° E', '14.48° E', '14.50° E', '14.52° E'],
  );
  assert.deepEqual(
    parallels.map(({ label }) => label),
    ['46.04° N', '46.06° N', '46.08° N'],
  );
});

test('a view across the antimeridian has labels of western longitudes beyond it', () => {
  assert.deepEqual(
    graticule(178.5, -1, 182.5, 1).meridians.map(({ at, label }) => [at, label]),
    [
      [179, '179° E'],
      [180, '180°'],
      [181, '179° W'],
      [182, '178° W'],
    ],
  );
});

test('the whole world has lines, but none at the poles', () => {
  const { meridians, parallels } = graticule(-180, -90, 180, 90);
  assert.equal(meridians.length, 13);
  assert.deepEqual(
    parallels.map(({ label }) => label),
    ['60° S', '30° S', '0°', '30° N', '60° N'],
  );
});
