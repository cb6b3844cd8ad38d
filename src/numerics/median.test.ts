import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianInPlace } from './median.ts';

/** Pseudo-random numbers, many of them equal, from a linear congruential generator (Numerical Recipes). */
function* draws(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(1_664_525, state) + 1_013_904_223) >>> 0;
    yield state % 17 === 0 ? -0.5 : state / 2 ** 32;
  }
}

test('the median equals that of a sorted sample, for every length from 1 to 200, and ignores entries beyond the count', () => {
  const next = draws(3);
  for (let count = 1; count <= 200; count++) {
    const values = Float64Array.from({ length: count + 3 }, () => next.next().value as number);
    const sorted = values.slice(0, count).sort();
    const expected =
      count % 2 === 1 ? sorted[count >> 1]! : (sorted[count / 2 - 1]! + sorted[count / 2]!) / 2;
    const beyond = values.slice(count);
    assert.equal(medianInPlace(values, count), expected);
    assert.deepEqual(values.slice(0, count).sort(), sorted, 'the same entries are there');
    assert.deepEqual(values.slice(count), beyond);
  }
});

test('the median of an empty sample is NaN', () => {
  assert.ok(Number.isNaN(medianInPlace(new Float64Array(4), 0)));
});
