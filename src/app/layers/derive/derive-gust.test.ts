import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gevFromLMoments, gevReturnLevel } from '../../../numerics/gev.ts';
import { sampleLMoments } from '../../../numerics/l-moments.ts';
import { gustLevels } from './derive-gust.ts';
import { InvalidInput } from '../../../base/errors.ts';

/**
 * Returns thirty yearly gusts of a pixel: plotting positions of a Gumbel distribution with the given mode. So the
 * distributions of all pixels have the same shape.
 */
const years = (mode: number, count = 30): number[] =>
  Array.from({ length: count }, (_, i) => mode - 3 * Math.log(-Math.log((i + 0.56) / (count + 0.12))));

function stack(pixels: readonly (readonly number[])[], bands: number): Float32Array {
  return Float32Array.from(
    pixels.flatMap((pixel) => Array.from({ length: bands }, (_, i) => pixel[i] ?? Number.NaN)),
  );
}

test('pixels of equal shape keep it, and their levels differ by their gusts', () => {
  const pixels = [25, 30, 35].map((mode) => years(mode));
  const levels = gustLevels(stack(pixels, 30), 30, 3);
  assert.deepEqual(
    levels.map(({ returnPeriodYears }) => returnPeriodYears),
    [2, 5, 10, 25, 50, 100, 200, 250],
  );
  for (const { returnPeriodYears, samples } of levels) {
    for (const [i, pixel] of pixels.entries()) {
      const own = gevReturnLevel(gevFromLMoments(sampleLMoments(pixel)), returnPeriodYears);
      assert.ok(Math.abs(samples[i]! / own - 1) < 0.02, `${returnPeriodYears}: ${samples[i]}, own ${own}`);
    }
    assert.ok(
      Math.abs(samples[1]! - samples[0]! - 5) < 1e-3 && Math.abs(samples[2]! - samples[1]! - 5) < 1e-3,
    );
  }
});

test('a pixel with too few or equal years is nodata and does not affect other pixels', () => {
  const alone = gustLevels(stack([years(30)], 30), 30, 1);
  const levels = gustLevels(stack([years(30, 19), years(30), Array(30).fill(20), []], 30), 30, 4);
  for (const [i, { samples }] of levels.entries()) {
    assert.deepEqual([...samples].map(Number.isNaN), [true, false, true, true]);
    assert.equal(samples[1], alone[i]!.samples[0]);
  }
});

test('twenty years give levels up to 200 years', () => {
  const levels = gustLevels(stack([years(30, 20)], 30), 30, 1);
  assert.equal(levels.at(-1)!.returnPeriodYears, 200);
});

test('a stack without a usable pixel is refused', () => {
  assert.throws(() => gustLevels(stack([years(30, 12)], 30), 30, 1), InvalidInput);
});
