import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gevQuantile, gevReturnLevel, type Gev } from '../../numerics/gev.ts';
import {
  GUST_SHAPE,
  type RegionalShape,
  regionalMoments,
  regionalShape,
  regionalSpread,
  returnLevelFitter,
} from './gust-climate.ts';
import { sampleLMoments } from '../../numerics/l-moments.ts';
import { normalQuantile } from '../../numerics/normal.ts';

const RECORDS = join(import.meta.dirname, '../../../../shared/data/extreme-value-records');
const absent = existsSync(RECORDS) ? false : `${RECORDS} is absent`;
const PERIODS = [2, 5, 10, 25, 50, 100, 200];

/**
 * Uniform random numbers from a linear congruential generator (Numerical Recipes), independent of the generator
 * of the code under test.
 */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

function record(gev: Gev, years: number, random: () => number): number[] {
  return Array.from({ length: years }, () => gevQuantile(gev, random()));
}

const GALES = record({ location: 30, scale: 3, shape: 0.05 }, 30, numbers(7));

/** Return levels of one record. */
function returnLevels(maxima: ArrayLike<number>, periods: readonly number[], region?: RegionalShape) {
  return returnLevelFitter(maxima.length, periods, region).fit(maxima);
}

test('levels rise with the return period and lie within their intervals, which widen', () => {
  const { levels } = returnLevels(GALES, PERIODS);
  assert.equal(levels.length, PERIODS.length);
  for (const [i, { level, low, high }] of levels.entries()) {
    assert.ok(low <= level && level <= high && low < high);
    if (i === 0) continue;
    const before = levels[i - 1]!;
    assert.ok(level > before.level && high > before.high && low > before.low);
  }
  const [first, last] = [levels[0]!, levels.at(-1)!];
  assert.ok(last.high - last.low > 2 * (first.high - first.low));
});

test('an interval is never cut at its level, also where an outlier moves the level out of the drawn records', () => {
  const calm = Array.from({ length: 20 }, (_, i) => 20 + i / 100);
  for (const outlier of [1, 60])
    for (const { level, low, high } of returnLevels([...calm, outlier], PERIODS).levels)
      assert.ok(low < level && level < high, `${low} < ${level} < ${high}`);
});

test('a record supports return periods up to ten times its length: 20 years a 200-year level', () => {
  const twenty = returnLevels(GALES.slice(0, 20), [100, 200, 201, 500]);
  assert.deepEqual([twenty.longestYears, twenty.levels.map((l) => l.returnPeriodYears)], [200, [100, 200]]);
  assert.equal(returnLevels(GALES.slice(0, 19), [200]).levels.length, 0);
});

test('the shape lies between the record and the region, nearer the record the longer it is', () => {
  const heavy: Gev = { location: 30, scale: 3, shape: -0.2 };
  const region = { mean: 0.1, deviation: 0.1 };
  let last = 0;
  for (const years of [15, 40, 400]) {
    const { gev, ownShape } = returnLevels(record(heavy, years, numbers(3)), [10], region);
    const share = (gev.shape - region.mean) / (ownShape - region.mean);
    assert.ok(share > last && share < 1, `${share} after ${last}`);
    last = share;
  }
  assert.ok(last > 0.85, 'four hundred years speak for themselves');
});

test('the same record in another unit and order has the same levels', () => {
  const { levels } = returnLevels(GALES, PERIODS);
  const knots = returnLevels(
    GALES.toReversed().map((v) => v / 0.514444 + 10),
    PERIODS,
  ).levels;
  for (const [i, { level, low, high }] of levels.entries()) {
    assert.ok(Math.abs(knots[i]!.level - level / 0.514444 - 10) < 1e-9);
    assert.ok(Math.abs(knots[i]!.low - low / 0.514444 - 10) < 1e-9);
    assert.ok(Math.abs(knots[i]!.high - high / 0.514444 - 10) < 1e-9);
  }
  assert.deepEqual(returnLevels(GALES, PERIODS), returnLevels(GALES, PERIODS), 'a fixed seed');
});

