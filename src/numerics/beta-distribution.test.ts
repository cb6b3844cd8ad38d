import assert from 'node:assert/strict';
import { test } from 'node:test';
import { betaProbability, betaQuantile, betaShapes } from './beta-distribution.ts';

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, expected ${expected} within ${tolerance}`);
}

test('the beta distribution equals its closed forms', () => {
  for (const x of [0.01, 0.2, 0.5, 0.77, 0.999]) {
    near(betaProbability(x, 1, 1), x, 1e-13);
    near(betaProbability(x, 2, 3), 6 * x ** 2 - 8 * x ** 3 + 3 * x ** 4, 1e-13);
    near(betaProbability(x, 0.5, 0.5), (2 / Math.PI) * Math.asin(Math.sqrt(x)), 1e-12);
    near(betaProbability(x, 40, 1), x ** 40, 1e-13);
  }
  assert.deepEqual([betaProbability(0, 2, 3), betaProbability(1, 2, 3)], [0, 1]);
});

test('quantiles invert probabilities', () => {
  for (const [a, b] of [
    [0.3, 2],
    [2, 3],
    [21, 75],
    [60, 0.9],
  ] as const)
    for (const p of [0.005, 0.1, 0.5, 0.9, 0.995])
      near(betaProbability(betaQuantile(p, a, b), a, b), p, 1e-10);
  assert.throws(() => betaQuantile(1, 2, 3), RangeError);
});

test('the shapes reproduce mean and deviation', () => {
  const [a, b] = betaShapes(0.326556502, 0.251622626);
  near(a / (a + b), 0.326556502, 1e-15);
  near(Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1))), 0.251622626, 1e-15);
  assert.throws(() => betaShapes(0.5, 0.5), RangeError);
  assert.throws(() => betaShapes(0, 0.1), RangeError);
});
