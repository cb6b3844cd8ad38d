// Long file: one suite for both engines of the queue, on one database.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { NATS_PROGRAM, natsServer, type NatsServer } from '../../test/fixtures/nats-server.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import { newId } from '../base/ids.ts';
import { setTracer, type SpanStart } from '../base/trace.ts';
import { JobQueue, type JobHandlers, type JobQueueOptions } from './job-queue.ts';
import { BossEngine } from './jobs/boss-engine.ts';
import type { JobEngine } from './jobs/job-engine.ts';
import { addJob, jobCounts } from './jobs/job-rows.ts';
import { NatsEngine } from './jobs/nats-engine.ts';
import { WorkerPresence } from './jobs/worker-presence.ts';

/** A worker that is away for longer may lose its job, as `jobs/job-relay.ts` has it [ms]. */
const AWAY_MS = 1_500;

const noJob = (): Promise<void> => Promise.resolve();
const IDLE: JobHandlers = {
  'refresh-anomalies': noJob,
  'derive-feeds': noJob,
  'monitor-collection': noJob,
  'help-search': noJob,
};

const ENGINES: readonly { readonly engine: 'pg-boss' | 'nats'; readonly skip: string | false }[] = [
  { engine: 'pg-boss', skip: false },
  {
    engine: 'nats',
    skip:
      (NATS_PROGRAM === undefined && 'SKIPPED: nats-server is not installed') ||
      (process.env['GROUNDWATCH_TEST_DATABASE_URL'] !== undefined &&
        'what NATS delivers does not depend on the database server'),
  },
];

