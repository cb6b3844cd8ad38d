import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimiter } from './rate-limiter.ts';

const NOW = 1_700_000_000_000;

test('a burst of the whole limit passes at once; the next call is refused until one unit has refilled', () => {
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

test('a refused call of any cost passes at its resetAt', () => {
  const limiter = new RateLimiter();
  limiter.take('k', 60, 60, NOW);
  const refused = limiter.take('k', 60, 20, NOW);
  assert.equal(refused.resetAt, NOW / 1000 + 20);
  assert.equal(limiter.take('k', 60, 20, refused.resetAt * 1000 - 1000).allowed, false);
  assert.equal(limiter.take('k', 60, 20, refused.resetAt * 1000).allowed, true);
});

test('after the clock is set back, nobody waits longer than the window', () => {
  const limiter = new RateLimiter();
  limiter.take('k', 60, 60, NOW);
  const earlier = NOW - 3_600_000;
  const refused = limiter.take('k', 60, 1, earlier);
  assert.equal(refused.allowed, false);
  assert.equal(refused.waitS, 1);
  assert.equal(limiter.take('k', 60, 1, earlier + 1000).allowed, true);
});

test('a call that costs more than the budget passes when the budget is full; keys are independent; 0 is unlimited', () => {
  const limiter = new RateLimiter();
  assert.equal(limiter.take('k', 10, 20, NOW).allowed, true);
  assert.equal(limiter.take('k', 10, 1, NOW).allowed, false);
  assert.equal(limiter.take('other', 10, 1, NOW).allowed, true);
  for (let i = 0; i < 5000; i++) assert.equal(limiter.take('free', 0, 50, NOW).allowed, true);
});

test('a call whose cost is raised is charged as one sum: refused it costs nothing, and it passes at its resetAt', () => {
  for (const [limit, cost] of [
    [60, 20],
    [5, 20],
    [1, 20],
  ] as const) {
    const limiter = new RateLimiter();
    const call = (nowMs: number) => {
      const first = limiter.take('k', limit, 1, nowMs);
      return first.allowed ? limiter.take('k', limit, cost, nowMs, 1) : first;
    };
    const charged = Math.min(cost, limit);
    assert.equal(call(NOW).remaining, limit - charged, `${cost} of ${limit}`);
    while (limiter.take('k', limit, 1, NOW).allowed);
    const refused = call(NOW);
    assert.equal(refused.allowed, false);
    for (let tries = 0; tries < 10; tries++) assert.equal(call(NOW + 1).allowed, false);
    assert.equal(limiter.take('k', limit, 0, NOW).remaining, 0);
    const retry = limiter.take('k', limit, charged, NOW);
    assert.equal(call(retry.resetAt * 1000 - 1000).allowed, false);
    assert.equal(call(retry.resetAt * 1000).allowed, true);
  }
});
