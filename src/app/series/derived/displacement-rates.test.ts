import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, JULIAN_YEAR_MS } from '../../../base/time.ts';
import { normalDraws } from '../../../../test/fakes/simulated-metric-series.ts';
import { fitDisplacement } from '../../../risk/subsidence/displacement-series.ts';
import { displacementRates } from './displacement-rates.ts';
import type { TimeSeries } from '../time-series.ts';

function every(stepMs: number, count: number, value: (i: number) => number, startMs = 0): TimeSeries {
  return {
    timesMs: Float64Array.from({ length: count }, (_, i) => startMs + i * stepMs),
    values: Float64Array.from({ length: count }, (_, i) => value(i)),
  };
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

test('monthly rates of a steady movement with a season and outliers start after a year and a half', () => {
  const start = Date.UTC(2010, 0, 1);
  const years = (i: number): number => i / 365.25;
  const observed = every(
    DAY_MS,
    1461,
    (i) => -4 * years(i) + 5 * Math.sin(2 * Math.PI * years(i)) + (i % 50 === 7 ? 80 : 0),
    start,
  );
  const found = displacementRates(observed);
  assert.equal(day(found.timesMs[0]!), '2011-08-01', 'a year and a half');
  assert.equal(day(found.timesMs.at(-1)!), '2013-12-01');
  assert.ok(
    found.values.subarray(6).every((rate) => Math.abs(rate + 4) < 0.2),
    found.values.join(' '),
  );
  const cut = { timesMs: observed.timesMs.slice(0, 900), values: observed.values.slice(0, 900) };
  assert.deepEqual(
    [...displacementRates(cut).values],
    [...found.values.subarray(0, displacementRates(cut).values.length)],
    'later observations do not change earlier rates',
  );
});

test('each rate equals reweighted least squares over the same two years, with outliers and a bend', () => {
  const normal = normalDraws(7);
  const start = Date.UTC(2015, 0, 1);
  // At most one observation per week, so that the weekly medians are the observations.
  const observed = every(
    12 * DAY_MS,
    170,
    (i) => 0.004 * i ** 1.6 + 3 * Math.sin(i / 5) + normal() + (i % 23 === 5 ? 60 : 0),
    start,
  );
  const { timesMs, values } = displacementRates(observed);
  assert.ok(timesMs.length > 40);
  for (const [m, atMs] of timesMs.entries()) {
    const inside = [...observed.timesMs.keys()].filter(
      (i) => observed.timesMs[i]! < atMs && observed.timesMs[i]! >= atMs - 2 * JULIAN_YEAR_MS,
    );
    const { velocity } = fitDisplacement(
      {
        timesMs: inside.map((i) => observed.timesMs[i]!),
        displacementsMm: inside.map((i) => observed.values[i]!),
      },
      { acceleration: false, harmonics: 1, maxFoundSteps: 0 },
    );
    assert.ok(Math.abs(values[m]! - velocity.value) < 0.002, `${day(atMs)}: ${values[m]}, ${velocity.value}`);
  }
});

test('a jump anywhere in the two years does not affect the rate, but a movement over a quarter of a year does', () => {
  const normal = normalDraws(11);
  const start = Date.UTC(2010, 0, 1);
  const noise = Float64Array.from({ length: 1826 }, () => 4 * normal());
  const moving = (at: (years: number) => number): TimeSeries =>
    every(DAY_MS, 1826, (i) => -6 * (i / 365.25) + noise[i]! + at(i / 365.25), start);
  const still = displacementRates(moving(() => 0));
  const jumped = displacementRates(moving((years) => (years < 2.5 ? 0 : 60) - (years < 3.1 ? 0 : 25)));
  assert.deepEqual(jumped.timesMs, still.timesMs);
  // If the regression had no term for the first jump, the jump would add about 30 mm/yr to the rate.
  for (const [m, atMs] of still.timesMs.entries())
    assert.ok(Math.abs(jumped.values[m]! - still.values[m]!) < 5, `${day(atMs)}: ${jumped.values[m]}`);
  const sinking = displacementRates(moving((years) => -60 * Math.max(0, Math.min(1, (years - 2.5) / 0.25))));
  const during = sinking.values[sinking.timesMs.findIndex((ms) => day(ms) === '2013-06-01')]!;
  assert.ok(during < -30, `${during}`);
});
