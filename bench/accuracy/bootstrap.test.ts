import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootstrapInterval } from './bootstrap.ts';

/** Lehmer's generator (Park & Miller 1988). */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test('Efron 1979: the interval of a mean agrees with the central limit theorem', () => {
  const n = 400;
  const values = Array.from({ length: n }, (_, i) => i % 2); // mean 0.5, standard deviation 0.5
  const mean = (times: Uint32Array): number => times.reduce((sum, t, i) => sum + t * values[i]!, 0) / n;
  const all = values.map((_, i) => i);
  const { low, high } = bootstrapInterval([all], mean, 4000, lehmer(1));
  const half = (1.96 * 0.5) / Math.sqrt(n);
  assert.ok(Math.abs(low - (0.5 - half)) < 0.004, `${low}`);
  assert.ok(Math.abs(high - (0.5 + half)) < 0.004, `${high}`);
});

test('the interval of a paired difference is narrower than the intervals of its two sides', () => {
  const hard = Array.from({ length: 60 }, (_, i) => (i % 7) * 10);
  const difference = (times: Uint32Array): number =>
    times.reduce((sum, t, i) => sum + t * (hard[i]! - 1 - hard[i]!), 0) / 60;
  const all = hard.map((_, i) => i);
  const found = bootstrapInterval([all], difference, 500, lehmer(2));
  assert.deepEqual([found.low, found.high, found.belowZero], [-1, -1, 1]);
});

test('each stratum is resampled separately', () => {
  const counts = (times: Uint32Array): number => times[0]! + times[1]!;
  const { low, high } = bootstrapInterval(
    [
      [0, 1],
      [2, 3, 4],
    ],
    counts,
    200,
    lehmer(3),
  );
  assert.deepEqual([low, high], [2, 2]);
});
