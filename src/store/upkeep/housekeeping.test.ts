import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import { housekeep } from './housekeeping.ts';

const DAY_MS = 86_400_000;

describe('expired rows are deleted', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  async function endpoint(): Promise<string> {
    const id = newId('webhook');
    const { storage, owner } = world;
    await storage.webhooks.create(
      { ...owner, id, url: 'https://example.com/', events: ['*'], status: 'active' },
      'whsec_a',
    );
    return id;
  }
  const emit = (to: string) => world.storage.events.emit(world.owner, 'webhook.test', {}, to);
  const events = async (): Promise<string[]> =>
    (await world.database.db.selectFrom('events').select('id').orderBy('xid').orderBy('id').execute()).map(
      ({ id }) => id,
    );

  test('events and their deliveries after thirty days, except pending ones of active endpoints', async () => {
    const { database, storage, owner } = world;
    const [active, disabled] = [await endpoint(), await endpoint()];
    const waiting = await emit(active);
    const delivered = await emit(active);
    const forgotten = await emit(disabled);
    await storage.webhooks.update(owner, disabled, { status: 'disabled' });
    await database.db
      .updateTable('deliveries')
      .set({ status: 'succeeded' })
      .where('event_id', '=', delivered)
      .execute();
    await housekeep(database.db, Date.now() + 30 * DAY_MS - 60_000);
    assert.deepEqual(await events(), [waiting, delivered, forgotten]);
    await housekeep(database.db, Date.now() + 30 * DAY_MS + 1);
    assert.deepEqual(await events(), [waiting]);
    await storage.webhooks.update(owner, active, { status: 'disabled' });
    await housekeep(database.db, Date.now() + 30 * DAY_MS + 1);
    assert.deepEqual(await events(), []);
    const left = await database.db.selectFrom('deliveries').select('id').execute();
    assert.deepEqual(left, []);
  });

  test('used proofs, once they would be too old anyway', async () => {
    const { database, storage } = world;
    const proof = { hash: Buffer.alloc(32, 1), expiresAt: new Date(60_000) };
    assert.equal(await storage.grants.spend(proof), true);
    await housekeep(database.db, 60_000);
    assert.equal(await storage.grants.spend(proof), false);
    await housekeep(database.db, 60_001);
    assert.equal(await storage.grants.spend(proof), true);
  });
});
