import assert from 'node:assert/strict';
import { test } from 'node:test';
import { betaProbability } from './beta-distribution.ts';
import { binomialTail } from './binomial-tail.ts';

test('the tail of a binomial distribution has its textbook values and those of the beta distribution', () => {
  assert.equal(binomialTail(6, 6, 0.5), 1 / 64);
  assert.ok(Math.abs(binomialTail(0, 6, 0.3) - 1) < 1e-12);
  assert.equal(binomialTail(7, 6, 0.3), 0);
  assert.equal(binomialTail(1, 4, 0), 0);
  for (const [least, trials, rate] of [
    [3, 6, 0.05],
    [4, 6, 0.1],
    [8, 20, 0.2],
  ] as const) {
    const tail = betaProbability(rate, least, trials - least + 1);
    assert.ok(Math.abs(binomialTail(least, trials, rate) / tail - 1) < 1e-9, `${least} of ${trials}`);
  }
});