for (const { engine: name, skip } of ENGINES)
  describe(`jobs with ${name}`, { skip }, () => {
    let world: TestStorage;
    let nats: NatsServer | undefined;
    const open: JobQueue[] = [];
    const told: string[] = [];
    before(async () => {
      world = await testStorage();
      if (name === 'nats') nats = await natsServer({ user: 'jobs', password: 's3:cret@' });
    });
    const closeAll = async (): Promise<void> => {
      await Promise.all(open.splice(0).map((queue) => queue.close()));
      await world.database.db.deleteFrom('jobs').execute();
      told.length = 0;
    };
    afterEach(closeAll);
    after(async () => {
      await nats?.remove();
      await world.close();
    });
    const onError = (error: unknown): void => void told.push(String(error));
    const engine = (): JobEngine => {
      const { db } = world.database;
      if (nats === undefined) return new BossEngine(db, onError);
      const servers = nats.url.replace('jobs:s3:cret@@', `jobs:${encodeURIComponent('s3:cret@')}@`);
      return new NatsEngine(db, { servers }, onError);
    };
    /** Starts a worker of a queue. */
    const work = async (handlers: Partial<JobHandlers>, options: JobQueueOptions = {}): Promise<JobQueue> => {
      const queue = new JobQueue(world.database.db, onError, { engine: engine(), ...options });
      open.push(queue);
      await queue.work({ ...IDLE, ...handlers });
      return queue;
    };
    const until = async (
      what: string,
      isTrue: () => boolean | Promise<boolean>,
      ms = 240_000,
    ): Promise<void> => {
      for (const end = performance.now() + ms; performance.now() < end; await sleep(50))
        if (await isTrue()) return;
      assert.fail(`${what}; errors: ${told.join('; ')}`);
    };
    const left = async (): Promise<number> =>
      (await sql<{ n: number }>`select count(*)::int as n from jobs`.execute(world.database.db)).rows[0]!.n;
    /** Queues a search of a collection that only this test has, for an account or for all. */
    const search = (subject: string, accountId: string | undefined, priority: 'new' | 'backfill' = 'new') =>
      addJob(world.database.db, {
        kind: 'monitor-collection',
        subject,
        owner: accountId === undefined ? undefined : { accountId, environment: 'production' },
        priority,
        data: { collectionId: subject },
      });

    test('a job runs below the trace of what queued it', async (t) => {
      const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
      const begun: SpanStart[] = [];
      let current: string | undefined = trace;
      setTracer({
        begin: (start) => {
          begun.push(start);
          return { traceparent: trace, run: (work) => work(), note: () => undefined, end: () => undefined };
        },
        current: () => current,
        record: () => undefined,
      });
      t.after(() => setTracer(undefined));
      await search('traced', undefined);
      current = undefined;
      await search('untraced', undefined);
      await work({});
      await until('both jobs', async () => (await left()) === 0);
      const parents = begun.map(({ name, parent }) => `${name} ${parent}`).toSorted();
      assert.deepEqual(parents, [`job monitor-collection ${trace}`, 'job monitor-collection null']);
    });

    test('each job is run once, by one of two workers, and then is gone', async () => {
      const ran: string[] = [];
      const handle = async ({ collectionId }: { collectionId: string }): Promise<void> => {
        ran.push(collectionId);
        await sleep(20);
      };
      const ids = Array.from({ length: 9 }, () => newId('collection'));
      for (const id of ids) await world.storage.jobs.deriveSeries({ collectionId: id });
      await work({ 'derive-feeds': handle });
      await work({ 'derive-feeds': handle });
      await until('all are done', async () => (await left()) === 0);
      assert.deepEqual(ran.toSorted(), ids.toSorted());
      assert.deepEqual(told, []);
    });

    test('a job of a transaction that is rolled back never runs, and no job runs before its transaction ends', async () => {
      const [kept, dropped] = [newId('collection'), newId('collection')];
      const ran: string[] = [];
      await work({ 'derive-feeds': async ({ collectionId }) => void ran.push(collectionId) });
      await assert.rejects(
        world.storage.transaction(async ({ jobs }) => {
          await jobs.deriveSeries({ collectionId: dropped });
          throw new Error('taken back');
        }),
        /taken back/,
      );
      await world.storage.transaction(async ({ jobs }) => {
        await jobs.deriveSeries({ collectionId: kept });
        await sleep(1_500);
        assert.deepEqual(ran, [], 'not before the commit');
      });
      await until('it ran', () => ran.length > 0);
      assert.deepEqual(ran, [kept]);
    });

    test('a job that fails is run again after a delay, and is given up, kept and counted after eight retries', async () => {
      const collectionId = newId('collection');
      const at: number[] = [];
      await world.storage.jobs.deriveSeries({ collectionId });
      await work({
        'derive-feeds': () => {
          at.push(performance.now());
          return Promise.reject(new Error('no luck'));
        },
      });
      await until('it was tried twice', () => at.length >= 2);
      assert.ok(at[1]! - at[0]! > 900, 'the first retry waits for a second');
      // As if it had failed seven times, and was due.
      const { db } = world.database;
      await until('it waits', async () => {
        const { numUpdatedRows } = await db
          .updateTable('jobs')
          .set({ failures: 8, run_at: new Date(0) })
          .where('state', '=', 'waiting')
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      });
      await until('it is given up', async () => {
        const counts = await jobCounts(db);
        return counts.find((one) => one.name === 'derive-feeds')!.failed === 1;
      });
      const { problem } = await db.selectFrom('jobs').select('problem').executeTakeFirstOrThrow();
      assert.match(problem ?? '', /no luck/);
      assert.ok(told.some((text) => text.includes('derive-feeds: Error: no luck')));
    });

    test('a backfill of one account does not hold up the new scenes of another', async () => {
      const [ours, theirs] = [world.owner.accountId, world.others[1]!.accountId];
      const [backfills, alsoNew, scene] = [
        Array.from({ length: 30 }, () => newId('collection')),
        Array.from({ length: 30 }, () => newId('collection')),
        newId('collection'),
      ];
      for (const id of backfills) await search(id, ours, 'backfill');
      for (const id of alsoNew) await search(id, ours);
      const ran: string[] = [];
      await work({
        'monitor-collection': async ({ collectionId }) => {
          ran.push(collectionId);
          await sleep(10);
        },
      });
      await until('it works', () => ran.length >= 3);
      await search(scene, theirs);
      const before = ran.length; // those that run while the scene is being queued do not count
      await until('the other account had its turn', () => ran.includes(scene));
      // Four messages are sent ahead; a fifth may be running.
      assert.ok(ran.indexOf(scene) - before <= 6, `${ran.indexOf(scene) - before} jobs ran before`);
      assert.ok(!ran.slice(0, 12).some((id) => backfills.slice(4).includes(id)), 'new scenes come first');
    });

    test('an account has at most its number of jobs with workers, a collection one, and others go on', async () => {
      const [ours, theirs] = [world.owner.accountId, world.others[1]!.accountId];
      const [first, ...more] = Array.from({ length: 6 }, () => newId('collection'));
      const other = newId('collection');
      const running = new Set<string>();
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      let most = 0;
      const handle = async ({ collectionId }: { collectionId: string }): Promise<void> => {
        assert.ok(!running.has(collectionId), 'two of one collection');
        running.add(collectionId);
        most = Math.max(most, [...running].filter((id) => id !== other).length);
        await held;
        running.delete(collectionId);
      };
      for (const id of [first!, ...more]) await search(id, ours);
      for (let worker = 0; worker < 4; worker++)
        await work({ 'monitor-collection': handle }, { perAccount: 2 });
      await until('two of ours run', () => running.size === 2);
      await search(first!, ours); // its first job runs, so it waits although a worker is free
      await search(other, theirs);
      await until('the other account goes on', () => running.has(other));
      await sleep(1_000);
      assert.equal(most, 2);
      release();
      await until('all are done', async () => (await left()) === 0);
      assert.ok(most <= 2);
    });

    test('the message of an earlier sending, or of a job that is done, has no effect', async () => {
      const collectionId = newId('collection');
      const ran: string[] = [];
      await work({ 'derive-feeds': async (job) => void ran.push(job.collectionId) });
      await world.storage.jobs.deriveSeries({ collectionId });
      await until('it ran', async () => ran.length === 1 && (await left()) === 0);
      const sender = engine();
      await sender.start();
      const job = { kind: 'derive-feeds', priority: 0, data: { collectionId } } as const;
      const { id } = await world.database.db
        .insertInto('jobs')
        .values({
          id: crypto.randomUUID(),
          kind: 'derive-feeds',
          account_id: null,
          environment: null,
          subject: collectionId,
          priority: 0,
          data: JSON.stringify({ collectionId }),
          state: 'sent',
          sends: 2,
          engine: name,
          message: '1',
          sent_at: new Date(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const send = async (sends: number): Promise<void> => {
        await until('the engine sends', () =>
          sender.send(world.database.db, [{ ...job, id, sends }]).then(
            () => true,
            () => false,
          ),
        );
      };
      await send(1);
      await sleep(2_000);
      assert.equal(ran.length, 1);
      await send(2);
      await until('the present one runs', () => ran.length === 2);
      await sender.close();
    });

    test('a message that was lost is sent again', async () => {
      const collectionId = newId('collection');
      await world.storage.jobs.deriveSeries({ collectionId });
      await world.database.db
        .updateTable('jobs')
        .set({ state: 'sent', sends: 1, engine: name, sent_at: new Date(Date.now() - 60_000) })
        .set({ message: name === 'nats' ? '999999' : crypto.randomUUID() })
        .execute();
      const ran: string[] = [];
      await work({ 'derive-feeds': async (job) => void ran.push(job.collectionId) });
      await until('it ran', () => ran.includes(collectionId));
      await until('it is gone', async () => (await left()) === 0);
    });

    test('jobs that another engine has are taken over', async () => {
      await world.storage.jobs.deriveSeries({ collectionId: newId('collection') });
      await world.database.db
        .updateTable('jobs')
        .set({ state: 'sent', sends: 1, engine: 'former', message: 'x', sent_at: new Date(0) })
        .execute();
      await work({});
      await until('it is done', async () => (await left()) === 0);
    });

    /**
     * Lets a worker lose its connection twice and then end, while another is there.
     * @returns false if the machine was so slow that the worker was away for longer than it may be
     */
    const losesAndEnds = async (): Promise<boolean> => {
      const { pool } = world.database;
      const collectionId = newId('collection');
      const ran: string[] = [];
      const end = Promise.withResolvers<void>();
      const [presence, other] = [new WorkerPresence(pool.options), new WorkerPresence(pool.options)];
      await work(
        {
          'derive-feeds': () => {
            ran.push('first');
            return end.promise; // it says at the engine that it lives
          },
        },
        { presence },
      );
      await until('it is seen', () => presence.number !== null);
      await world.storage.jobs.deriveSeries({ collectionId });
      await until('it began', () => ran.length > 0);
      await work({ 'derive-feeds': async () => void ran.push('second') }, { presence: other });
      await until('the other is seen', () => other.number !== null);
      let longestMs = 0;
      for (let loss = 0; loss < 2; loss++) {
        const lostAt = performance.now();
        const { rows } = await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'groundwatch worker' and datname = current_database()`);
        assert.equal(rows.length, 2);
        await until('it is away', () => presence.number === null);
        await until('it is back', () => presence.number !== null);
        longestMs = Math.max(longestMs, performance.now() - lostAt);
        await until('the other is back', () => other.number !== null);
        await sleep(3_000);
      }
      const isShort = longestMs < AWAY_MS;
      if (isShort) {
        assert.deepEqual(ran, ['first']);
        await presence.close();
        await until('another has it', () => ran.length > 1);
        await until('it is done', async () => (await left()) === 0);
        assert.deepEqual(ran, ['first', 'second']);
      }
      end.resolve();
      await closeAll();
      return isShort;
    };

    test('the job of a worker that ended goes to another at once, that of one that lost its connection does not', async () => {
      for (let tries = 1; !(await losesAndEnds()); tries++) assert.ok(tries < 10, 'each loss took too long');
    });
  });
