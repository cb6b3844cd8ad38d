import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from './pace.ts';

test('a burst passes at once, then each step waits for its time, and rest earns another burst', () => {
  const pace = new Pace(10, 3);
  const steps = (nowMs: number, count: number): number[] =>
    Array.from({ length: count }, () => pace.step('a', nowMs));
  assert.deepEqual(steps(0, 5), [0, 0, 0, 100, 200]);
  assert.equal(pace.step('b', 0), 0, 'each holder has its own');
  assert.equal(pace.step('a', 100), 200);
  assert.deepEqual(steps(10_000, 4), [0, 0, 0, 100]);
});
