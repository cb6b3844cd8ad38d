import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModifiedResidualFit } from './modified-residual-fit.ts';
import { STRIDE } from './season-design.ts';

/** Rows with 1, x, 2x in the first three columns: the second and third are collinear. */
function rowsOf(x: readonly number[]): Float64Array {
  const rows = new Float64Array(x.length * STRIDE);
  for (const [i, value] of x.entries()) rows.set([1, value, 2 * value], i * STRIDE);
  return rows;
}

function near(actual: number, expected: number, tolerance = 1e-12): void {
  assert.ok(Math.abs(actual - expected) < tolerance, `${actual} is not ${expected}`);
}

test('a line fitted by hand: y = 1, 2, 4 at 0, 1, 2 gives 5/6 + 3/2 x', () => {
  const fit = new ModifiedResidualFit();
  const rows = rowsOf([0, 1, 2, 3]);
  const values = Float64Array.of(1, 2, 4);
  assert.ok(fit.begin(rows, 0, 3, 0, 2));
  const residuals = new Float64Array(3);
  fit.residuals(values, residuals);
  fit.step(residuals);
  fit.residuals(values, residuals);
  near(fit.value(rows, 0), 5 / 6);
  near(fit.value(rows, 3), 5 / 6 + 4.5);
  near(residuals[1]!, -1 / 3);
  near(fit.leverage(rows, 3), 1 / 3 + 4 / 2); // 1/n + (x - mean)^2 / sum of squares
  fit.inflate([2, 2]);
  near(fit.leverage(rows, 3), 14 / 3);
});

test('steps with one residual set to 0 converge to the line through the others', () => {
  const fit = new ModifiedResidualFit();
  const rows = rowsOf([0, 1, 2, 3, 4, 5, 6, 7]);
  const values = Float64Array.of(1, 3, 5, 100, 9, 11, 13, 15); // 1 + 2x, except for the fourth value
  const residuals = new Float64Array(8);
  assert.ok(fit.begin(rows, 0, 8, 0, 2));
  for (let step = 0; step < 40; step++) {
    fit.residuals(values, residuals);
    residuals[3] = 0;
    fit.step(residuals);
  }
  near(fit.value(rows, 3), 7, 1e-9);
});

test('collinear columns are refused', () => {
  const fit = new ModifiedResidualFit();
  assert.equal(fit.begin(rowsOf([0, 1, 2]), 0, 3, 0, 3), false);
});
