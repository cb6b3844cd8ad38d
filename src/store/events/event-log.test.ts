import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { dropDatabase, emptyDatabase, SILENT } from '../../../test/fixtures/database.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import type { EventPosition } from '../../app/events/event-log.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { getEvent, listEvents } from '../../app/events/read-events.ts';
import type { Owner } from '../../app/owner.ts';
import type { Stores } from '../../app/storage.ts';
import { openDatabase } from '../connection/database.ts';
import { orderAllEvents } from './event-order.ts';

describe('events in the order in which they were committed', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  const emit = (stores: Stores, owner: Owner, n: number) =>
    stores.events.emit(owner, n % 2 === 0 ? 'webhook.test' : 'change.detected', { n });
  /** Polls page by page, each time continuing after the last id. @returns the ids of all events */
  async function poll(owner: Owner, after?: string, limit = 2): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const page = await listEvents(world.storage, owner, {
        after: ids.at(-1) ?? after,
        type: undefined,
        limit,
      });
      ids.push(...page.events.map(({ id }) => id));
      if (!page.more) return ids;
    }
  }
  /** Creates an owner that only one test uses. */
  async function fresh(): Promise<Owner> {
    const { id } = await world.storage.accounts.create(newId('account'));
    return { accountId: id, environment: 'production' };
  }
  /** Emits an event in a transaction that stays open until the returned `commit` is called. */
  async function open(owner: Owner, n: number) {
    const written = Promise.withResolvers<string>();
    const finish = Promise.withResolvers<void>();
    const done = world.storage.transaction(async (stores) => {
      written.resolve(await emit(stores, owner, n));
      await finish.promise;
    });
    const id = await written.promise;
    return {
      id,
      commit: () => {
        finish.resolve();
        return done;
      },
    };
  }

  test('a poller does not miss an event that is committed late, and gets none twice', async () => {
    const owner = await fresh();
    const first = await emit(world.storage, owner, 1);
    assert.deepEqual(await poll(owner), [first]);
    const late = await open(owner, 2);
    const early = await emit(world.storage, owner, 3);
    assert.ok(early > late.id, 'the late one was made before');
    assert.deepEqual(await poll(owner, first), [early], 'an open transaction delays no other');
    assert.deepEqual(await poll(owner, early), []);
    await late.commit();
    assert.deepEqual(await poll(owner, early), [late.id]);
    assert.deepEqual(await poll(owner), [first, early, late.id]);
  });

  test('an open transaction in another database of the server delays no event', async (t) => {
    const url = await emptyDatabase();
    const other = await openDatabase({ connection: { connectionString: url }, log: SILENT });
    t.after(async () => {
      await other.close();
      await dropDatabase(url);
    });
    const owner = await fresh();
    await other.db.transaction().execute(async (foreign) => {
      await sql`select pg_current_xact_id()`.execute(foreign);
      const id = await emit(world.storage, owner, 1);
      assert.deepEqual(await poll(owner), [id]);
    });
  });

  test('a reader sees the events that another process numbers meanwhile', async () => {
    const owner = await fresh();
    const id = await emit(world.storage, owner, 1);
    const asked = { after: undefined, type: undefined, limit: 9 };
    // Numbers the event as `orderEvents` does, and holds its lock until the readers wait for it.
    const readers = await world.database.db.transaction().execute(async (numbering) => {
      const theirs = sql`account_id = ${owner.accountId} and environment = ${owner.environment}`;
      await sql`insert into event_heads (account_id, environment, seq)
        values (${owner.accountId}, ${owner.environment}, 1)`.execute(numbering);
      await sql`update events set seq = 1 where ${theirs}`.execute(numbering);
      const [page, end] = [world.storage.eventLog.page(owner, asked), world.storage.eventLog.end(owner)];
      for (let waiting = 0; waiting < 2;) {
        const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
          where wait_event_type = 'Lock' and query like '%event_heads%'`.execute(world.database.db);
        waiting = rows[0]!.count;
      }
      return { page, end };
    });
    const { events } = await readers.page;
    assert.deepEqual(
      events.map((event) => event.id),
      [id],
    );
    assert.equal((await readers.end).seq, 1);
  });

  test('a worker numbers the events of all owners, also more than one transaction may', async () => {
    const [busy, quiet] = [await fresh(), await fresh()];
    await orderAllEvents(world.database.db);
    const events = Array.from({ length: 2_300 }, (_, n) => ({
      owner: busy,
      type: 'webhook.test' as const,
      data: { n },
    }));
    await world.storage.events.emitAll(events);
    const last = await emit(world.storage, quiet, 1);
    assert.equal(await orderAllEvents(world.database.db), 2_301);
    assert.equal(await orderAllEvents(world.database.db), 0);
    const { rows } = await sql<{ seq: number }>`
      select seq from events where account_id = ${busy.accountId} order by seq`.execute(world.database.db);
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      Array.from({ length: 2_300 }, (_, n) => n + 1),
    );
    assert.deepEqual(await poll(quiet), [last]);
  });

  test('an owner numbers its own events, and row-level security keeps it to these', async () => {
    const [owner, other] = [await fresh(), await fresh()];
    const mine = await emit(world.storage, owner, 1);
    await emit(world.storage, other, 1);
    const bound = world.storage.boundTo(owner);
    const page = await bound.eventLog.page(owner, { after: undefined, type: undefined, limit: 9 });
    assert.deepEqual(
      page.events.map(({ id }) => id),
      [mine],
    );
    const across = await bound.eventLog.page(other, { after: undefined, type: undefined, limit: 9 });
    assert.deepEqual(across.events, []);
    assert.equal(await orderAllEvents(world.database.db), 1, 'that of the other owner');
  });

  test('with many writers, a poller gets every event once and in order', async () => {
    const owner = await fresh();
    const writing = new AbortController();
    const seen: string[] = [];
    const polling = (async () => {
      while (!writing.signal.aborted) seen.push(...(await poll(owner, seen.at(-1), 7)));
      seen.push(...(await poll(owner, seen.at(-1), 7)));
    })();
    const write = (n: number): Promise<string> =>
      world.storage.transaction(async (stores) => {
        const id = await emit(stores, owner, n);
        await new Promise((resolve) => setTimeout(resolve, (n * 7) % 20));
        return id;
      });
    // In rounds: a transaction waits for a connection for some seconds only.
    const written: string[] = [];
    for (let round = 0; round < 5; round++)
      written.push(...(await Promise.all(Array.from({ length: 12 }, (_, i) => write(12 * round + i)))));
    writing.abort();
    await polling;
    assert.equal(new Set(seen).size, seen.length, 'one came twice');
    assert.deepEqual(seen.toSorted(), written.toSorted());
    assert.deepEqual(await poll(owner, undefined, 1000), seen, 'another time the same order');
  });

  test('reading after an event that came by webhook continues there, also with what is committed later', async () => {
    const owner = await fresh();
    const late = await open(owner, 1);
    const ahead = await emit(world.storage, owner, 2);
    const { end } = await listEvents(world.storage, owner, { after: ahead, type: undefined, limit: 5 });
    await late.commit();
    const next = await world.storage.eventLog.page(owner, { after: end, type: undefined, limit: 5 });
    assert.deepEqual(
      next.events.map(({ id }) => id),
      [late.id],
    );
    assert.deepEqual(await poll(owner, ahead), [late.id]);
  });

  test('events are filtered by type and by owner', async () => {
    const owner = await fresh();
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push(await emit(world.storage, owner, n));
    const tests = await listEvents(world.storage, owner, {
      after: undefined,
      type: 'webhook.test',
      limit: 9,
    });
    assert.deepEqual(
      tests.events.map(({ id }) => id),
      [ids[0], ids[2]],
    );
    assert.deepEqual((JSON.parse(tests.events[1]!.body) as { data: unknown }).data, { n: 2 });
    assert.equal((await getEvent(world.storage, owner, ids[3]!)).type, 'change.detected');
    for (const other of [...world.others, { ...owner, environment: 'sandbox' } as const]) {
      assert.ok(!(await poll(other)).some((id) => ids.includes(id)));
      await assert.rejects(getEvent(world.storage, other, ids[0]!), NotFound);
      await assert.rejects(poll(other, ids[0]), InvalidInput);
    }
  });

  test('a type that must be named is in no list without a type, but is found by its type and its id', async () => {
    const owner = await fresh();
    const first = await emit(world.storage, owner, 1);
    const suspected = await world.storage.events.emit(owner, 'change.suspected', {});
    const last = await emit(world.storage, owner, 2);
    assert.deepEqual(await poll(owner), [first, last]);
    assert.deepEqual(await poll(owner, suspected), [last]);
    const named = await listEvents(world.storage, owner, {
      after: undefined,
      type: 'change.suspected',
      limit: 9,
    });
    assert.deepEqual(
      named.events.map(({ id }) => id),
      [suspected],
    );
    assert.equal((await getEvent(world.storage, owner, suspected)).type, 'change.suspected');
  });

  test('a position that is not a stored event is refused', async () => {
    const owner = await fresh();
    for (const after of [newId('event'), newId('webhook'), 'x', '']) {
      await assert.rejects(poll(owner, after), (error: unknown) => {
        assert.ok(error instanceof InvalidInput);
        assert.equal(error.param, 'after');
        assert.match(error.message, /^after: expected the id of an event of the last 30 days, got "/);
        return true;
      });
      await assert.rejects(getEvent(world.storage, owner, after), NotFound);
    }
  });

  test('a waiting reader is woken by events after its position, and by no others', async () => {
    const [owner, other] = [await fresh(), await fresh()];
    const { eventLog } = world.storage;
    const from: EventPosition = await eventLog.end(owner);
    const readers = [
      { owner, from },
      { owner: other, from: await eventLog.end(other) },
    ];
    assert.deepEqual(await eventLog.news(readers), []);
    assert.deepEqual(await eventLog.news([]), []);
    const id = await emit(world.storage, owner, 1);
    assert.deepEqual(await eventLog.news(readers), [0]);
    await orderAllEvents(world.database.db);
    assert.deepEqual(await eventLog.news(readers), [0], 'numbered, and still after the position');
    const { position } = (await eventLog.find(owner, id))!;
    assert.deepEqual(await eventLog.news([{ owner, from: position! }]), []);
    const late = await open(other, 2);
    assert.deepEqual(await eventLog.news(readers), [0], 'not yet committed');
    await late.commit();
    assert.deepEqual(await eventLog.news(readers), [0, 1]);
  });
});
