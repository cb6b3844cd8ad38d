import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely, KyselyPlugin } from 'kysely';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import type { Database } from '../schema.ts';
import type { JobEngine, JobKind } from './job-engine.ts';
import { JobRelay } from './job-relay.ts';
import { addJob } from './job-rows.ts';

const nothing = (): Promise<void> => Promise.resolve();

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

  test('without a job that is due, a look is one query, without a transaction of its own', async () => {
    const relay = new JobRelay(db, engine().made, 4, fail);
    const looksFor = () => asked.filter((query) => query.includes("state = 'waiting'"));
    const begun = performance.now();
    relay.start();
    while (looksFor().length < 5) await sleep(20);
    await relay.stop();
    const seconds = (performance.now() - begun) / 1000;
    const looks = looksFor();
    assert.ok(looks.length <= 2 + 4 * seconds, `${looks.length} looks in ${seconds} s`);
    assert.deepEqual(
      asked.filter((query) => query.includes('pg_try_advisory')),
      [],
    );
    // The rest looks for lost workers, twice a second.
    assert.ok(asked.length - looks.length <= 2 * (1 + seconds), asked.join('\n'));
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
    relay.start();
    for (let tries = 0; told.length === 0; tries++, await sleep(50))
      assert.ok(tries < 1_200, 'nobody was told');
    await relay.stop();
    assert.deepEqual(told[0]!.kinds.toSorted(), ['derive-feeds', 'monitor-collection']);
    assert.deepEqual(await told[0]!.states, ['sent', 'sent']);
    assert.equal(told.length, 1, 'what was sent once is told once');
  });
});
