import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SigningKey } from '../app/access/client-store.ts';
import { newSigningKey, planKeys, SigningKeys } from './signing-keys.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 1_800_000_000_000;

/** Calls `planKeys` with keys of the given ages [ms], newest first. Keys are identified by their age. */
function plan(...ages: readonly number[]) {
  const keys = ages.map((age): SigningKey => ({
    id: `${age}`,
    privateJwk: '',
    publicJwk: {},
    createdAt: new Date(NOW - age),
  }));
  const { signer, needsAnother, retired } = planKeys(keys, NOW);
  return { signer: signer && Number(signer.id), needsAnother, retired: retired.map(Number) };
}

test('without a key one must be made; a single key signs at once', () => {
  assert.deepEqual(plan(), { signer: undefined, needsAnother: true, retired: [] });
  assert.deepEqual(plan(0), { signer: 0, needsAnother: false, retired: [] });
  assert.deepEqual(plan(30 * DAY_MS), { signer: 30 * DAY_MS, needsAnother: true, retired: [] });
});

test('of two keys that two nodes made at the same time, all nodes use the same one', () => {
  assert.deepEqual(plan(0, 5).signer, 5);
  assert.deepEqual(plan(2 * HOUR_MS, 2 * HOUR_MS + 5).signer, 2 * HOUR_MS);
});

test('a new key signs after an hour, and the previous one is retired when its last token has expired', () => {
  const old = 30 * DAY_MS;
  assert.deepEqual(plan(HOUR_MS - 1, old), { signer: old, needsAnother: false, retired: [] });
  assert.deepEqual(plan(HOUR_MS, old), { signer: HOUR_MS, needsAnother: false, retired: [] });
  assert.deepEqual(plan(2 * HOUR_MS, old).retired, []);
  assert.deepEqual(plan(2 * HOUR_MS + 600_000, old).retired, [old]);
  // The key of 31 days signs, so the oldest key is retired. The newest key does not sign yet, so it retires no key.
  assert.deepEqual(plan(0, 31 * DAY_MS, 61 * DAY_MS).retired, [61 * DAY_MS]);
});

test('a new key of another node is found although the clock was set back', async () => {
  let now = NOW;
  const kept = [await newSigningKey(NOW)];
  const store = { list: async () => [...kept], add: async () => undefined, remove: async () => undefined };
  const keys = new SigningKeys(store, { now: () => now });
  await keys.published();
  const other = await newSigningKey(NOW);
  kept.unshift(other);
  now -= HOUR_MS;
  assert.notEqual(await keys.verifier(other.id), undefined);
});
