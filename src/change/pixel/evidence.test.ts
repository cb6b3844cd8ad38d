import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as evidence from './evidence.ts';

test('EWMA limit: s sqrt(l / (2 - l)) without autocorrelation (Roberts 1959), and the exact limit for AR(1) noise', () => {
  assert.ok(Math.abs(evidence.ewmaLimit(0) - 3 * Math.sqrt(0.3 / 1.7)) < 1e-12);
  // Compares with the variance of the average sum_k .3 .7^k r_(t-k), computed as a sum over all pairs of residuals,
  // whose correlation is rho^|i-j|.
  for (const rho of [0.2, 0.5, 0.8]) {
    let variance = 0;
    for (let i = 0; i < 200; i++) {
      for (let j = 0; j < 200; j++) variance += 0.09 * 0.7 ** (i + j) * rho ** Math.abs(i - j);
    }
    assert.ok(Math.abs(evidence.ewmaLimit(rho) - 3 * Math.sqrt(variance)) < 1e-9);
  }
});

test('without correlation an observation weighs as much as its likelihoods, at most 9 to 1', () => {
  const start = Math.log(0.5);
  const step = (z: number, shift: number): number =>
    evidence.updateFromInnovation(start, z, 0, 0, shift, false) - start;
  assert.ok(Math.abs(step(6, 3) - Math.log(9)) < 1e-12);
  assert.ok(Math.abs(step(1.5, 3)) < 1e-12);
  assert.ok(Math.abs(step(1.2, 2) - 0.4) < 1e-12);
});

test('an innovation of AR(1) noise weighs as much as its likelihoods, at the first scene of a change and later', () => {
  const start = Math.log(0.5);
  const [rho, shift, before] = [0.5, 2, 0.4];
  const density = (innovation: number, mean: number): number =>
    Math.exp(-((innovation - mean) ** 2) / (2 * (1 - rho * rho)));
  for (const z of [0.9, 1.3, 1.8]) {
    const innovation = z - rho * before;
    for (const [isFirst, mean] of [
      [true, shift],
      [false, shift - rho * shift],
    ] as const) {
      const ratio = density(innovation, mean) / density(innovation, 0);
      const step = evidence.updateFromInnovation(start, z, before, rho, shift, isFirst) - start;
      assert.ok(Math.abs(step - Math.log(ratio)) < 1e-12, `${z}: ${step}, ${Math.log(ratio)}`);
    }
  }
});

test('of a lasting departure each observation weighs (1 - rho) / (1 + rho) of an independent one', () => {
  const start = Math.log(0.5);
  const step = (rho: number): number => evidence.updateFromInnovation(start, 1.4, 1.4, rho, 2, false) - start;
  for (const rho of [0, 0.3, 0.8])
    assert.ok(Math.abs(step(rho) - (0.8 * (1 - rho)) / (1 + rho)) < 1e-12, `${rho}`);
});

test('one innovation moves the odds by at most 9 to 1', () => {
  const start = Math.log(0.5);
  assert.ok(
    Math.abs(evidence.updateFromInnovation(start, 6, -6, 0.9, 2, true) - start - Math.log(9)) < 1e-12,
  );
});

test('the odds always stay between the prior and the cap', () => {
  let odds = evidence.PRIOR_LOG_ODDS;
  for (let i = 0; i < 50; i++) odds = evidence.updateFromInnovation(odds, -6, 0, 0, 3, false);
  assert.equal(odds, evidence.PRIOR_LOG_ODDS);
  for (let i = 0; i < 50; i++) odds = evidence.updateFromInnovation(odds, 6, 0, 0, 3, false);
  assert.ok(Math.abs(evidence.probability(odds) - 0.999) < 1e-12);
});

test('residuals are clipped at six standard deviations and keep their sign', () => {
  assert.equal(evidence.standardised(-3, 0.1), -6);
  assert.equal(evidence.standardised(0.15, 0.1), 1.4999999999999998);
  assert.equal(evidence.speaksAgainst(2, 3), 0);
  assert.equal(evidence.speaksAgainst(1, 3), 1);
  assert.equal(evidence.speaksAgainst(0, 3), 2);
});
