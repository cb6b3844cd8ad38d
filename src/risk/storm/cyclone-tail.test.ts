import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateOfReturnPeriod } from '../exceedance-rate.ts';
import { tailedLevels } from './cyclone-tail.ts';
import { decayedWind } from './inland-decay.ts';

const LEVELS = Array.from({ length: 41 }, (_, i) => 17 + 2.5 * i);
const YEARS = [2, 5, 10, 25, 50, 100, 250];
const WANTED = YEARS.map(rateOfReturnPeriod);

/** Rates of a generalised Pareto distribution of the excesses over 17 m/s (Hosking & Wallis 1987). */
function paretoRates(rate: number, scale: number, shape: number): number[] {
  return LEVELS.map((level) => {
    const x = (level - 17) / scale;
    return rate * (shape === 0 ? Math.exp(-x) : Math.max(0, 1 - shape * x) ** (1 / shape));
  });
}

test('the levels of a generalised Pareto distribution are found again, also where its region has another scale', () => {
  for (const [rate, scale, shape] of [
    [0.6, 10, 0],
    [0.6, 14, 0.2],
    [2, 14, 0.2],
    [0.02, 12, 0.1],
  ] as const) {
    const regional = paretoRates(3 * rate, 0.8 * scale, shape);
    const found = tailedLevels(LEVELS, paretoRates(rate, scale, shape), regional, WANTED);
    for (const [i, wanted] of WANTED.entries()) {
      if (wanted > rate) {
        assert.equal(found[i], 0, 'gales are rarer than that');
        continue;
      }
      const ratio = wanted / rate;
      const truth = 17 + (shape === 0 ? -scale * Math.log(ratio) : (scale / shape) * (1 - ratio ** shape));
      assert.ok(Math.abs(found[i]! - truth) < 0.5, `${YEARS[i]} years: ${found[i]}, expected ${truth}`);
    }
  }
});

test('levels rise with the return period, also of a record with a single strong storm', () => {
  const rates = LEVELS.map((level) => (level < 30 ? 0.2 : level < 62 ? 0.02 : 0));
  const found = tailedLevels(LEVELS, rates, rates, WANTED);
  for (let i = 1; i < found.length; i++) assert.ok(found[i]! >= found[i - 1]!, found.join(' '));
  assert.ok(found.at(-1)! > 55 && found.at(-1)! < 80, `${found.at(-1)}`);
});

test('a storm over land decays towards 26.7 kn: half of the excess after 7.3 hours (Kaplan & DeMaria 1995)', () => {
  assert.equal(decayedWind(50, 0), 50);
  assert.ok(Math.abs(decayedWind(50, Math.LN2 / 0.095) - (13.7 + 36.3 / 2)) < 1e-9);
  assert.equal(decayedWind(12, 10), 12);
  assert.ok(decayedWind(50, 1000) >= 13.7);
});
