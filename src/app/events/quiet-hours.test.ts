import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedQuietHours, quietUntil, sendingOf, type Sending } from './quiet-hours.ts';

const NIGHT = { zone: 'Europe/Ljubljana', from: '22:00', to: '07:30' };
const until = (quiet: typeof NIGHT, now: string): string | undefined => {
  const ms = quietUntil(quiet, Date.parse(now));
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

test('quiet hours over midnight end in the morning of their zone', () => {
  // In winter the zone is an hour ahead of UTC.
  assert.equal(until(NIGHT, '2026-11-24T20:59:59Z'), undefined);
  assert.equal(until(NIGHT, '2026-11-24T21:00:00Z'), '2026-11-25T06:30:00.000Z');
  assert.equal(until(NIGHT, '2026-11-25T06:29:59Z'), '2026-11-25T06:30:00.000Z');
  assert.equal(until(NIGHT, '2026-11-25T06:30:00Z'), undefined);
});

test('quiet hours within a day, and in a zone with half an hour', () => {
  const noon = { zone: 'Asia/Kolkata', from: '12:00', to: '13:00' };
  assert.equal(until(noon, '2026-11-24T06:29:59Z'), undefined);
  assert.equal(until(noon, '2026-11-24T06:45:00Z'), '2026-11-24T07:30:00.000Z');
  assert.equal(until(noon, '2026-11-24T07:30:00Z'), undefined);
});

test('a night in which the clocks change ends when they show the time', () => {
  // 2026-10-25 01:00 UTC: back by an hour. 2026-03-29 01:00 UTC: ahead by an hour.
  assert.equal(until(NIGHT, '2026-10-24T22:00:00Z'), '2026-10-25T06:30:00.000Z');
  assert.equal(until(NIGHT, '2026-03-28T22:00:00Z'), '2026-03-29T05:30:00.000Z');
});

test('an event waits only while all its subscriptions are quiet', () => {
  const now = Date.parse('2026-11-24T22:00:00Z');
  const quiet = (quietHours: typeof NIGHT | null, digest: string | null = null) => ({
    quietHours,
    digest,
    past: false,
  });
  const early = quiet({ ...NIGHT, to: '05:00' });
  const noon = quiet({ ...NIGHT, from: '12:00', to: '13:00' });
  assert.deepEqual(sendingOf([quiet(NIGHT), early], now), { notBefore: new Date('2026-11-25T04:00:00Z') });
  assert.deepEqual(sendingOf([quiet(NIGHT), quiet(null)], now), {});
  assert.deepEqual(sendingOf([quiet(NIGHT), noon], now), {});
  assert.deepEqual(sendingOf([], now), { isOnlyListed: false });
  assert.deepEqual(sendingOf([quiet(null, 'daily'), quiet(NIGHT, 'hourly')], now), { isOnlyListed: true });
  assert.deepEqual(sendingOf([quiet(null, 'daily'), quiet(null)], now), {});
});

test('what was past when it was found is sent only if a subscription wants the past', () => {
  const now = Date.parse('2026-11-24T12:00:00Z');
  const [plain, curious] = [false, true].map((past) => ({ quietHours: null, digest: null, past })) as [
    Sending,
    Sending,
  ];
  assert.deepEqual(sendingOf([], now, true), { isOnlyListed: true });
  assert.deepEqual(sendingOf([plain], now, true), { isOnlyListed: true });
  assert.deepEqual(sendingOf([plain, curious], now, true), {});
  assert.deepEqual(sendingOf([{ ...curious, digest: 'daily' }, plain], now, true), { isOnlyListed: true });
});

test('an unknown zone and an empty span are refused by name', () => {
  assert.equal(checkedQuietHours(NIGHT), NIGHT);
  assert.throws(() => checkedQuietHours({ ...NIGHT, zone: 'Mars/Olympus' }), {
    message: /^quiet_hours\.zone: expected/,
  });
  assert.throws(() => checkedQuietHours({ ...NIGHT, to: '22:00' }), {
    message: /^quiet_hours\.to: expected/,
  });
});
