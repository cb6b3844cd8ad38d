import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { ewma, ewmaLimit } from './ewma.ts';
import { harmonicFit } from './harmonic-fit.ts';
import { stableHistoryStart } from './stable-history.ts';

const YEARS = Array.from({ length: 60 }, (_, t) => 2015 + t / 20);

/** Curve with intercept .6, slope .02 per year, and harmonics with periods of a year and half a year. */
const curve = (year: number): number =>
  0.6 +
  0.02 * (year - 2015) +
  0.15 * Math.cos(2 * Math.PI * year) -
  0.08 * Math.sin(2 * Math.PI * year) +
  0.04 * Math.cos(4 * Math.PI * year);

test('a harmonic fit returns the coefficients of a curve without noise, and continues it', () => {
  const values = YEARS.map((year, t) => (t % 7 === 0 ? Number.NaN : curve(year)));
  const fit = harmonicFit(YEARS, values, { harmonics: 2, withTrend: true })!;
  for (const [c, expected] of [0.6, 0.02, 0.15, -0.08, 0.04, 0].entries())
    assert.ok(Math.abs(fit.coefficients[c]! - expected) < 1e-12, `coefficient ${c}`);
  assert.equal(fit.observations, values.filter((value) => !Number.isNaN(value)).length);
  assert.ok(fit.sigma < 1e-12);
  assert.ok(Math.abs(fit.expected(2019.3) - curve(2019.3)) < 1e-12);
});

test('sigma of a harmonic fit counts the degrees of freedom', () => {
  const next = uniform(5);
  let [sum, runs] = [0, 400];
  for (let run = 0; run < runs; run++) {
    const values = YEARS.slice(0, 12).map((year) => curve(year) + Math.sqrt(12) * (next() - 0.5)); // variance 1
    sum += harmonicFit(YEARS.slice(0, 12), values, { harmonics: 1, withTrend: true })!.sigma ** 2;
  }
  assert.ok(Math.abs(sum / runs - 1) < 0.06, `mean variance ${sum / runs}`);
});

test('a harmonic fit is null with no more observations than coefficients', () => {
  const terms = { harmonics: 1, withTrend: false };
  assert.equal(harmonicFit(YEARS.slice(0, 3), [1, 2, 3], terms), null);
  assert.notEqual(harmonicFit(YEARS.slice(0, 4), [1, 2, 3, 2], terms), null);
  assert.equal(harmonicFit([2015, 2016, 2017, 2018, 2019], [1, 2, 3, 4, 5], terms), null, 'one season only');
});

test('the EWMA of a constant rises to it, and the limit is three standard deviations of the EWMA of noise', () => {
  assert.deepEqual([...ewma([1, 1, 1], 0.5)], [0.5, 0.75, 0.875]);
  const next = uniform(7);
  const averages = ewma(
    Array.from({ length: 100_000 }, () => Math.sqrt(12) * (next() - 0.5)),
    0.3,
  );
  const variance = averages.reduce((sum, average) => sum + average * average, 0) / averages.length;
  assert.ok(Math.abs(ewmaLimit(0.3, 3) / Math.sqrt(variance) - 3) < 0.05);
});

test('series that cannot be right are refused', () => {
  const years = [2020, 2020.2, 2020.4, 2020.6, 2020.8, 2021];
  assert.throws(() => harmonicFit(years, [1, 2], { harmonics: 1, withTrend: false }), RangeError);
  assert.throws(
    () => harmonicFit(years, [1, 2, Infinity, 1, 2, 1], { harmonics: 1, withTrend: false }),
    RangeError,
  );
  const rows = years.map(() => [1]);
  assert.throws(() => stableHistoryStart(rows, [1, 1, Number.NaN, 1, 1, 1]), RangeError);
});
