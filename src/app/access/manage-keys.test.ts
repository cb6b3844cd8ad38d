import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newApiKey } from '../../auth/api-key.ts';
import { createApiKey, endApiKey, type KeyDeps, replaceApiKey, rotateApiKey } from './manage-keys.ts';
import type { Principal } from './principal.ts';
import type { Stores } from '../storage.ts';
import { DAY_MS } from '../../base/time.ts';

describe('replacing a key', () => {
  let world: TestStorage;
  let deps: KeyDeps;
  before(async () => {
    world = await testStorage();
    deps = { clock: { now: () => Date.now() }, storage: world.storage, newApiKey };
  });
  after(() => world.close());

  const key = () =>
    createApiKey(deps, {
      accountName: 'ours',
      environment: 'production',
      scopes: ['keys:read', 'keys:write'],
      lifetimeMs: 90 * DAY_MS,
      rateLimit: 600,
    });
  const keysOf = async () => (await world.storage.keys.list()).length;
  /** Key store that revokes a key just after reading it. */
  const revokedOnceRead = ({ keys }: Pick<Stores, 'keys'>): Stores['keys'] => ({
    ...keys,
    async find(id) {
      const found = await keys.find(id);
      await endApiKey(deps, id);
      return found;
    },
  });

  test('a key that is revoked while the caller replaces it stays revoked and gets no successor', async () => {
    const { id } = await key();
    const caller: Principal = {
      ...world.owner,
      keyId: (await key()).id,
      scopes: new Set(['keys:read', 'keys:write']),
      rateLimit: 600,
    };
    const before = await keysOf();
    await assert.rejects(
      world.storage.transaction((stores) =>
        rotateApiKey(deps, { keys: revokedOnceRead(stores) }, caller, id),
      ),
      { name: 'InvalidInput', message: `The key ${id} has ended; create a new one instead` },
    );
    assert.ok((await world.storage.keys.find(id))!.revokedAt!.getTime() <= Date.now());
    assert.equal(await keysOf(), before);
  });

  test('a key that is revoked while the operator replaces it stays revoked and gets no successor', async () => {
    const { id } = await key();
    const storage = { ...world.storage, keys: revokedOnceRead(world.storage) };
    await assert.rejects(replaceApiKey({ ...deps, storage }, id), { name: 'InvalidInput' });
    assert.ok((await world.storage.keys.find(id))!.revokedAt!.getTime() <= Date.now());
  });

  test('a key that two calls replace at the same time ends when the first call set it to end', async () => {
    const { id } = await key();
    const storage = world.storage;
    const stale = { ...storage.keys, find: () => Promise.resolve(known) };
    const known = await storage.keys.find(id);
    const first = await replaceApiKey(deps, id);
    const second = await replaceApiKey({ ...deps, storage: { ...storage, keys: stale } }, id);
    assert.deepEqual(second.oldEndsAt, first.oldEndsAt);
    assert.notEqual(second.id, first.id);
  });
});
