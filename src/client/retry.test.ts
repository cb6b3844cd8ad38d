import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RETRY, parseRetryAfter, sleep, waitMs } from './retry.ts';

test('the back-off doubles up to its cap, with full jitter', () => {
  const policy = { retries: 9, baseMs: 100, capMs: 1000, longestRetryAfterMs: 60_000 };
  const most = [0, 1, 2, 3, 4, 5].map((attempt) => waitMs(policy, attempt, undefined, () => 1));
  assert.deepEqual(most, [100, 200, 400, 800, 1000, 1000]);
  assert.equal(
    waitMs(policy, 3, undefined, () => 0),
    0,
  );
});

test('the wait is never shorter than Retry-After; there is no retry when Retry-After is too long', () => {
  assert.equal(
    waitMs(DEFAULT_RETRY, 0, 7_000, () => 0),
    7_000,
  );
  assert.ok(waitMs(DEFAULT_RETRY, 0, 7_000, () => 0.999)! > 7_000);
  assert.equal(
    waitMs(DEFAULT_RETRY, 0, DEFAULT_RETRY.longestRetryAfterMs + 1, () => 0),
    undefined,
  );
});

test('Retry-After is in integer seconds or an HTTP date (RFC 9110 section 10.2.3)', () => {
  const now = Date.UTC(1999, 11, 31, 23, 58, 59);
  assert.equal(parseRetryAfter('120', now), 120_000);
  assert.equal(parseRetryAfter('Fri, 31 Dec 1999 23:59:59 GMT', now), 60_000);
  assert.equal(parseRetryAfter('Fri, 31 Dec 1999 23:00:00 GMT', now), 0);
  assert.equal(parseRetryAfter('soon', now), undefined);
  assert.equal(parseRetryAfter(null, now), undefined);
});

test('an aborted wait ends at once with the reason', async () => {
  const stop = new AbortController();
  const waiting = sleep(60_000, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  await assert.rejects(sleep(60_000, AbortSignal.abort(new Error('before'))), /before/);
});
