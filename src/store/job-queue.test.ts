import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { after, before, describe, test } from 'node:test';
import { fromKysely, PgBoss } from 'pg-boss';
import { newId } from '../base/ids.ts';
import type { Stores } from '../app/storage.ts';
import { jobCounts, JobQueue } from './job-queue.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';

describe('jobs that are queued only once', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  const waiting = async (aoiId: string): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from groundwatch_jobs.job
      where name = 'refresh-anomalies' and state = 'created' and data ->> 'aoiId' = ${aoiId}`.execute(
      world.database.db,
    );
    return rows[0]!.n;
  };
  const ask = ({ jobs }: Stores, aoiId: string) => jobs.refreshAnomaliesOnce({ ...world.owner, aoiId });

  test('many transactions that queue a job for an area leave one waiting job; another area has its own', async () => {
    const [aoiId, other] = [newId('aoi'), newId('aoi')];
    for (let i = 0; i < 5; i++) await world.storage.transaction((stores) => ask(stores, aoiId));
    await world.storage.transaction((stores) => ask(stores, other));
    assert.deepEqual([await waiting(aoiId), await waiting(other)], [1, 1]);
    await assert.rejects(
      world.storage.transaction(async (stores) => {
        await ask(stores, newId('aoi'));
        throw new Error('taken back');
      }),
    );
  });

  test('a waiting job does not start before the transaction that relies on it ends; after its start a new job is queued', async () => {
    const aoiId = newId('aoi');
    await world.storage.transaction((stores) => ask(stores, aoiId));
    // Fetches the job in the same way as the queue, which skips locked jobs.
    const take = () =>
      sql`update groundwatch_jobs.job set state = 'active' where id in (select id from groundwatch_jobs.job
        where name = 'refresh-anomalies' and state = 'created' and data ->> 'aoiId' = ${aoiId} for update skip locked)`.execute(
        world.database.db,
      );
    await world.storage.transaction(async (stores) => {
      await ask(stores, aoiId);
      await take();
      assert.equal(await waiting(aoiId), 1, 'it is still there when this commits');
    });
    await take();
    assert.equal(await waiting(aoiId), 0);
    await world.storage.transaction((stores) => ask(stores, aoiId));
    assert.equal(await waiting(aoiId), 1);
  });

  test('a job whose worker was killed goes to another worker when its heartbeats end', async () => {
    const { db } = world.database;
    const aoiId = newId('aoi');
    await world.storage.jobs.refreshAnomalies({ ...world.owner, aoiId });
    const jobs = sql`groundwatch_jobs.job where name = 'refresh-anomalies' and data ->> 'aoiId' = ${aoiId}`;
    const state = async () =>
      (await sql<{ state: string }>`select state::text from ${jobs}`.execute(db)).rows[0]!.state;
    // Puts the job in the state that a killed worker leaves, with the last heartbeat some time ago.
    const begun = (ago: string) =>
      sql`update groundwatch_jobs.job set state = 'active', started_on = now() - ${ago}::interval,
          heartbeat_on = now() - ${ago}::interval
        where name = 'refresh-anomalies' and data ->> 'aoiId' = ${aoiId}`.execute(db);
    const boss = new PgBoss({ db: fromKysely(db), schema: 'groundwatch_jobs', createSchema: false });
    boss.on('error', () => undefined);
    await boss.start();
    try {
      await begun('5 seconds');
      await boss.supervise('refresh-anomalies');
      assert.equal(await state(), 'active');
      await sql`update groundwatch_jobs.queue set monitor_claim_on = null, monitor_on = null`.execute(db);
      await begun('12 seconds');
      await boss.supervise('refresh-anomalies');
      assert.equal(await state(), 'retry');
    } finally {
      await boss.stop({ graceful: false });
    }
  });

  test('another worker has the job within 15 s of the death of the first', async () => {
    const { db } = world.database;
    const collectionId = newId('collection');
    await world.storage.jobs.monitorCollection({ collectionId });
    // The last heartbeat of a killed worker is up to half its interval old. The queue looks at its own times, which
    // other tests have set.
    await sql`update groundwatch_jobs.queue set monitor_claim_on = now(), monitor_on = now()`.execute(db);
    await sql`update groundwatch_jobs.job set state = 'active', started_on = now() - interval '5 seconds',
        heartbeat_on = now() - interval '5 seconds' where data ->> 'collectionId' = ${collectionId}`.execute(
      db,
    );
    const killed = performance.now();
    const queue = new JobQueue(db, () => undefined);
    const ignored = (): Promise<void> => Promise.resolve();
    try {
      const seconds = await new Promise<number>((resolve) => {
        void queue.work({
          'refresh-anomalies': ignored,
          'derive-feeds': ignored,
          'monitor-collection': async (job) => {
            if (job.collectionId === collectionId) resolve((performance.now() - killed) / 1000);
          },
        });
      });
      assert.ok(seconds < 15, `${seconds} s`); // the bound of issue 18
      const counts = await jobCounts(db);
      assert.deepEqual(
        counts.map(({ name }) => name),
        ['refresh-anomalies', 'monitor-collection', 'derive-feeds'],
      );
    } finally {
      await queue.close();
    }
  });

  test('two concurrent transactions that queue the same job do not wait for each other', async () => {
    const aoiId = newId('aoi');
    await world.storage.transaction((stores) => ask(stores, aoiId));
    await world.storage.transaction(async (first) => {
      await ask(first, aoiId);
      await world.storage.transaction((second) => ask(second, aoiId));
    });
    assert.ok((await waiting(aoiId)) >= 1);
  });
});
