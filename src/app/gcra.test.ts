import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimiter } from './gcra.ts';

const NOW = 1_700_000_000_000;

test('a burst of the whole limit passes at one instant, the next call is refused until one unit is back', () => {
  for (const limit of [1, 7, 60, 600, 999]) {
    const limiter = new RateLimiter();
    for (let i = 1; i <= limit; i++) {
      const call = limiter.take('k', limit, 1, NOW);
      assert.equal(call.allowed, true, `${i} of ${limit}`);
      assert.equal(call.remaining, limit - i);
    }
    const refused = limiter.take('k', limit, 1, NOW);
    assert.equal(refused.allowed, false);
    assert.equal(refused.remaining, 0);
    assert.equal(refused.resetAt, Math.ceil(NOW / 1000 + 60 / limit));
    assert.equal(limiter.take('k', limit, 1, NOW + Math.ceil(60_000 / limit)).allowed, true);
  }
});

test('a refused call told to wait until resetAt passes then, whatever it costs', () => {
  const limiter = new RateLimiter();
  limiter.take('k', 60, 60, NOW);
  const refused = limiter.take('k', 60, 20, NOW);
  assert.equal(refused.resetAt, NOW / 1000 + 20);
  assert.equal(limiter.take('k', 60, 20, refused.resetAt * 1000 - 1000).allowed, false);
  assert.equal(limiter.take('k', 60, 20, refused.resetAt * 1000).allowed, true);
});

test('a call dearer than the budget passes when the budget is full; keys do not share; 0 is unlimited', () => {
  const limiter = new RateLimiter();
  assert.equal(limiter.take('k', 10, 20, NOW).allowed, true);
  assert.equal(limiter.take('k', 10, 1, NOW).allowed, false);
  assert.equal(limiter.take('other', 10, 1, NOW).allowed, true);
  for (let i = 0; i < 5000; i++) assert.equal(limiter.take('free', 0, 50, NOW).allowed, true);
});
