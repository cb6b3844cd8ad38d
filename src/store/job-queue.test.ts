import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import { waitForRoom } from '../app/job-queue.ts';
import type { Stores } from '../app/storage.ts';
import { newId } from '../base/ids.ts';
import { JobQueue, type JobHandlers } from './job-queue.ts';
import type { JobEngine } from './jobs/job-engine.ts';
import { addJob } from './jobs/job-rows.ts';

const noJob = (): Promise<void> => Promise.resolve();
const IDLE: JobHandlers = {
  'refresh-anomalies': noJob,
  'derive-feeds': noJob,
  'monitor-collection': noJob,
  'help-search': noJob,
};

describe('jobs that wait', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());
  const waiting = async (aoiId: string): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from jobs
      where kind = 'refresh-anomalies' and state = 'waiting' and subject = ${aoiId}`.execute(
      world.database.db,
    );
    return rows[0]!.n;
  };
  const ask = ({ jobs }: Stores, aoiId: string) => jobs.refreshAnomalies({ ...world.owner, aoiId });

  test('many transactions that queue a job for an area leave one waiting job; another area has its own', async () => {
    const [aoiId, other] = [newId('aoi'), newId('aoi')];
    for (let i = 0; i < 5; i++) await world.storage.transaction((stores) => ask(stores, aoiId));
    await world.storage.transaction((stores) => ask(stores, other));
    assert.deepEqual([await waiting(aoiId), await waiting(other)], [1, 1]);
  });

  test('a connection that is bound to an owner queues jobs, and does not reach those of others', async () => {
    const aoiId = newId('aoi');
    const [elsewhere, stranger] = world.others as [typeof world.owner, typeof world.owner];
    await world.storage.boundTo(world.owner).jobs.refreshAnomalies({ ...world.owner, aoiId });
    await world.storage.boundTo(world.owner).jobs.refreshAnomalies({ ...world.owner, aoiId });
    assert.equal(await waiting(aoiId), 1);
    for (const other of [elsewhere, stranger])
      await assert.rejects(
        world.storage.boundTo(other).jobs.refreshAnomalies({ ...world.owner, aoiId }),
        /row-level security/,
      );
  });

  test('a waiting job does not start before the transaction that relies on it ends; after its start a new job is queued', async () => {
    const aoiId = newId('aoi');
    await world.storage.transaction((stores) => ask(stores, aoiId));
    // Takes the job in the same way as the relay, which skips locked jobs.
    const take = () =>
      sql`update jobs set state = 'sent' where id in (select id from jobs
        where state = 'waiting' and subject = ${aoiId} for update skip locked)`.execute(world.database.db);
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

  test('two concurrent transactions that queue the same job do not wait for each other', async () => {
    const aoiId = newId('aoi');
    await world.storage.transaction((stores) => ask(stores, aoiId));
    await world.storage.transaction(async (first) => {
      await ask(first, aoiId);
      await world.storage.transaction((second) => ask(second, aoiId));
    });
    assert.ok((await waiting(aoiId)) >= 1);
  });

  test('a backfill that waits becomes urgent when a new scene arrives', async () => {
    const collectionId = newId('collection');
    const { jobs } = world.storage;
    const priority = async (): Promise<readonly number[]> =>
      (
        await world.database.db
          .selectFrom('jobs')
          .select('priority')
          .where('subject', '=', collectionId)
          .execute()
      ).map((row) => row.priority);
    await jobs.monitorCollection({ collectionId, priority: 'backfill' });
    assert.deepEqual(await priority(), [1]);
    await jobs.monitorCollection({ collectionId });
    assert.deepEqual(await priority(), [0]);
    await jobs.monitorCollection({ collectionId, priority: 'backfill' });
    assert.deepEqual(await priority(), [0]);
  });

  test('new jobs are sent before backfills, accounts in turn, and for a collection one at a time', async () => {
    const { db } = world.database;
    await db.deleteFrom('jobs').execute();
    const sent: string[] = [];
    /** Takes messages and never hands them out. */
    const engine: JobEngine = {
      name: 'fake',
      start: noJob,
      send: async (_transaction, jobs) => {
        sent.push(...jobs.map(({ data }) => (data as { collectionId: string }).collectionId));
        return jobs.map(({ id }) => id);
      },
      missing: async () => [],
      work: noJob,
      close: noJob,
    };
    const add = (
      account: number,
      collectionId: string,
      kind: 'monitor-collection' | 'derive-feeds',
      priority: 'new' | 'backfill',
    ) =>
      addJob(db, {
        kind,
        subject: collectionId,
        owner: { accountId: accounts[account]!, environment: 'production' },
        priority,
        data: { collectionId },
      });
    // Nine accounts: more than have a place for four each.
    const accounts: string[] = [];
    for (let n = 0; n < 9; n++) accounts.push((await world.storage.accounts.create(`turn ${n}`)).id);
    for (let account = 0; account < 9; account++)
      for (const n of [1, 2, 3, 4, 5])
        await add(account, `old-${account}-${n}`, 'monitor-collection', 'backfill');
    for (let account = 0; account < 8; account++)
      for (const n of [1, 2, 3, 4, 5]) await add(account, `new-${account}-${n}`, 'monitor-collection', 'new');
    await add(8, 'new-8-1', 'monitor-collection', 'new');
    const queue = new JobQueue(db, () => undefined, { engine });
    await queue.work(IDLE);
    try {
      for (let tries = 0; sent.length < 32; tries++, await sleep(50)) assert.ok(tries < 1_200, sent.join());
      assert.ok(!sent.some((id) => id.startsWith('old')), 'new ones first');
      assert.ok(sent.slice(0, 9).includes('new-8-1'), 'in the first turn, although it came last');
      // Of a collection that is with a worker nothing else is sent until that is done.
      await add(0, 'new-0-1', 'derive-feeds', 'new');
      await add(0, 'free', 'derive-feeds', 'new');
      for (let tries = 0; !sent.includes('free'); tries++, await sleep(50))
        assert.ok(tries < 1_200, sent.join());
      await sleep(600);
      assert.equal(sent.filter((id) => id === 'new-0-1').length, 1);
      await db.deleteFrom('jobs').where('subject', '=', 'new-0-1').where('state', '=', 'sent').execute();
      for (let tries = 0; sent.filter((id) => id === 'new-0-1').length < 2; tries++, await sleep(50))
        assert.ok(tries < 1_200, sent.join());
    } finally {
      await queue.close();
      await db.deleteFrom('jobs').execute();
    }
  });

  test('the backlog of one account is full at its bound, that of another is not', async () => {
    const queue = new JobQueue(world.database.db, () => undefined, { backlog: 3 });
    const { db } = world.database;
    await db.deleteFrom('jobs').execute();
    const jobs = queue.over(db);
    for (const n of [1, 2]) await jobs.refreshAnomalies({ ...world.owner, aoiId: `aoi_${n}` });
    assert.equal(await jobs.isFull(world.owner.accountId), false);
    await jobs.refreshAnomalies({ ...world.owner, aoiId: 'aoi_3' });
    assert.equal(await jobs.isFull(world.owner.accountId), true);
    assert.equal(await jobs.isFull(world.others[1]!.accountId), false);
    assert.equal(await jobs.isFull(null), false);
    // An ingest waits until there is room, and ends when it is stopped.
    let waits = 0;
    const begun = Promise.withResolvers<void>();
    const onWait = (): void => {
      waits++;
      begun.resolve();
    };
    const waiting = waitForRoom(jobs, world.owner.accountId, { lookMs: 20, onWait });
    await begun.promise;
    await assert.rejects(waitForRoom(jobs, world.owner.accountId, { signal: AbortSignal.timeout(50) }), {
      name: 'AbortError',
    });
    assert.equal(waits, 1);
    await db.deleteFrom('jobs').where('subject', '=', 'aoi_3').execute();
    await waiting;
    assert.equal(waits, 1);
    const unbounded = new JobQueue(db, () => undefined, { backlog: 0 }).over(db);
    assert.equal(await unbounded.isFull(world.owner.accountId), false);
  });

  test('a queue that cannot start tells it once, and starts when it can', async () => {
    const { db } = world.database;
    const told: string[] = [];
    const queue = new JobQueue(db, (error) => told.push(String(error)));
    const runs: string[] = [];
    await sql`alter schema groundwatch_jobs rename to away`.execute(db);
    try {
      const working = queue.work({
        ...IDLE,
        'monitor-collection': async ({ collectionId }) => void runs.push(collectionId),
      });
      while (queue.trouble === undefined) await sleep(20);
      assert.match(queue.trouble, /could not be started/);
      await sql`alter schema away rename to groundwatch_jobs`.execute(db);
      await working;
      assert.equal(queue.trouble, undefined);
      assert.equal(told.length, 1, told.join());
      await queue.over(db).monitorCollection({ collectionId: 'col_started_late' });
      while (runs.length === 0) await sleep(20);
      assert.deepEqual(runs, ['col_started_late']);
    } finally {
      await queue.close();
    }
  });
});
