import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WeightedFit } from './weighted-fit.ts';

// 1, x, 2x: the last two are collinear.
const DESIGN = Float64Array.of(1, 0, 0, 1, 1, 2, 1, 2, 4, 1, 3, 6);
const ROWS = Int32Array.of(0, 1, 2);

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);
}

test('a line by hand: y = 1, 2, 4 at 0, 1, 2 gives 5/6 + 3/2 x', () => {
  const fit = new WeightedFit(DESIGN, 3);
  const residuals = new Float64Array(3);
  fit.columns = [0, 1];
  assert.ok(fit.solve(ROWS, Float64Array.of(1, 2, 4, 0), Float64Array.of(1, 1, 1), residuals));
  near(fit.value(0), 5 / 6);
  near(fit.value(3), 5 / 6 + 4.5);
  near(residuals[1]!, -1 / 3);
  near(fit.leverage(3), 1 / 3 + 4 / 2); // 1/n + (x - mean)^2 / sum of squares
  fit.inflation = [2, 2];
  near(fit.leverage(3), 14 / 3);
});

test('a row of weight 0 does not count but has a residual', () => {
  const fit = new WeightedFit(DESIGN, 3);
  const residuals = new Float64Array(3);
  fit.columns = [0, 1];
  assert.ok(fit.solve(ROWS, Float64Array.of(1, 100, 5, 0), Float64Array.of(1, 0, 1), residuals));
  near(fit.value(3), 7);
  near(residuals[1]!, 97);
});

test('collinear columns are refused', () => {
  const fit = new WeightedFit(DESIGN, 3);
  fit.columns = [0, 1, 2];
  assert.equal(fit.solve(ROWS, new Float64Array(4), Float64Array.of(1, 1, 1), new Float64Array(3)), false);
});
