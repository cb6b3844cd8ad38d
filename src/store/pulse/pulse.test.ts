import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type CompiledQuery, type Kysely } from 'kysely';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { ENTRIES_WAIT } from '../audit/audit-seal.ts';
import { EVENTS_WAIT } from '../events/event-order.ts';
import { MARKS_WAIT } from '../incidents/incident-marks.ts';
import type { Database } from '../schema.ts';
import { DIGESTS_WAIT } from '../subscription-store.ts';
import { DELIVERIES_WAIT } from '../waiting-endpoints.ts';
import { Pulse } from './pulse.ts';

const until = async (what: string, isTrue: () => boolean): Promise<void> => {
  for (let tries = 0; !isTrue(); tries++, await sleep(10)) assert.ok(tries < 3_000, what);
};

describe('the pulse', () => {
  let world: TestStorage;
  let db: Kysely<Database>;
  const open: Pulse[] = [];
  const told: string[] = [];
  /** Questions of pulses; a question fails while `fails` says how. */
  let asked = 0;
  let fails: Error | undefined;
  before(async () => {
    world = await testStorage();
    await sql`create table marks (name text)`.execute(world.database.db);
    const { db: asIs } = world.database;
    db = {
      executeQuery: (question: CompiledQuery) => {
        asked += 1;
        return fails === undefined ? asIs.executeQuery(question) : Promise.reject(fails);
      },
    } as unknown as Kysely<Database>;
  });
  beforeEach(async () => {
    await sql`delete from marks`.execute(world.database.db);
    [told.length, asked, fails] = [0, 0, undefined];
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((pulse) => pulse.stop()));
  });
  after(() => world.close());

  const mark = (name: string) => sql`insert into marks values (${name})`.execute(world.database.db);
  /** A pulse with a watch for marks of each name, and the calls of each. */
  const pulseOf = (names: readonly string[], times = {}) => {
    const pulse = new Pulse(db, (error) => told.push(String(error)), times);
    open.push(pulse);
    const looks = names.map(() => [] as unknown[]);
    const ends = names.map((name, i) =>
      pulse.watch({
        name,
        waits: `(select array_agg(name) from marks where name = '${name}')`,
        look: (found) => looks[i]!.push(found),
      }),
    );
    return { pulse, looks, ends };
  };

  test('only the worker whose work waits looks, with one question for all', async () => {
    const { pulse, looks } = pulseOf(['a', 'b', 'c'], { busyMs: 60, restMs: 60 });
    pulse.start();
    await until('it asks', () => asked >= 3);
    assert.deepEqual(looks, [[], [], []]);
    await mark('b');
    await until('b looks', () => looks[1]!.length > 0);
    assert.deepEqual(looks[1]![0], ['b']);
    assert.deepEqual([looks[0], looks[2]], [[], []]);
    await pulse.stop();
    const questions = asked;
    await sleep(200);
    assert.equal(asked, questions, 'nothing is asked after the stop');
  });

  test('a nudge asks at once, and does nothing before the start', async () => {
    const { pulse, looks } = pulseOf(['a'], { busyMs: 600_000, restMs: 600_000 });
    pulse.nudge();
    assert.equal(asked, 0);
    pulse.start();
    await until('the first question', () => asked === 1);
    await sleep(150);
    assert.equal(asked, 1);
    await mark('a');
    pulse.nudge();
    await until('it looks', () => looks[0]!.length === 1);
  });

  test('a commit of this process nudges, a rollback does not', async (t) => {
    const nudge = t.mock.method(Pulse.prototype, 'nudge', () => undefined);
    await world.storage.transaction(() => Promise.resolve());
    assert.equal(nudge.mock.callCount(), 1);
    await assert.rejects(world.storage.transaction(() => Promise.reject(new Error('no'))));
    await world.storage.boundTo(world.owner).transaction(() => Promise.resolve());
    assert.equal(nudge.mock.callCount(), 2);
  });

  test('at rest it asks less often, and with work as often again', async (t) => {
    const begun = performance.now();
    let calmMs = 0;
    t.mock.method(performance, 'now', () => begun + calmMs);
    const { pulse } = pulseOf(['a'], { busyMs: 60, restMs: 600_000 });
    pulse.start();
    await until('it asks often', () => asked >= 3);
    calmMs = 5_100;
    await sleep(200);
    const questions = asked;
    await sleep(300);
    assert.equal(asked, questions, 'it rests');
    await mark('a');
    pulse.nudge();
    await until('it asks often again', () => asked >= questions + 4);
  });

  test('a database that is away is told once, and work is seen when it is back', async () => {
    const { pulse, looks } = pulseOf(['a'], { busyMs: 60, restMs: 60 });
    fails = new Error('away');
    pulse.start();
    await until('it asks', () => asked >= 4);
    assert.deepEqual([told, looks[0]], [['Error: away'], []]);
    await mark('a');
    fails = undefined;
    await until('it looks', () => looks[0]!.length > 0);
    fails = new Error('away');
    const questions = asked;
    await until('it fails again', () => asked >= questions + 3);
    assert.deepEqual(told, ['Error: away', 'Error: away'], 'the next outage is told again');
  });

  test('a watch that the database does not understand holds up no other', async () => {
    const { pulse, looks } = pulseOf(['a'], { busyMs: 60, restMs: 60 });
    const end = pulse.watch({
      name: 'gone',
      waits: '(select true from no_such_table)',
      look: () => undefined,
    });
    pulse.start();
    await until('the others look all the same', () => looks[0]!.length > 1);
    assert.equal(told.length, 1);
    assert.match(told[0]!, /no_such_table/);
    end();
    // A question that was under way at the end may still fail; the one after it has begun without the watch.
    const before = asked;
    await until('it asks again', () => asked >= before + 2);
    looks[0]!.length = 0;
    await until('it asks on', () => asked >= before + 5);
    assert.equal(looks[0]!.length, 0);
  });

  test('a watch that ended is asked no more', async () => {
    const { pulse, looks, ends } = pulseOf(['a', 'b'], { busyMs: 60, restMs: 60 });
    await mark('a');
    await mark('b');
    pulse.start();
    await until('both look', () => looks.every((look) => look.length > 0));
    ends[0]!();
    const before = looks[0]!.length;
    const of = looks[1]!.length;
    await until('the other looks', () => looks[1]!.length > of + 3);
    assert.equal(looks[0]!.length, before);
  });

  test('what waits is found by an index, however much has been done before', async () => {
    const plan = async (waits: string): Promise<string> => {
      const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${sql.raw(`select ${waits}`)}`.execute(
        world.database.db,
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    assert.match(await plan(EVENTS_WAIT), /events_unordered/);
    assert.match(await plan(MARKS_WAIT), /incident_marks_owner/);
    const deliveries = await plan(DELIVERIES_WAIT);
    assert.match(deliveries, /deliveries_due/);
    assert.doesNotMatch(deliveries, /Seq Scan on deliveries|Hash/);
    // The planner may read a small table as it is.
    for (const waits of [DIGESTS_WAIT, ENTRIES_WAIT]) assert.match(await plan(waits), /Limit/);
  });
});
