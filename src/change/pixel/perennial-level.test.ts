import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { keepsLevel, levelRanks, PerennialLevel } from './perennial-level.ts';

/** The answer by a sort, as a reader would compute it. */
function keepsSorted(values: readonly number[]): boolean {
  if (values.length === 0) return false;
  const sorted = Float64Array.from(values).sort();
  const [low, high] = levelRanks(values.length);
  return keepsLevel(sorted[low]!, sorted[high]!);
}

test('whether values keep their level is what sorted values tell, whatever was compared before', () => {
  const next = uniform(7);
  const level = new PerennialLevel(80);
  const told = [0, 0];
  for (let n = 0; n < 20_000; n++) {
    // Series like those of the pixels before and unlike them, above and below 0, with equal values.
    const centre = Math.floor(4 * next()) / 4 - 0.25 + (n % 2);
    const width = next() * (n % 3 === 0 ? 0.9 : 0.4);
    const step = n % 5 === 0 ? 10 : 1e4;
    const values = Array.from(
      { length: Math.floor(80 * next()) },
      () => Math.round((centre + width * (next() - 0.5)) * step) / step,
    );
    const expected = keepsSorted(values);
    told[Number(expected)]! += 1;
    // Values outside the range that is compared are not read.
    const padded = [9, -9, ...values, -9, 9];
    assert.equal(level.keeps(padded, 2, 2 + values.length, n), expected, `${n}: ${values.join(' ')}`);
  }
  assert.ok(Math.min(...told) > 2000, `${told.join(' and ')} answers of each kind`);
});

test('a low quantile that is exactly the share of the high one keeps the level, a step less does not', () => {
  const level = new PerennialLevel(8);
  const exact = 0.7 * 0.8;
  for (const [series, [low, expected]] of (
    [
      [exact, true],
      [exact - Number.EPSILON, false],
      [exact, true],
    ] as const
  ).entries())
    assert.equal(level.keeps([0.8, low, 0.8, low, 0.8], 0, 5, series), expected, `low ${low}`);
});

test('a series that grows, or of which the beginning is left out, is told as if it were compared anew', () => {
  const next = uniform(13);
  const level = new PerennialLevel(80);
  const told = [0, 0];
  for (let series = 0; series < 300; series++) {
    const width = 0.3 + 0.5 * next();
    const values: number[] = [];
    let from = 0;
    while (values.length < 70) {
      for (let more = 1 + Math.floor(4 * next()); more > 0; more--) values.push(0.6 + width * (next() - 0.5));
      if (next() < 0.1) from = Math.min(values.length - 1, from + 2);
      const expected = keepsSorted(values.slice(from));
      told[Number(expected)]! += 1;
      assert.equal(level.keeps(values, from, values.length, series), expected, `${series}, ${values.length}`);
    }
  }
  assert.ok(Math.min(...told) > 500, `${told.join(' and ')} answers of each kind`);
});
