import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import type { EventPosition } from '../app/events/event-log.ts';
import { InvalidInput, NotFound } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { getEvent, listEvents } from '../app/events/read-events.ts';
import type { Owner } from '../app/owner.ts';
import type { Stores } from '../app/storage.ts';

describe('events in order of their transactions', () => {
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
    assert.deepEqual(await poll(owner, first), [], 'while the late one is open, nothing behind it is shown');
    assert.deepEqual(await poll(owner), [first]);
    await late.commit();
    assert.deepEqual(await poll(owner, first), [late.id, early]);
    assert.deepEqual(await poll(owner), [first, late.id, early]);
  });

  test('with many writers, a poller gets every event once and in order', async () => {
    const owner = await fresh();
    const count = 60;
    const writing = new AbortController();
    const seen: string[] = [];
    const polling = (async () => {
      while (!writing.signal.aborted) seen.push(...(await poll(owner, seen.at(-1), 7)));
      seen.push(...(await poll(owner, seen.at(-1), 7)));
    })();
    const written = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        world.storage.transaction(async (stores) => {
          const id = await emit(stores, owner, n);
          await new Promise((resolve) => setTimeout(resolve, (n * 7) % 20));
          return id;
        }),
      ),
    );
    writing.abort();
    await polling;
    assert.equal(new Set(seen).size, seen.length, 'one came twice');
    assert.deepEqual(seen.toSorted(), written.toSorted());
    assert.deepEqual(await poll(owner, undefined, 1000), seen, 'another time the same order');
  });

  test('reading after an event that is not listed yet, but came by webhook, continues after all listed events', async () => {
    const owner = await fresh();
    const late = await open(owner, 1);
    const ahead = await emit(world.storage, owner, 2);
    assert.deepEqual(await poll(owner, ahead), []);
    const after = await listEvents(world.storage, owner, { after: ahead, type: undefined, limit: 5 });
    await late.commit();
    const { horizon } = after;
    const next = await world.storage.eventLog.page(owner, { after: horizon, type: undefined, limit: 5 });
    assert.deepEqual(
      next.events.map(({ id }) => id),
      [late.id, ahead],
    );
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
    const from: EventPosition = await eventLog.horizon();
    const readers = [
      { owner, from },
      { owner: other, from },
    ];
    assert.deepEqual(await eventLog.news(readers), []);
    assert.deepEqual(await eventLog.news([]), []);
    const id = await emit(world.storage, owner, 1);
    assert.deepEqual(await eventLog.news(readers), [0]);
    const { xid } = (await eventLog.find(owner, id))!;
    assert.deepEqual(await eventLog.news([{ owner, from: { xid, id } }]), []);
    const late = await open(other, 2);
    assert.deepEqual(await eventLog.news(readers), [0], 'not yet final');
    await late.commit();
    assert.deepEqual(await eventLog.news(readers), [0, 1]);
  });
});