test('nominal 90 % intervals contain the true level nine times in ten, for simulated records of known parameters', () => {
  const random = numbers(11);
  const fitter = returnLevelFitter(30, [10, 50, 200]);
  const hits = [0, 0, 0];
  const trials = 1200;
  for (let trial = 0; trial < trials; trial++) {
    const shape = GUST_SHAPE.mean + GUST_SHAPE.deviation * normalQuantile(random());
    const gev = { location: 28, scale: 4, shape };
    for (const [i, { returnPeriodYears, low, high }] of fitter
      .fit(record(gev, 30, random))
      .levels.entries()) {
      const truth = gevReturnLevel(gev, returnPeriodYears);
      if (low <= truth && truth <= high) hits[i]!++;
    }
  }
  // 2.5 % is three standard errors for this number of trials.
  for (const [i, count] of hits.entries())
    assert.ok(Math.abs(count / trials - 0.9) < 0.025, `${i}: ${count / trials}`);
});

test('the shape of a region is found from its records, and a single record changes the prior little', () => {
  const random = numbers(5);
  const sites = Array.from({ length: 60 }, () => record({ location: 20, scale: 2, shape: 0.15 }, 60, random));
  const found = regionalShape(sites);
  assert.ok(Math.abs(found.mean - 0.15) < 0.03, `${found.mean}`);
  assert.ok(found.deviation < 0.06, `${found.deviation}`);
  const alone = regionalShape([sites[0]!]);
  assert.ok(alone.deviation > found.deviation && alone.deviation < GUST_SHAPE.deviation + 0.02);
  assert.ok(Math.abs(alone.mean) < Math.abs(returnLevels(sites[0]!, [10]).ownShape));
  assert.throws(() => regionalShape([[1, 2, 3]]), RangeError);
});

test('a short record takes the spread of its years from the region, a long one keeps its own; the mean stays unchanged', () => {
  const usual = Array.from({ length: 12 }, (_, k) => GALES.map((gust) => gust * (1 + k / 40)));
  const region = regionalSpread(usual);
  const own = sampleLMoments(GALES);
  assert.ok(Math.abs(region.mean - Math.log(own.l2 / own.l1)) < 1e-12, 'the same in every unit and place');
  const wild = { ...own, l2: 2 * own.l2 };
  const [short, long] = [15, 150].map((years) => regionalMoments(wild, years, region));
  assert.equal(short!.l1, own.l1);
  assert.equal(short!.t3, own.t3);
  assert.ok(own.l2 < short!.l2 && short!.l2 < long!.l2 && long!.l2 < wild.l2, `${short!.l2}, ${long!.l2}`);
  const mixed = usual.map((gusts, k) => (k % 2 === 0 ? gusts : gusts.map((gust) => gust + 60)));
  assert.ok(regionalSpread(mixed).deviation > region.deviation, 'sites that differ are left to differ');
  assert.throws(() => regionalSpread([[1, 2, 3]]), RangeError);
  assert.throws(() => regionalSpread([GALES.map((gust) => gust - 1000)]), RangeError);
});

test('broken records and return periods are refused', () => {
  assert.throws(() => returnLevels([1, 2, 3], [10]), RangeError);
  assert.throws(() => returnLevels(Array(20).fill(4), [10]), RangeError);
  assert.throws(() => returnLevels([...GALES, Number.NaN], [10]), RangeError);
  assert.throws(() => returnLevels(GALES, [1]), RangeError);
  assert.throws(() => returnLevelFitter(20, [10]).fit(GALES), RangeError);
});

test(
  'Dutch 50-year gusts with regional shape agree with the published fits: each within 10 %, on average within 2 % (KNMI records, SpatialExtremes)',
  { skip: absent },
  () => {
    const stations = Map.groupBy(rows('netherlands_gust_annual_max.csv'), ([station]) => station!);
    const recordOf = (station: string): number[] => stations.get(station)!.map((line) => Number(line[2]));
    const region = regionalShape([...stations.keys()].map(recordOf));
    assert.ok(Math.abs(region.mean) < 0.15 && region.deviation < 0.15, 'Dutch gusts are near Gumbel');
    const [header, ...fits] = rows('netherlands_gust_gev_fits.csv', 0);
    const column = header!.indexOf('return_level_50');
    const ratios = fits.map((fit) => {
      const [{ level } = { level: Number.NaN }] = returnLevels(recordOf(fit[0]!), [50], region).levels;
      return level / Number(fit[column]);
    });
    for (const [i, ratio] of ratios.entries())
      assert.ok(Math.abs(ratio - 1) < 0.1, `station ${fits[i]![0]}: ${ratio}`);
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    assert.ok(Math.abs(mean - 1) < 0.02, `${mean}`);
  },
);

function rows(file: string, skip = 1): string[][] {
  const lines = readFileSync(join(RECORDS, file), 'utf8').trim().split(/\r?\n/).slice(skip);
  return lines.map((line) => line.split(',').map((cell) => cell.trim()));
}
