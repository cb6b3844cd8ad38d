import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSignificant } from './significant-digits.ts';

test('numbers are rounded to significant digits', () => {
  assert.equal(toSignificant(7012 * 0.0001, 12), 0.7012);
  assert.equal(toSignificant(-0.1 - 0.2, 12), -0.3);
  assert.equal(toSignificant(0.99999999999996, 12), 1);
  assert.equal(toSignificant(Math.fround(0.1), 7), 0.1);
  assert.equal(toSignificant(123456.5, 6), 123457, 'the middle goes away from zero');
  assert.equal(toSignificant(1234567, 3), 1_230_000);
  assert.equal(toSignificant(-0, 12), 0);
  assert.equal(toSignificant(NaN, 7), NaN);
  assert.equal(toSignificant(-Infinity, 7), -Infinity);
});

test('rounding equals that of toPrecision to the last bit, for all magnitudes and near the middle of two decimals', () => {
  let state = 7;
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32; // Numerical Recipes'
  for (let i = 0; i < 20_000; i++) {
    const digits = 1 + Math.floor(random() * 15);
    const size = 10 ** Math.floor(random() * 60 - 30);
    const value = (random() - 0.5) * size;
    // The midpoint between two neighbouring rounded values has one more digit, a 5.
    const middle =
      Number(`${value.toPrecision(digits)}e0`) + 5 * 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits);
    for (const one of [value, middle, Math.fround(value), Math.round(value * 1e4) * 0.0001])
      assert.ok(
        Object.is(toSignificant(one, digits), Number(one.toPrecision(digits))),
        `${one} to ${digits}`,
      );
  }
});
