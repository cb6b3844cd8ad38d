import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DANGER_CLASSES,
  DANGER_RETURN_PERIODS,
  dangerLevels,
  mappedDangerExceedance,
} from './fire-climate.ts';
import { gevQuantile, gevReturnLevel } from '../../numerics/gev.ts';
import { GUST_SHAPE } from '../storm/gust-climate.ts';
import { reducedVariate } from '../hazard-curve.ts';
import { yearlyDangerMaxima } from '../../../test/oracles/yearly-danger-maxima.ts';

test('yearly maxima of 7-day means equal brute force; a missing day removes only the weeks that contain it', () => {
  const years: number[] = [];
  const fwi: number[] = [];
  for (let day = 0; day < 900; day++) {
    years.push(2001 + Math.floor(day / 300));
    fwi.push(day === 450 ? Number.NaN : 20 + 15 * Math.sin(day / 40) + ((day * 7919) % 13));
  }
  const expected = [2001, 2002, 2003].map((year) => {
    let highest = -Infinity;
    for (let last = 6; last < 900; last++) {
      const week = fwi.slice(last - 6, last + 1);
      if (years[last] === year && !week.some(Number.isNaN))
        highest = Math.max(highest, week.reduce((sum, value) => sum + value, 0) / 7);
    }
    return highest;
  });
  assert.deepEqual([...yearlyDangerMaxima(fwi, years)], expected);
  assert.deepEqual([...yearlyDangerMaxima(fwi.slice(0, 6), years.slice(0, 6))], []);
  assert.throws(() => yearlyDangerMaxima([1, 2], [2001]), RangeError);
});

test('return levels recover the distribution of the years, as far as the record supports them, and never fall', () => {
  const truth = { location: 24, scale: 7, shape: 0 };
  const years = (count: number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => gevQuantile(truth, (i + 0.5) / count));
  const levels = dangerLevels(years(2000), GUST_SHAPE);
  for (const [i, T] of DANGER_RETURN_PERIODS.entries())
    assert.ok(Math.abs(levels[i]! / gevReturnLevel(truth, T) - 1) < 0.01, `${T}: ${levels[i]}`);
  assert.ok(dangerLevels(years(9), GUST_SHAPE).every(Number.isNaN));
  assert.ok(dangerLevels(years(10), GUST_SHAPE).every((level, i, all) => i === 0 || level > all[i - 1]!));
  assert.deepEqual([...dangerLevels(new Float64Array(12), GUST_SHAPE)], [0, 0, 0, 0, 0, 0]);
});

test('the danger classes are those of EFFIS', () => {
  assert.deepEqual(
    DANGER_CLASSES.map(({ fwi }) => fwi),
    [5.2, 11.2, 21.3, 38, 50],
  );
});

test('exceedance of the danger classes equals the mapped frequencies, is ordered between them and bounded beyond them', () => {
  const periods = [2, 10, 50];
  const curveOf = (levels: readonly number[]) => ({
    count: levels.length,
    variates: Float64Array.from(periods, reducedVariate),
    levels: Float64Array.from(levels),
  });
  const at = mappedDangerExceedance(curveOf([11.2, 21.3, 38]));
  const near = (found: number, expected: number): void =>
    assert.ok(Math.abs(found - expected) < 1e-12, `${found}`);
  near(at[1]!.lowest, 0.5);
  near(at[2]!.highest, 0.1);
  near(at[3]!.lowest, 0.02);
  assert.deepEqual([at[0]!.lowest, at[0]!.highest, at[4]!.lowest], [0.5, 1, 0]);
  near(at[4]!.highest, 0.02);
  const between = mappedDangerExceedance(curveOf([4, 30, 60]));
  for (let i = 1; i < between.length; i++) assert.ok(between[i]!.lowest < between[i - 1]!.lowest);
  assert.ok(between.every(({ lowest, highest }) => lowest === highest));
});
