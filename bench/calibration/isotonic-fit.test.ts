import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knotsAt } from '../../src/numerics/isotonic.ts';
import { isotonicFit } from './isotonic-fit.ts';

test('pools adjacent violators (worked by hand)', () => {
  assert.deepEqual(isotonicFit([1, 2, 3, 4], [1, 3, 2, 4]), [
    [1, 1],
    [2, 2.5],
    [3, 2.5],
    [4, 4],
  ]);
  assert.deepEqual(isotonicFit([3, 1, 2], [0, 6, 3]), [
    [1, 3],
    [3, 3],
  ]);
  assert.deepEqual(isotonicFit([1, 1, 2], [0, 1, 1]), [
    [1, 0.5],
    [2, 1],
  ]);
  assert.throws(() => isotonicFit([], []), RangeError);
  assert.throws(() => isotonicFit([1], []), RangeError);
});

test('is the monotone function with the least squared error, compared with every partition into runs', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const y = Array.from({ length: 7 }, (_, i) => ((seed * 7919 + i * i * 104_729 + i * seed) % 97) / 97);
    const x = y.map((_, i) => i);
    const fit = isotonicFit(x, y);
    const fitted = x.map((at) => knotsAt(fit, at));
    let best = Infinity;
    for (let cuts = 0; cuts < 64; cuts++) {
      const means = runMeans(y, cuts);
      if (means.some((mean, i) => i > 0 && mean < means[i - 1]! - 1e-12)) continue;
      best = Math.min(best, error(y, means));
    }
    assert.ok(Math.abs(error(y, fitted) - best) < 1e-12);
  }
});

function runMeans(y: readonly number[], cuts: number): number[] {
  const means: number[] = [];
  let from = 0;
  for (let i = 1; i <= y.length; i++) {
    if (i < y.length && (cuts & (1 << (i - 1))) === 0) continue;
    const run = y.slice(from, i);
    const mean = run.reduce((sum, value) => sum + value) / run.length;
    for (let k = from; k < i; k++) means.push(mean);
    from = i;
  }
  return means;
}

function error(y: readonly number[], fitted: readonly number[]): number {
  return y.reduce((sum, value, i) => sum + (value - fitted[i]!) ** 2, 0);
}

test('pools that are too small are merged with their neighbours', () => {
  assert.deepEqual(isotonicFit([1, 2, 3, 4, 5], [0, 1, 2, 3, 9], 2), [
    [1, 0.5],
    [2, 0.5],
    [3, 14 / 3],
    [5, 14 / 3],
  ]);
});
