import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logistic, logisticFit } from './logistic.ts';

test('one binary column: the coefficients are the log-odds of the two groups', () => {
  const rows = [[0], [0], [0], [0], [1], [1], [1], [1], [1]];
  const [intercept, slope] = logisticFit(rows, [0, 0, 0, 1, 1, 1, 1, 1, 0]) as [number, number];
  assert.ok(Math.abs(intercept - Math.log(1 / 3)) < 1e-9);
  assert.ok(Math.abs(intercept + slope - Math.log(4)) < 1e-9);
  assert.ok(Math.abs(logistic([intercept, slope], [1]) - 0.8) < 1e-9);
});

test('two columns: the fit reproduces the number of outcomes and the sums of the columns', () => {
  const rows = Array.from({ length: 40 }, (_, i) => [i % 7, (i * i) % 11]);
  const outcomes = rows.map((_, i) => ((i * 13) % 5 < 2 ? 1 : 0));
  const beta = logisticFit(rows, outcomes);
  const errors = rows.map((row, i) => outcomes[i]! - logistic(beta, row));
  for (const column of [() => 1, (i: number) => rows[i]![0]!, (i: number) => rows[i]![1]!])
    assert.ok(Math.abs(errors.reduce((sum, error, i) => sum + error * column(i), 0)) < 1e-8);
});

test('an outcome that a column separates has no maximum', () => {
  assert.throws(() => logisticFit([[0], [0], [1], [1]], [0, 0, 1, 1]), RangeError);
});
