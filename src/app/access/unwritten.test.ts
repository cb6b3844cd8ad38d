import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from './audit-store.ts';
import { AuditTrail } from './audit-trail.ts';
import type { Principal } from './principal.ts';
import { UsageMeter, type Usage } from './usage-meter.ts';

const PRINCIPAL: Principal = {
  accountId: 'acc_1',
  environment: 'staging',
  keyId: 'key_1',
  scopes: new Set(),
  rateLimit: 0,
};
const ACT = {
  actor: 'key_1',
  action: 'listAois',
  accountId: 'acc_1',
  environment: 'staging',
  address: '::1',
  result: 'lacks aois:read',
} as const;

test('entries of the audit log that could not be written are written the next time', async () => {
  const told: unknown[] = [];
  const written: AuditEntry[] = [];
  let isAway = true;
  const record = async (entries: readonly AuditEntry[]): Promise<void> => {
    if (isAway) throw new Error('away');
    written.push(...entries);
  };
  const trail = new AuditTrail({ record }, (error) => told.push(error));
  trail.note(ACT);
  trail.note(ACT);
  await trail.flush();
  assert.equal(told.length, 1);
  isAway = false;
  trail.note(ACT);
  await trail.flush();
  await trail.flush();
  assert.deepEqual(
    written.map(({ action, count }) => [action, count]),
    [['listAois', 3]],
  );
});

test('units that could not be written are added the next time, to their day', async () => {
  const told: unknown[] = [];
  const added: Usage[] = [];
  let [isAway, now] = [true, Date.UTC(2026, 0, 1, 23, 59)];
  const store = {
    add: async (usages: readonly Usage[]): Promise<void> => {
      if (isAway) throw new Error('away');
      added.push(...usages);
    },
    since: () => Promise.resolve([]),
  };
  const meter = new UsageMeter(store, { now: () => now }, (error) => told.push(error));
  meter.spend(PRINCIPAL, 2);
  await meter.flush();
  meter.spend(PRINCIPAL, 3);
  await meter.flush();
  meter.spend(PRINCIPAL, 4);
  assert.equal(told.length, 2);
  isAway = false;
  now += 120_000;
  meter.spend(PRINCIPAL, 5);
  await meter.flush();
  await meter.flush();
  assert.deepEqual(
    added.map(({ day, units }) => [day, units]),
    [
      ['2026-01-01', 9],
      ['2026-01-02', 5],
    ],
  );
});
