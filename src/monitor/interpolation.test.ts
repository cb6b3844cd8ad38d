import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInterpolated } from './interpolation.ts';

test('a value on the line through the two before it is no observation', () => {
  // Labelled Landsat 8 series of Rondonia (e-sensing/sits), filled by their maker: .6018, .5206, .4393.
  assert.equal(isInterpolated(0.6018, 0.5206, 0.4393, 1e-4), true);
  assert.equal(isInterpolated(0.683, 0.6018, 0.5106, 1e-4), false);
});

test('equal values and metrics of unknown step are observations, and so is what follows no two', () => {
  assert.equal(isInterpolated(0.5, 0.5, 0.5, 1e-4), false);
  assert.equal(isInterpolated(1, 2, 3, 0), false);
  assert.equal(isInterpolated(Number.NaN, 0.5, 0.4, 1e-4), false);
});
