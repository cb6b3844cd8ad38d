import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brierScore } from './brier.ts';
import { frequencyAt, recalibrate } from './recalibration.ts';
import { scoreParts } from './score-decomposition.ts';

test('the decomposition equals the example of model-diagnostics 1.x, decompose(): .75 = .625 - .125 + .25 on four cases', () => {
  const parts = scoreParts([-1, 1, 1, 2], [0, 0, 1, 1]);
  assert.deepEqual(
    [parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty],
    [0.75, 0.625, 0.125, 0.25],
  );
});

test('a certain and right forecast scores 0, a certain and wrong one 1, one of 0.5 scores .25 (Brier 1950)', () => {
  assert.equal(brierScore([1, 0], [1, 0]), 0);
  assert.equal(brierScore([1, 0], [0, 1]), 1);
  assert.equal(brierScore([0.5, 0.5], [0, 1]), 0.25);
  assert.equal(brierScore([1, 0], [0, 0], [1, 3]), 0.25);
  assert.throws(() => brierScore([], []), RangeError);
});

test('recalibration minimises the squared error among non-decreasing functions, by brute force over a fine grid', () => {
  const forecasts = [0.1, 0.2, 0.2, 0.4, 0.5, 0.6, 0.9];
  const outcomes = [1, 0, 0, 1, 0, 1, 1];
  const weights = [1, 2, 1, 1, 1, 3, 1];
  const levels = recalibrate(forecasts, outcomes, weights);
  const fitted = forecasts.map((forecast) => frequencyAt(levels, forecast));
  const loss = (values: readonly number[]): number =>
    values.reduce((sum, value, i) => sum + weights[i]! * (value - outcomes[i]!) ** 2, 0);
  // Dynamic programming over frequencies in steps of 1/60: the smallest loss of any monotone function of the forecasts.
  const steps = 60;
  const distinct = [...new Set(forecasts)];
  let best = Array.from({ length: steps + 1 }, () => 0);
  for (const x of distinct) {
    let least = Number.POSITIVE_INFINITY;
    best = best.map((before, k) => {
      least = Math.min(least, before);
      const value = k / steps;
      return (
        least +
        forecasts.reduce(
          (sum, forecast, i) => sum + (forecast === x ? weights[i]! * (value - outcomes[i]!) ** 2 : 0),
          0,
        )
      );
    });
  }
  assert.ok(Math.abs(loss(fitted) - Math.min(...best)) < 1e-9, `${loss(fitted)}, ${Math.min(...best)}`);
  assert.ok(fitted.every((value, i) => i === 0 || value >= fitted[i - 1]!));
});

test('the frequency is linear between two levels and constant beyond them', () => {
  const levels = recalibrate([0.2, 0.4, 0.8], [0, 0, 1]);
  const found = [0, 0.3, 0.6, 0.8, 1].map((x) => frequencyAt(levels, x));
  for (const [i, expected] of [0, 0, 0.5, 1, 1].entries())
    assert.ok(Math.abs(found[i]! - expected) < 1e-12, `${found[i]}`);
});

test('levels with too few cases are merged with the next level, the last one with the level before', () => {
  const levels = recalibrate([0.1, 0.2, 0.3, 0.4, 0.5], [0, 0.2, 0.4, 0.6, 0.8], undefined, 2);
  assert.deepEqual(
    levels.map(({ from, to, weight }) => [from, to, weight]),
    [
      [0.1, 0.2, 2],
      [0.3, 0.5, 3],
    ],
  );
  assert.ok(Math.abs(levels[1]!.frequency - 0.6) < 1e-12);
});

test('the parts add up to the score for any forecast, and recalibrated forecasts have no miscalibration', () => {
  const forecasts = Array.from({ length: 200 }, (_, i) => ((i * 37) % 101) / 101);
  const outcomes = forecasts.map((p, i) => (((i * 53) % 97) / 97 < p ** 2 ? 1 : 0));
  const parts = scoreParts(forecasts, outcomes);
  assert.ok(parts.miscalibration > 0.01 && parts.discrimination > 0.05);
  assert.ok(Math.abs(parts.miscalibration - parts.discrimination + parts.uncertainty - parts.score) < 1e-12);
  const again = scoreParts(
    forecasts.map((p) => frequencyAt(parts.levels, p)),
    outcomes,
  );
  assert.ok(Math.abs(again.miscalibration) < 1e-12);
});
