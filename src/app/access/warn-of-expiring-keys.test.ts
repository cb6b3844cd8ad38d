import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKeyRecord } from './key-store.ts';
import type { Storage } from '../storage.ts';
import { makeKeyExpiryCheck } from './warn-of-expiring-keys.ts';
import { DAY_MS } from '../../base/time.ts';

test('a key is reported once a day, from 14 days before it expires', async () => {
  let now = 0;
  const key = { id: 'key_1', expiresAt: new Date(20 * DAY_MS) } as ApiKeyRecord;
  const keys = {
    expiring: async (from: Date, until: Date) =>
      key.expiresAt! > from && key.expiresAt! <= until ? [key] : [],
  };
  const look = makeKeyExpiryCheck();
  const warned = async () =>
    (await look({ clock: { now: () => now }, storage: { keys } as unknown as Storage })).map(({ id }) => id);
  now = 6 * DAY_MS - 1;
  assert.deepEqual(await warned(), []);
  now += 1;
  assert.deepEqual(await warned(), ['key_1']);
  now += DAY_MS - 1;
  assert.deepEqual(await warned(), []);
  now += 1;
  assert.deepEqual(await warned(), ['key_1']);
  now = 20 * DAY_MS;
  assert.deepEqual(await warned(), []);
});
