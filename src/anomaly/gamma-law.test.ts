import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GammaLaw } from './gamma-law.ts';
import { nodeOf, SHAPES } from './gamma-shapes.ts';
import { gammaTails, logGamma } from './gamma-tails.ts';
import { normalDeviate } from '../numerics/normal.ts';

function near(actual: number, expected: number, relative: number): void {
  assert.ok(Math.abs(actual / expected - 1) < relative, `${actual} is not ${expected}`);
}

test('log gamma: DLMF 5.4, of 1/2, 1, 5 and 30', () => {
  near(logGamma(0.5), 0.5 * Math.log(Math.PI), 1e-13);
  assert.ok(Math.abs(logGamma(1)) < 1e-13);
  near(logGamma(5), Math.log(24), 1e-13);
  let factorial = 0;
  for (let k = 2; k < 30; k++) factorial += Math.log(k);
  near(logGamma(30), factorial, 1e-13);
});

test('tails agree with quantiles of chi-square (Abramowitz & Stegun 1964, table 26.8): half of chi-square is gamma with half the degrees', () => {
  for (const [degrees, quantile, above] of [
    [1, 3.84146, 0.05],
    [1, 0.00393214, 0.95],
    [2, 13.8155, 0.001],
    [10, 18.307, 0.05],
    [10, 2.15586, 0.995],
    [30, 59.7031, 0.001],
  ] as const) {
    const [below, over] = gammaTails(quantile / 2, degrees / 2, logGamma(degrees / 2));
    near(over, above, 1e-4);
    near(below, 1 - above, 1e-3);
  }
  const [, far] = gammaTails(40, 1, 0);
  near(far, Math.exp(-40), 1e-9); // the far tail of the exponential distribution
});

test('the normal deviate of a tail (Abramowitz & Stegun 1964, table 26.6)', () => {
  for (const [tail, deviate] of [
    [0.025, 1.959964],
    [0.005, 2.575829],
    [0.0005, 3.290527],
    [0.00005, 3.890592],
  ] as const)
    assert.ok(Math.abs(normalDeviate(tail) - deviate) < 4.5e-4, `${normalDeviate(tail)} is not ${deviate}`);
});

test('the shape follows from the cube roots, for the exponential distribution, whose moments are gamma functions of 4/3 and 5/3', () => {
  // DLMF 5.4: gamma(4/3) = .892979511569, gamma(5/3) = .902745292951.
  const variation = Math.sqrt(0.902745292951 / 0.892979511569 ** 2 - 1);
  near(SHAPES[nodeOf(variation)]!, 1, 3e-3);
});

test('scores agree with the exponential distribution, with and without dry days', () => {
  const law = new GammaLaw();
  const mean = 0.892979511569 * Math.cbrt(8);
  const deviation = Math.cbrt(8) * Math.sqrt(0.902745292951 - 0.892979511569 ** 2);
  law.enter(deviation, 0);
  for (const tail of [0.2, 0.025, 0.0005]) {
    assert.ok(Math.abs(law.score(-8 * Math.log(tail), mean) - normalDeviate(tail)) < 2e-3, `over ${tail}`);
    assert.ok(
      Math.abs(law.score(-8 * Math.log1p(-tail), mean) + normalDeviate(tail)) < 2e-3,
      `under ${tail}`,
    );
  }
  law.enter(deviation, 0.3);
  assert.ok(
    Math.abs(law.score(-8 * Math.log(0.1), mean) - normalDeviate(0.07)) < 2e-3,
    'a tenth of the wet days',
  );
  assert.ok(Math.abs(law.score(0, mean) + normalDeviate(0.3)) < 2e-3, 'none at all');
  law.enter(deviation, 0.6);
  assert.equal(law.score(0, mean), 0, 'nothing is what is usual');
});
