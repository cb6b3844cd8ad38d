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

test('a budget above several keys bounds what they spend together, and a refusal costs neither', () => {
  const limiter = new RateLimiter();
  const above = { key: 'account', limit: 100 };
  let passed = 0;
  for (let key = 0; key < 40; key++)
    for (let i = 0; i < 60; i++) if (limiter.take(`k${key}`, 60, 1, NOW, 0, above).allowed) passed++;
  assert.equal(passed, 100);
  const refused = limiter.take('k39', 60, 1, NOW, 0, above);
  assert.deepEqual([refused.allowed, refused.key, refused.limit], [false, 'account', 100]);
  assert.equal(limiter.take('k39', 60, 0, NOW).remaining, 60, 'the key paid for a refused call');
  assert.equal(
    limiter.take('free', 0, 1, NOW, 0, above).allowed,
    false,
    "a key without a limit has the account's",
  );
  // A call whose cost is raised is refused by the key; the unit that the account had paid is given back.
  const later = NOW + 30_000;
  const before = limiter.take('account', 100, 0, later).remaining;
  assert.equal(
    limiter.take('fresh', 5, 4, later, 0, above).key,
    'fresh',
    'the budget with less left is told',
  );
  assert.equal(limiter.take('fresh', 5, 5, later, 1, above).allowed, false);
  assert.equal(limiter.take('account', 100, 0, later).remaining, before - 4 + 1);
});

test('work that is already done is owed: it is never refused, and later calls wait until it is earned', () => {
  const limiter = new RateLimiter();
  const above = { key: 'account', limit: 600 };
  assert.equal(limiter.take('k', 60, 1, NOW, 0, above).allowed, true);
  const owed = limiter.owe('k', 60, 80, NOW, above);
  assert.deepEqual([owed.allowed, owed.remaining, owed.resetAt], [true, 0, NOW / 1000 + 81]);
  assert.equal(limiter.take('account', 600, 0, NOW).remaining, 600 - 81);
  const refused = limiter.take('k', 60, 1, NOW, 0, above);
  assert.deepEqual([refused.allowed, refused.resetAt], [false, NOW / 1000 + 22]);
  assert.equal(limiter.take('k', 60, 1, NOW + 21_999, 0, above).allowed, false);
  assert.equal(limiter.take('k', 60, 1, NOW + 22_000, 0, above).allowed, true);
  // A budget owes at most what it earns in a minute.
  for (let i = 0; i < 10; i++) limiter.owe('k', 60, 1000, NOW);
  assert.equal(limiter.take('k', 60, 1, NOW).resetAt, NOW / 1000 + 61);
  assert.equal(limiter.take('k', 60, 1, NOW + 61_000).allowed, true);
  assert.equal(limiter.owe('free', 0, 50, NOW).limit, 0);
});
