import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { WorkerPresence } from './worker-presence.ts';

const SEARCH = randomUUID();

describe('turns of the units of a search', () => {
  let world: TestStorage;
  let presence: WorkerPresence;
  before(async () => {
    world = await testStorage();
    presence = new WorkerPresence(world.database.pool.options);
    presence.start();
    while (presence.number === null) await sleep(20);
  });
  after(async () => {
    await sql`delete from search_units where search = ${SEARCH}`.execute(world.database.db);
    await presence.close();
    await world.close();
  });
  /** Lets another process have a unit, which it spoke of last some seconds ago. */
  const given = async (unit: string, holder: number | null, secondsAgo: number): Promise<void> => {
    await sql`insert into search_units (search, unit, worker, holder, beat_at) values
      (${SEARCH}, ${unit}, ${randomUUID()}, ${holder}, now() - make_interval(secs => ${secondsAgo}))
      on conflict (search, unit) do update set beat_at = excluded.beat_at`.execute(world.database.db);
  };
  const gone = 2 ** 31 - 1; // the numbers of workers are below it

  test('a process keeps its unit while its session lasts, or while it says that it runs it', async () => {
    const speaks = async (): Promise<void> => {
      await given('seen', presence.number, 6);
      await given('without a session', null, 4);
      await given('gone, but spoke just now', gone, 0);
    };
    const units = ['seen', 'without a session', 'gone, but spoke just now'];
    for (const [asked, taken] of [
      [units, undefined],
      [[...units, 'free'], 'free'],
      [['free'], undefined],
    ] as const) {
      await speaks();
      assert.equal(await world.storage.turns.take(SEARCH, asked), taken);
    }
    await world.storage.turns.giveBack(SEARCH, 'free');
    assert.equal(await world.storage.turns.take(SEARCH, ['free']), 'free');
    await world.storage.turns.giveBack(SEARCH, 'free');
  });

  test('another takes the unit of a process whose session ended three seconds ago, or that is silent for eight', async () => {
    await given('gone', gone, 4);
    await given('silent', presence.number, 9);
    await given('silent without a session', null, 9);
    for (const unit of ['gone', 'silent', 'silent without a session']) {
      assert.equal(await world.storage.turns.take(SEARCH, [unit]), unit);
      await world.storage.turns.giveBack(SEARCH, unit);
    }
  });
});
