import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelOfRate, rateOfLevel, rateOfReturnPeriod } from '../../src/risk/exceedance-rate.ts';
import { reducedVariate } from '../../src/risk/hazard-curve.ts';
import { monthlyWind, riceExceedance, riceMean, windReturnLevels } from './wind-climate.ts';
import { inlandGustRatio, windstormGust } from '../../src/risk/storm/windstorm-gust.ts';

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, expected ${expected} within ${tolerance}`);
}

test('without a mean vector the Rice law is a Rayleigh law: mean s sqrt(pi/2), tail exp(-v2/2s2) (Rice 1945)', () => {
  near(riceMean(0, 3), 3 * Math.sqrt(Math.PI / 2), 2e-3);
  for (const v of [2, 6, 12]) near(riceExceedance(0, 3, v) / Math.exp((-v * v) / 18), 1, 1e-2);
});

test('with a long mean vector the Rice law is nearly normal: mean about R + s2/2R (Rice 1945)', () => {
  near(riceMean(20, 1), 20 + 1 / 40, 2e-3);
  near(riceExceedance(20, 1, 20 + 1 / 40), 0.5, 0.01);
});

test('the fitted deviation reproduces the mean speed', () => {
  for (const [speed, vector] of [
    [8, 0],
    [8, 4],
    [7, 6.5],
    [7, 9],
  ] as const) {
    const month = monthlyWind(speed, vector);
    assert.ok(month.vectorMps < speed);
    near(riceMean(month.vectorMps, month.deviationMps), speed, 1e-6);
  }
});

test('return levels of a Rayleigh wind equal the closed form', () => {
  const s = 6;
  const levels = windReturnLevels([{ vectorMps: 0, deviationMps: s }], [2, 10, 50, 250]);
  for (const [i, T] of [2, 10, 50, 250].entries()) {
    // Probability of exceedance of each of the 1,464 winds in a year.
    const p = -Math.expm1(Math.log(1 - 1 / T) / (12 * 122));
    near(levels[i]!, s * Math.sqrt(-2 * Math.log(p)), 0.02);
  }
  assert.throws(() => windReturnLevels([], [10]), RangeError);
  assert.throws(() => windReturnLevels([{ vectorMps: 0, deviationMps: 1 }], [1]), RangeError);
});

test('steady trade winds have a shorter tail than westerlies of the same mean', () => {
  const [trades] = windReturnLevels([monthlyWind(8, 7.5)], [50]);
  const [westerlies] = windReturnLevels([monthlyWind(8, 2)], [50]);
  assert.ok(trades! < 0.7 * westerlies!, `${trades} and ${westerlies}`);
});

test('inland gusts follow the probability factor of EN 1991-1-4 about the fifty-year gust', () => {
  near(inlandGustRatio(reducedVariate(50)), 1, 1e-12);
  near(inlandGustRatio(reducedVariate(10)), 0.902, 1e-3); // c_prob(p = 0.1), K = 0.2, n = 0.5
  near(windstormGust(38, 20, 0), 38, 0); // a calmer sea does not reduce the gust
  near(windstormGust(38, 40, 0), 49.2, 1e-9);
  const left = Math.exp(-79 / 40); // the excess ends where the mapped distances end
  near(windstormGust(38, 40, 40), 38 + (11.2 * (1 / Math.E - left)) / (1 - left), 1e-9);
  assert.equal(windstormGust(38, 40, 79), 38);
  assert.equal(windstormGust(38, Number.NaN, 10), 38);
});

test('rates and levels are inverse functions within the range and are never extrapolated', () => {
  const levels = [0, 20, 30, 45];
  const rates = [2, 10, 50, 100].map(rateOfReturnPeriod);
  near(rateOfReturnPeriod(100), 0.01005034, 1e-8);
  for (const level of [20, 24, 30, 41, 45])
    near(levelOfRate(levels.slice(1), rates.slice(1), rateOfLevel(levels, rates, level)), level, 1e-9);
  assert.equal(rateOfLevel(levels, rates, 46), 0);
  assert.equal(rateOfLevel(levels, rates, 5), rates[1], 'below the lowest that occurs');
  assert.equal(rateOfLevel([0, 0], [1, 0.1], 10), 0, 'no storms at all');
  assert.equal(levelOfRate([17, 20], [0.01, 0.001], 0.1), 0, 'even the lowest is rarer');
  assert.equal(levelOfRate([17, 20], [0.5, 0.4], 0.1), 20, 'held at the last');
  assert.equal(levelOfRate([17, 20, 25], [0.5, 0.4, 0], 0.1), 20, 'rates end');
});
