import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gevQuantile, gevReturnLevel } from '../../numerics/gev.ts';
import { gaugeClimate, RIVER_SHAPE, SEA_SHAPE } from './gauge-climate.ts';

const RECORDS = join(import.meta.dirname, '../../../../shared/data/extreme-value-records');
const skip = existsSync(RECORDS) ? false : `${RECORDS} is absent`;

const recordOf = (file: string): { year: number; value: number }[] =>
  readFileSync(join(RECORDS, file), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line, i) => ({ year: 1895 + i, value: Number(line.split(',')[1]) }));

test('Port Pirie: levels of 10 and 100 years agree with Coles (2001, section 3.4.1)', { skip }, () => {
  const { levels, trend } = gaugeClimate(recordOf('portpirie_sea_level_m.csv'), SEA_SHAPE, false, 2026);
  const of = (T: number) => levels.find(({ returnPeriodYears }) => returnPeriodYears === T)!;
  assert.equal(trend, null);
  assert.ok(Math.abs(of(10).level - 4.3) < 0.03, String(of(10).level));
  assert.ok(Math.abs(of(100).level - 4.69) < 0.08, String(of(100).level));
  // Profile likelihood: 4.50 to 5.27 at 95 %; ours are 90 %.
  assert.ok(of(100).low > 4.45 && of(100).high < 5.27 && of(100).high > 4.9);
});

test('Potomac: levels of flows agree with the fit of the R package evd', { skip }, () => {
  const { levels, trend } = gaugeClimate(recordOf('potomac_peak_flow_cfs.csv'), RIVER_SHAPE, true, 2026);
  const of = (T: number) => levels.find(({ returnPeriodYears }) => returnPeriodYears === T)!;
  assert.equal(trend, null);
  assert.ok(Math.abs(of(10).level / 206_997 - 1) < 0.03, String(of(10).level));
  assert.ok(Math.abs(of(100).level / 400_619 - 1) < 0.1, String(of(100).level));
  assert.ok(of(100).low < 400_619 && of(100).high > 400_619);
});

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

test('a planted trend is removed, and the levels are those of today; a trend is continued for ten years at most', () => {
  const gev = { location: 2, scale: 0.2, shape: 0 };
  const draw = random(11);
  const maxima = Array.from({ length: 60 }, (_, i) => ({
    year: 1967 + i,
    value: gevQuantile(gev, draw()) + 0.02 * i,
  }));
  const { trend, levels, statedFor } = gaugeClimate(maxima, SEA_SHAPE, false, 2026);
  assert.ok(trend !== null && Math.abs(trend.slope - 0.02) < 0.005);
  assert.equal(statedFor, 2026);
  const truth = gevReturnLevel(gev, 100) + 0.02 * 59;
  const level = levels.find(({ returnPeriodYears }) => returnPeriodYears === 100)!;
  assert.ok(level.low < truth && truth < level.high, `${level.low} < ${truth} < ${level.high}`);
  const old = maxima.map(({ year, value }) => ({ year: year - 40, value }));
  assert.equal(gaugeClimate(old, SEA_SHAPE, false, 2026).statedFor, 1996);
});

test('nominal 90 % intervals contain the true level of today, with and without a trend', () => {
  const draw = random(5);
  for (const [slope, isFlow] of [
    [0, false],
    [0.02, false],
    [0.015, true],
  ] as const) {
    let hits = 0;
    const trials = 120;
    for (let trial = 0; trial < trials; trial++) {
      const gev = isFlow ? { location: 100, scale: 30, shape: -0.1 } : { location: 2, scale: 0.2, shape: 0 };
      const maxima = Array.from({ length: 50 }, (_, i) => {
        const value = gevQuantile(gev, draw());
        return { year: 1977 + i, value: isFlow ? value * Math.exp(slope * i) : value + slope * i };
      }).filter(({ value }) => value > 0);
      const truth = gevReturnLevel(gev, 100);
      const today = isFlow ? truth * Math.exp(slope * 49) : truth + slope * 49;
      const { levels } = gaugeClimate(maxima, isFlow ? RIVER_SHAPE : SEA_SHAPE, isFlow, 2026);
      const { low, high } = levels.find(({ returnPeriodYears }) => returnPeriodYears === 100)!;
      if (low < today && today < high) hits++;
    }
    assert.ok(hits / trials > 0.83 && hits / trials < 0.99, `slope ${slope}: ${hits} of ${trials}`);
  }
});
