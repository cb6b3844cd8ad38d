import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { acceptAcrossSeries } from './false-discovery.ts';

const NAN = Number.NaN;

/** Tests all hypotheses on the same day; returns 1 for each that is rejected, otherwise 0. */
const rejectedOf = (tailProbabilities: readonly number[]): number[] =>
  acceptAcrossSeries(
    tailProbabilities.map((p) => ({ timesMs: Float64Array.of(0), tailProbability: Float64Array.of(p) })),
  ).map((mask) => mask[0]!);

test('Benjamini & Hochberg 1995, section 3.2: four of fifteen hypotheses are rejected at .05', () => {
  const published = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
    0.759, 1,
  ];
  assert.deepEqual(rejectedOf(published), [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const reversed = rejectedOf(published.toReversed());
  assert.deepEqual(reversed, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
});

test('it steps up: a later rank within its limit also rejects earlier ones beyond theirs', () => {
  // The limits are .0125, .025, .0375, .05: ranks 1 to 3 exceed their limits, rank 4 does not.
  assert.deepEqual(rejectedOf([0.02, 0.03, 0.04, 0.05]), [1, 1, 1, 1]);
  assert.deepEqual(rejectedOf([0.02, 0.03, 0.04, 0.0501]), [0, 0, 0, 0]);
});

test('the rejected share equals the definition, by brute force over every count', () => {
  let state = 7;
  for (let round = 0; round < 300; round++) {
    const p: number[] = [];
    for (let i = 0; i < 1 + (round % 12); i++) {
      state = (state * 48_271) % 2_147_483_647; // minimal standard generator (Park & Miller 1988)
      p.push((state / 2_147_483_647) ** 3);
    }
    let largest = 0;
    for (let k = 1; k <= p.length; k++) {
      const limit = (k / p.length) * 0.05;
      if (p.filter((x) => x <= limit).length >= k) largest = k;
    }
    const rejected = rejectedOf(p).reduce((sum, x) => sum + x, 0);
    assert.equal(rejected, largest);
  }
});

test('an untested hypothesis is never marked or counted', () => {
  assert.deepEqual(rejectedOf([NAN, 0.04, NAN]), [0, 1, 0]);
  assert.deepEqual(rejectedOf([NAN]), [0]);
  assert.deepEqual(rejectedOf([]), []);
});

test('each day is a separate family, across series with different dates', () => {
  const masks = acceptAcrossSeries([
    { timesMs: Float64Array.of(0, DAY_MS), tailProbability: Float64Array.of(0.04, 0.04) },
    { timesMs: Float64Array.of(DAY_MS + 3_600_000), tailProbability: Float64Array.of(0.9) },
    { timesMs: Float64Array.of(DAY_MS, 2 * DAY_MS), tailProbability: Float64Array.of(NAN, 0.06) },
  ]);
  // Day 0 has one test: .04 is within the limit of .05. Day 1 has two tests: .04 exceeds .025. Day 2: .06 exceeds .05.
  assert.deepEqual(
    masks.map((mask) => [...mask]),
    [[1, 0], [0], [0, 0]],
  );
});
