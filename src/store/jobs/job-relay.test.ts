import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely, type KyselyPlugin } from 'kysely';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import { Pulse } from '../pulse/pulse.ts';
import type { Database } from '../schema.ts';
import type { JobEngine, JobKind } from './job-engine.ts';
import { JobRelay } from './job-relay.ts';
import { addJob } from './job-rows.ts';

const nothing = (): Promise<void> => Promise.resolve();

const until = async (what: string, isTrue: () => boolean): Promise<void> => {
  for (let tries = 0; !isTrue(); tries++, await sleep(50)) assert.ok(tries < 1_200, what);
};

describe('what a relay asks the database, and whom it tells', () => {
  let world: TestStorage;
  let db: Kysely<Database>;
  let asked: string[] = [];
  before(async () => {
    world = await testStorage();
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        asked.push(JSON.stringify(node));
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    db = world.database.db.withPlugin(counting);
  });
  beforeEach(() => void (asked = []));
  after(() => world.close());

  /** An engine of the queue that records each message to its workers, with its time. */
  function engine() {
    const told: { readonly kinds: readonly JobKind[]; readonly states: Promise<readonly string[]> }[] = [];
    const states = async (): Promise<readonly string[]> =>
      (await world.database.db.selectFrom('jobs').select('state').execute()).map(({ state }) => state);
    const made: JobEngine = {
      name: 'fake',
      start: nothing,
      send: (_transaction, jobs) => Promise.resolve(jobs.map(({ id }) => id)),
      sent: (kinds) => void told.push({ kinds: [...kinds], states: states() }),
      missing: () => Promise.resolve([]),
      work: nothing,
      close: nothing,
    };
    return { made, told };
  }
  const fail = (error: unknown): never => assert.fail(String(error));

  test('without a job that is due, a relay asks nothing after its first look', async () => {
    const relay = new JobRelay(db, engine().made, 4, fail);
    const pulse = new Pulse(world.database.db, fail);
    relay.start(pulse);
    pulse.start();
    await until('it looks', () => asked.length > 0);
    await sleep(1_500);
    await relay.stop();
    await pulse.stop();
    assert.equal(asked.length, 1, asked.join('\n'));
    assert.match(asked[0]!, /state = 'waiting'/);
  });

  test('a job of another process is found by the pulse, one that is due later when it is due', async () => {
    const { made, told } = engine();
    const relay = new JobRelay(db, made, 4, fail);
    const pulse = new Pulse(world.database.db, fail);
    relay.start(pulse);
    pulse.start();
    await until('it looks', () => asked.length > 0);
    const collectionId = newId('collection');
    // In one transaction, so that nobody sees the job before it has its time.
    await world.database.db.transaction().execute(async (transaction) => {
      await addJob(transaction, {
        kind: 'derive-feeds',
        subject: collectionId,
        owner: undefined,
        priority: 'new',
        data: { collectionId },
      });
      await sql`update jobs set run_at = clock_timestamp() + interval '2 seconds'`.execute(transaction);
    });
    await until('somebody is told', () => told.length > 0);
    const { rows } = await sql<{ late: number }>`
      select extract(epoch from sent_at - run_at)::float8 as late from jobs`.execute(world.database.db);
    assert.ok(rows[0]!.late >= 0 && rows[0]!.late < 60, `it is sent when it is due: ${rows[0]!.late} s`);
    await relay.stop();
    await pulse.stop();
    await world.database.db.deleteFrom('jobs').execute();
  });

  test('workers of the process are told of the kinds that were sent, when these can be read', async () => {
    const { made, told } = engine();
    for (const kind of ['monitor-collection', 'derive-feeds'] as const) {
      const collectionId = newId('collection');
      await addJob(world.database.db, {
        kind,
        subject: collectionId,
        owner: undefined,
        priority: 'new',
        data: { collectionId },
      });
    }
    const relay = new JobRelay(db, made, 4, fail);
    const pulse = new Pulse(world.database.db, fail);
    relay.start(pulse);
    pulse.start();
    await until('somebody is told', () => told.length > 0);
    await relay.stop();
    await pulse.stop();
    assert.deepEqual(told[0]!.kinds.toSorted(), ['derive-feeds', 'monitor-collection']);
    assert.deepEqual(await told[0]!.states, ['sent', 'sent']);
    assert.equal(told.length, 1, 'what was sent once is told once');
  });
});
