import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confidenceOf, confidenceOfRatios } from './confidence.ts';
import { percentile } from '../numerics/percentile.ts';
import { annualDamageWeights, expectedAnnualDamage } from './expected-annual-damage.ts';
import { normalQuantile } from '../numerics/normal.ts';
import { DRAW_COUNT, DRAWS } from './predictive-draws.ts';
import { windstormDamageRatio, windstormDamageRatios } from './storm/schwierz.ts';
import { damageRatioOf, riskScore } from './score.ts';

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, expected ${expected} within ${tolerance}`);
}

test('expected annual damage equals the formula of methods.md, worked by hand', () => {
  // T 10, 50, 100 with D .1, .3, .5: .5*.4*(.1-.02) + .5*.8*(.02-.01) + .5*.01 = .016 + .004 + .005
  near(expectedAnnualDamage([10, 50, 100], [0.1, 0.3, 0.5]), 0.025, 1e-15);
  near(expectedAnnualDamage([100], [0.5]), 0.005, 1e-15);
  assert.throws(() => expectedAnnualDamage([10, 10], [0, 1]), RangeError);
  assert.throws(() => expectedAnnualDamage([10], []), RangeError);
});

test('the weights reproduce the formula for any damages', () => {
  const years = [2, 5, 10, 25, 50, 100, 250];
  const damages = [0, 0.02, 0.1, 0.11, 0.4, 0.8, 1];
  const weights = annualDamageWeights(years);
  near(
    weights.reduce((sum, w, i) => sum + w * damages[i]!, 0),
    expectedAnnualDamage(years, damages),
    1e-15,
  );
  near(
    weights.reduce((sum, w) => sum + w),
    0.5,
    1e-15,
  );
});

test('the score passes through the published points of the contract', () => {
  for (const [ratio, score] of [
    [0.0001, 0.2],
    [0.002, 0.4],
    [0.01, 0.6],
    [0.05, 0.8],
  ] as const)
    near(riskScore(ratio), score, 1e-12);
  near(riskScore(Math.sqrt(0.002 * 0.01)), 0.5, 1e-12);
  near(riskScore(0.25), 1, 1e-12);
  near(riskScore(0.0001 / 20), 0, 1e-12);
  near(riskScore(0.0001 / Math.sqrt(20)), 0.1, 1e-12);
  assert.equal(riskScore(0), 0);
  assert.equal(riskScore(3), 1);
  assert.throws(() => riskScore(Number.NaN), RangeError);
  assert.throws(() => riskScore(-1e-9), RangeError);
});

test('the score rises with damage', () => {
  let last = -1;
  for (let e = -8; e <= 0.5; e += 0.01) {
    const score = riskScore(10 ** e);
    assert.ok(score >= last && score <= 1);
    last = score;
  }
});

test('normal quantiles equal published table values (Abramowitz & Stegun 1964, table 26.5)', () => {
  near(normalQuantile(0.5), 0, 1e-9);
  near(normalQuantile(0.975), 1.959963985, 5e-9);
  near(normalQuantile(0.01), -2.326347874, 5e-9);
  near(normalQuantile(0.999), 3.090232306, 5e-9);
  assert.throws(() => normalQuantile(0), RangeError);
});

test('the fixed draws are nearly standard normal and uncorrelated', () => {
  for (const [d, draws] of DRAWS.entries()) {
    assert.equal(draws.length, DRAW_COUNT);
    near(draws.reduce((sum, z) => sum + z, 0) / DRAW_COUNT, 0, 1e-12);
    near(draws.reduce((sum, z) => sum + z * z, 0) / DRAW_COUNT, 1, 0.12);
    for (let other = 0; other < d; other++)
      near(draws.reduce((sum, z, k) => sum + z * DRAWS[other]![k]!, 0) / DRAW_COUNT, 0, 0.12);
    assert.ok(draws.every((z) => Math.abs(z) < 3));
  }
});

test('confidence is the share of draws within 0.1, edges included', () => {
  const draws = Float64Array.of(0.3, 0.4, 0.45, 0.5, 0.6, 0.61);
  near(confidenceOf(0.5, draws), 4 / 6, 1e-15);
  assert.equal(confidenceOf(0, Float64Array.of(0.5)), 0);
  assert.throws(() => confidenceOf(0.5, new Float64Array(0)), RangeError);
});

test('confidence of normal scores equals the normal probability of the band', () => {
  // P(|z| <= 1) = 0.6827
  near(
    confidenceOf(
      0.5,
      DRAWS[0]!.map((z) => 0.5 + 0.1 * z),
    ),
    0.6827,
    0.03,
  );
});

test('percentiles interpolate between order statistics', () => {
  assert.equal(percentile(Float64Array.of(3, 1, 2), 0.5), 2);
  assert.equal(percentile(Float64Array.of(0, 10), 0.25), 2.5);
  assert.equal(percentile(Float64Array.of(7), 0.95), 7);
});

test('a score maps back to its damage ratio', () => {
  for (const score of [0.001, 0.2, 0.3, 0.4, 0.55, 0.6, 0.7, 0.8, 0.999])
    near(riskScore(damageRatioOf(score, 0)), score, 1e-12);
  for (const score of [0, 1, -0.1, 1.1]) assert.equal(damageRatioOf(score, 7), 7);
});

test('confidence from damage ratios equals that from their scores, also at both ends of the scale', () => {
  const ratios = DRAWS[0]!.map((z) => Math.exp(1.5 * z));
  for (let e = -9; e <= 1; e += 0.05) {
    const drawn = ratios.map((ratio) => ratio * 10 ** e);
    const scores = drawn.map(riskScore);
    for (let score = 0; score <= 1; score += 0.125)
      assert.equal(confidenceOfRatios(score, drawn), confidenceOf(score, scores), `${score} at 1e${e}`);
  }
  assert.equal(confidenceOfRatios(0.05, new Float64Array(4)), 1);
  assert.throws(() => confidenceOfRatios(0.5, new Float64Array(0)), RangeError);
});

test('the batch of gust damage ratios equals the ratio of each gust', () => {
  const factors = DRAWS[1]!.map((z) => Math.exp(0.3 * z));
  const ascending = Uint8Array.from(factors.keys()).sort((a, b) => factors[a]! - factors[b]!);
  const ratios = new Float64Array(DRAW_COUNT);
  for (let gust = 0; gust < 140; gust += 0.7) {
    const isDamaged = windstormDamageRatios(gust, factors, ascending, ratios);
    const each = factors.map((factor) => windstormDamageRatio(gust * factor));
    assert.equal(
      isDamaged,
      each.some((ratio) => ratio > 0),
    );
    assert.deepEqual(ratios, each, `${gust} m/s`);
  }
});
