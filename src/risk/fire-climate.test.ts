import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DANGER_CLASSES, dangerClimate, dangerExceedance, yearlyDangerMaxima } from './fire-climate.ts';
import { gevProbability, gevQuantile } from './gev.ts';

test('yearly maxima of 7-day means equal brute force; a missing day spoils only the weeks it is in', () => {
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

test('exceedance of the EFFIS classes (5.2, 11.2, 21.3, 38, 50) recovers the distribution the years were drawn from', () => {
  assert.deepEqual(
    DANGER_CLASSES.map(({ fwi }) => fwi),
    [5.2, 11.2, 21.3, 38, 50],
  );
  const truth = { location: 24, scale: 7, shape: 0.05 };
  // plotting positions instead of random years: the fit must come back to the truth as they grow denser
  const years = Float64Array.from({ length: 4000 }, (_, i) => gevQuantile(truth, (i + 0.5) / 4000));
  const found = dangerExceedance(dangerClimate(years));
  for (const [i, { fwi }] of DANGER_CLASSES.entries())
    assert.ok(Math.abs(found[i]! - (1 - gevProbability(truth, fwi))) < 0.002, `FWI ${fwi}: ${found[i]}`);
  assert.throws(() => dangerClimate(new Float64Array(9).map((_, i) => i)), RangeError);
});
