import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicTrend } from './monotonic-trend.ts';

const near = (a: number, b: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs(a - b) < tolerance, `${a}, ${b}`);

test('score, variance and slope by hand: five rising values, ten values with ties', () => {
  // S = 10, var = 5 * 4 * 15 / 18, Z = 9 / 4.0825 = 2.2045, p = 0.0275.
  const rising = monotonicTrend([1, 2, 3, 4, 5], [1, 2, 4, 5, 6]);
  near(rising.pValue, 0.02749, 1e-4);
  // All pairs of a straight line have one slope.
  const line = monotonicTrend([1, 2, 4, 8], [3, 1, -3, -11]);
  near(line.slope, -2);
  near(line.slopeError, 0);
  // Ties: 1,1,2,2 has S = 4, var = (4*3*13 - 2*(2*1*9)) / 18 = 6.667, Z = 3 / 2.582 = 1.1619, p = 0.2453.
  near(monotonicTrend([1, 2, 3, 4], [1, 1, 2, 2]).pValue, 0.24528, 1e-4);
});

test('noise is called a trend in about five of a hundred series, and a trend is found within its error', () => {
  let state = 7;
  const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  const years = Array.from({ length: 40 }, (_, i) => 1980 + i);
  let [called, covered] = [0, 0];
  for (let trial = 0; trial < 1000; trial++) {
    const noise = years.map(() => -Math.log(-Math.log(random())));
    if (monotonicTrend(years, noise).pValue < 0.05) called++;
    const { slope, slopeError } = monotonicTrend(
      years,
      noise.map((value, i) => value + 0.1 * i),
    );
    if (Math.abs(slope - 0.1) < 1.645 * slopeError) covered++;
  }
  assert.ok(called >= 30 && called <= 70, `${called} of 1000`);
  assert.ok(covered >= 870 && covered <= 930, `${covered} of 1000`);
});

test('too few values and equal times are refused', () => {
  assert.throws(() => monotonicTrend([1, 2, 3], [1, 2, 3]), RangeError);
  assert.throws(() => monotonicTrend([1, 2, 2, 3], [1, 2, 3, 4]), RangeError);
});
