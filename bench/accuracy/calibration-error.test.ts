import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationError } from './calibration-error.ts';

test('frequencies as stated have no error, whatever the bins', () => {
  const stated = [0.25, 0.25, 0.25, 0.25, 1, 0];
  assert.equal(calibrationError(stated, [true, false, false, false, true, false]), 0);
});

test('each bin counts by its cases: 4 of .9 of which 1 came true, 1 of .2 that did not', () => {
  // (4 * |.9 - .25| + 1 * |.2 - 0|) / 5
  const error = calibrationError([0.9, 0.9, 0.9, 0.9, 0.2], [true, false, false, false, false]);
  assert.ok(Math.abs(error - 0.56) < 1e-12, `${error}`);
});

test('a weight counts a case several times', () => {
  const error = calibrationError([0.9, 0.9, 0.2], [true, false, false], [1, 3, 1]);
  assert.ok(Math.abs(error - 0.56) < 1e-12, `${error}`);
});
