import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearScore } from './near-score.ts';
import { normalDeviate } from '../numerics/normal.ts';

test('near scores agree with the exponential distribution to .01', () => {
  // Mean and deviation of the cube root of an exponential variate, from gamma(4/3) and gamma(5/3) (DLMF 5.4).
  const mean = 0.892979511569;
  const deviation = Math.sqrt(0.902745292951 - mean * mean);
  for (const over of [0.95, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05, 0.03]) {
    const z = (Math.cbrt(-Math.log(over)) - mean) / deviation;
    const exact = over > 0.5 ? -normalDeviate(1 - over) : normalDeviate(over);
    const found = nearScore(z, deviation / mean);
    assert.ok(Math.abs(found - exact) < 0.01, `${over}: ${found} is not ${exact}`);
  }
});

test('near scores of values with hardly any variation are the deviations themselves', () => {
  for (const z of [-1.9, -1.2, 0, 0.7, 1.8])
    assert.ok(Math.abs(nearScore(z, 0.004) - z) < 2e-3, `${z}: ${nearScore(z, 0.004)}`);
});
