import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { sql } from 'kysely';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage } from '../../../test/fixtures/storage.ts';
import { CutOff } from '../../base/errors.ts';
import { withPublication } from './publication.ts';

test('a part that the database ended while the process was silent is repeated; other work is told that nothing was kept', async (t) => {
  const world = await testStorage();
  t.after(() => world.close());
  const { storage, database } = world;
  const collection = collectionRecord({});
  await storage.collections.create(collection);
  const endTransactions = async (): Promise<void> => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`.execute(database.db);
    await sleep(200);
  };
  let tries = 0;
  const state = await withPublication(storage, collection.id, (publication) =>
    publication.part(async ({ collections }) => {
      await collections.setMonitoredAs(collection.id, 'as new');
      if (++tries === 1) await endTransactions();
      return await collections.monitoredAs(collection.id);
    }),
  );
  assert.deepEqual(
    [tries, state, await storage.collections.monitoredAs(collection.id)],
    [2, 'as new', 'as new'],
  );

  const lost = storage.transaction(async ({ collections }) => {
    await collections.setMonitoredAs(collection.id, 'never');
    await endTransactions();
    await collections.monitoredAs(collection.id);
  });
  await assert.rejects(
    lost,
    (error: Error) => error instanceof CutOff && error.name === 'UpstreamUnavailable',
  );
  assert.equal(await storage.collections.monitoredAs(collection.id), 'as new');
});
