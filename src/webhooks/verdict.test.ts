import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './verdict.ts';

const SCHEDULE = [0, 5_000, 300_000];
const DAY_MS = 86_400_000;
const NOW = 10 * DAY_MS;
const first = { attempt: 1, failingSinceMs: null };
const none = (): number => 0;

test('2xx is a success, also after days of failures and at the last attempt', () => {
  for (const status of [200, 201, 202, 204, 299])
    for (const delivery of [first, { attempt: 3, failingSinceMs: 0 }])
      assert.deepEqual(judge(status, delivery, SCHEDULE, NOW, none), { kind: 'delivered' });
});

test('every other status is retried on the schedule, and dead after its end', () => {
  for (const status of [
    null,
    100,
    199,
    300,
    301,
    302,
    307,
    308,
    304,
    400,
    401,
    404,
    409,
    429,
    500,
    503,
    599,
  ]) {
    assert.deepEqual(judge(status, first, SCHEDULE, NOW, none), { kind: 'retry', dueAtMs: NOW + 5_000 });
    const second = { attempt: 2, failingSinceMs: NOW - 5_000 };
    assert.deepEqual(judge(status, second, SCHEDULE, NOW, none), { kind: 'retry', dueAtMs: NOW + 300_000 });
    assert.deepEqual(judge(status, { attempt: 3, failingSinceMs: NOW - 305_000 }, SCHEDULE, NOW, none), {
      kind: 'dead',
    });
  }
});

test('410 disables the endpoint at once', () => {
  assert.deepEqual(judge(410, first, SCHEDULE, NOW, none), { kind: 'disable', reason: 'gone' });
});

test('five days without a success disable the endpoint, and not a millisecond less', () => {
  const since = (ms: number): { attempt: number; failingSinceMs: number } => ({
    attempt: 2,
    failingSinceMs: NOW - ms,
  });
  assert.deepEqual(judge(500, since(5 * DAY_MS), SCHEDULE, NOW, none), {
    kind: 'disable',
    reason: 'failing',
  });
  assert.deepEqual(judge(null, since(5 * DAY_MS), SCHEDULE, NOW, none), {
    kind: 'disable',
    reason: 'failing',
  });
  assert.equal(judge(500, since(5 * DAY_MS - 1), SCHEDULE, NOW, none).kind, 'retry');
});
