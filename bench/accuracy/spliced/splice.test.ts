import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spliceStack } from './splice.ts';
import type { Ground } from './ground.ts';
import { DAY_MS } from '../../../src/base/time.ts';

const SIDE = 24;
const TIMES = 150;
const timesMs = Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2010, 0) + 16 * t * DAY_MS);
const filled = (value: number) => ({ ndvi: new Float32Array(TIMES).fill(value) });

/** Ground of value 1 in its left half, which may be converted to value 2, and of value 0 in its right half. */
const HALVES: Ground = {
  name: 'halves',
  pixelAreaM2: 10_000,
  timesMs,
  land: () => ({
    width: SIDE,
    height: SIDE,
    series: Array.from({ length: SIDE * SIDE }, (_, p) => filled(p % SIDE < SIDE / 2 ? 1 : 0)),
    isConvertible: Uint8Array.from({ length: SIDE * SIDE }, (_, p) => (p % SIDE < SIDE / 2 ? 1 : 0)),
    unknown: new Set([SIDE - 1]),
    convertedTo: () => () => filled(2),
  }),
};

/** Sizes of the groups of changed pixels that touch, corners included. */
function groupSizes(isChanged: (pixel: number) => boolean): number[] {
  const left = new Set(Array.from({ length: SIDE * SIDE }, (_, p) => p).filter(isChanged));
  const sizes: number[] = [];
  for (const start of left) {
    const group = new Set([start]);
    for (const p of group)
      for (const q of left)
        if (
          Math.abs(Math.floor(p / SIDE) - Math.floor(q / SIDE)) <= 1 &&
          Math.abs((p % SIDE) - (q % SIDE)) <= 1
        )
          group.add(q);
    for (const p of group) left.delete(p);
    sizes.push(group.size);
  }
  return sizes;
}

test('each converted pixel goes on as the other cover from its date, and nothing else changes', () => {
  const { stack, truths, monitorMs, shownDays } = spliceStack(HALVES, 1, 7);
  const ndvi = stack.metrics['ndvi']!;
  const dates = new Set<number>();
  for (const [p, truth] of truths.entries()) {
    const column = p % SIDE;
    const series = ndvi.subarray(p * TIMES, (p + 1) * TIMES);
    if (typeof truth === 'string') {
      assert.equal(truth, p === SIDE - 1 ? 'unknown' : 'stable');
      assert.ok(series.every((value) => value === (column < SIDE / 2 ? 1 : 0)));
      continue;
    }
    assert.ok(column < SIDE / 2, 'only convertible ground is converted');
    assert.ok(series.every((value, t) => value === (timesMs[t]! >= truth.changedMs ? 2 : 1)));
    assert.ok(truth.changedMs >= monitorMs && truth.changedMs <= timesMs.at(-1)! - 120 * DAY_MS);
    dates.add(truth.changedMs);
  }
  // The third scene of the other cover is at most three times 16 days after the conversion.
  assert.ok(shownDays.every((days) => days >= 32 && days <= 48));
  const sizes = groupSizes((p) => typeof truths[p] === 'object');
  assert.equal(sizes.length, dates.size, 'objects do not touch, and each has its own date');
  assert.ok(sizes.every((size) => size >= 3 && size <= 60));
  assert.ok(sizes.length >= 2);
});

test('a seed makes the same stack again, and another seed another one', () => {
  const of = (seed: number) => spliceStack(HALVES, 1, seed).truths;
  assert.deepEqual(of(7), of(7));
  assert.notDeepEqual(of(7), of(8));
});
