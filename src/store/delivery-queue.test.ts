// Long file: one suite uses one database, and its tests share the helpers that queue, claim and settle deliveries.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import type { ClaimedDelivery, DeliveryQueue, Settlement, Verdict } from '../app/webhooks/delivery-queue.ts';
import { newId } from '../base/ids.ts';
import type { Stores } from '../app/storage.ts';
import { deliveryQueue } from './delivery-queue.ts';

const LONG_MS = 60_000; // longer than any test takes
const FAILED_AT_MS = Date.parse('2026-11-01T00:00:00Z');

describe('the delivery queue', () => {
  let world: TestStorage;
  let queue: DeliveryQueue;
  before(async () => {
    world = await testStorage();
    queue = deliveryQueue(world.database.db, world.sealing);
  });
  after(() => world.close());
  beforeEach(async () => {
    await world.database.db.deleteFrom('webhooks').execute();
    await world.database.db.deleteFrom('events').execute();
  });

  const claim = (over: Partial<Parameters<DeliveryQueue['claim']>[0]> = {}) =>
    queue.claim({
      limit: 100,
      leaseMs: LONG_MS,
      perEndpoint: 100,
      room: new Map(),
      heldAccounts: [],
      ...over,
    });
  async function endpoint(events: readonly string[] = ['*'], secret = 'whsec_a'): Promise<string> {
    const id = newId('webhook');
    const { owner, storage } = world;
    await storage.webhooks.create(
      { ...owner, id, url: 'https://example.com/', events, status: 'active' },
      secret,
    );
    return id;
  }
  /** Emits events for one endpoint, the earliest due first. */
  async function queued(webhookId: string, count: number): Promise<string[]> {
    const ids = [];
    for (let i = 0; i < count; i++)
      ids.push(await world.storage.events.emit(world.owner, 'webhook.test', { n: i }, webhookId));
    return ids;
  }
  /** Creates an account with one endpoint that has `count` pending deliveries. */
  async function accountWith(count: number): Promise<{ accountId: string; endpoints: string[] }> {
    const { id: accountId } = await world.storage.accounts.create(newId('account'));
    return { accountId, endpoints: [await endpointOf(accountId, count)] };
  }
  async function endpointOf(accountId: string, count: number): Promise<string> {
    const owner = { accountId, environment: 'production' } as const;
    const id = newId('webhook');
    const endpoint = { ...owner, id, url: 'https://example.com/', events: ['*'], status: 'active' } as const;
    await world.storage.webhooks.create(endpoint, 'whsec_a');
    for (let i = 0; i < count; i++) await world.storage.events.emit(owner, 'webhook.test', { i }, id);
    return id;
  }
  /** Runs work in a transaction that stays open. @returns a function that commits the transaction */
  async function leftOpen(work: (stores: Stores) => Promise<unknown>): Promise<() => Promise<void>> {
    const worked = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const done = world.storage.transaction(async (stores) => {
      await work(stores);
      worked.resolve();
      await finish.promise;
    });
    await worked.promise;
    return () => {
      finish.resolve();
      return done;
    };
  }
  /** Waits until a statement waits for a lock of another transaction. */
  async function untilWaiting(): Promise<void> {
    for (;;) {
      const { rows } = await sql<{ waits: boolean }>`
        select exists (select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(
        world.database.db,
      );
      if (rows[0]!.waits) return;
      await setTimeout(5);
    }
  }
  const deliveries = async (webhookId: string) =>
    (await world.storage.deliveries.list(world.owner, webhookId, { limit: 100, after: undefined })).items;
  const found = (webhookId: string) => world.storage.webhooks.find(world.owner, webhookId);
  const failingSince = async (webhookId: string) => {
    const { db } = world.database;
    const row = await db
      .selectFrom('webhooks')
      .select('failing_since')
      .where('id', '=', webhookId)
      .executeTakeFirst();
    return row?.failing_since?.getTime() ?? null;
  };
  const settled = (delivery: ClaimedDelivery, verdict: Verdict): Settlement => ({
    delivery,
    verdict,
    attempt: {
      startedAtMs: FAILED_AT_MS,
      durationMs: 12.6,
      status: verdict.kind === 'delivered' ? 204 : 500,
      answer: 'no',
      error: verdict.kind === 'delivered' ? null : 'answered 500',
    },
  });

  test('change.suspected goes to endpoints that name it, and not to those with "*" only', async () => {
    const all = await endpoint(['*']);
    const both = await endpoint(['*', 'change.suspected']);
    const named = await endpoint(['change.suspected']);
    const suspected = await world.storage.events.emit(world.owner, 'change.suspected', {});
    const detected = await world.storage.events.emit(world.owner, 'change.detected', {});
    const sent = async (id: string) => (await deliveries(id)).map(({ eventId }) => eventId).toSorted();
    assert.deepEqual(await sent(all), [detected]);
    assert.deepEqual(await sent(both), [suspected, detected].toSorted());
    assert.deepEqual(await sent(named), [suspected]);
    for (const id of [all, both, named]) await world.storage.webhooks.remove(world.owner, id);
  });

  test('an event goes to the active endpoints of its owner that are subscribed to its type', async () => {
    const all = await endpoint(['*'], 'whsec_all');
    const one = await endpoint(['change.detected', 'anomaly.ended']);
    await endpoint(['change.updated']);
    const off = await endpoint();
    await world.storage.webhooks.update(world.owner, off, { status: 'disabled' });
    for (const other of world.others) {
      const id = newId('webhook');
      await world.storage.webhooks.create(
        { ...other, id, url: 'https://x.example/', events: ['*'], status: 'active' },
        's',
      );
    }
    const eventId = await world.storage.events.emit(world.owner, 'change.detected', { name: 'Šmarna gora' });
    const claimed = await claim();
    assert.deepEqual(claimed.map(({ endpointId }) => endpointId).toSorted(), [all, one].toSorted());
    const first = claimed.find(({ endpointId }) => endpointId === all);
    assert.deepEqual(first!.secrets, ['whsec_all']);
    assert.equal(first!.attempt, 1);
    assert.equal(first!.failingSinceMs, null);
    assert.equal(first!.eventId, eventId);
    const { created_at: at, ...body } = JSON.parse(first!.body) as Record<string, unknown>;
    assert.deepEqual(body, {
      id: eventId,
      type: 'change.detected',
      environment: 'production',
      data: { name: 'Šmarna gora' },
    });
    assert.ok(Math.abs(Date.parse(String(at)) - Date.now()) < LONG_MS);
  });

  test('an event of a failed transaction is never delivered', async () => {
    const id = await endpoint();
    await assert.rejects(
      world.storage.transaction(async (stores) => {
        await stores.events.emit(world.owner, 'webhook.test', {}, id);
        throw new Error('the cause failed');
      }),
      /the cause failed/,
    );
    assert.deepEqual(await claim(), []);
  });

  test('a leased delivery is claimed again only after its lease expires, and that attempt is not counted', async () => {
    const id = await endpoint();
    await queued(id, 1);
    const [first] = await claim({ leaseMs: 1 });
    await setTimeout(20);
    const [second] = await claim();
    assert.deepEqual(await claim(), []);
    assert.equal(second!.id, first!.id);
    assert.equal(second!.attempt, 1);
    assert.notEqual(second!.lease, first!.lease);
    // The first worker has lost its lease, so that its settlement and its release have no effect.
    await queue.settle([settled(first!, { kind: 'dead' })]);
    await queue.release([first!]);
    assert.deepEqual(await claim(), []);
    await queue.settle([settled(second!, { kind: 'delivered' })]);
    const [delivery] = await deliveries(id);
    assert.equal(delivery!.status, 'succeeded');
    assert.equal(delivery!.attempts, 1);
  });

  test('concurrent workers share the queue, and each delivery is claimed once', async () => {
    const ids = await Promise.all([endpoint(), endpoint(), endpoint()]);
    await Promise.all(ids.map((id) => queued(id, 20)));
    const workers = await Promise.all(Array.from({ length: 5 }, () => claim({ limit: 15, perEndpoint: 15 })));
    let claimed = workers.flat();
    assert.ok(claimed.length > 0);
    assert.equal(new Set(claimed.map(({ id }) => id)).size, claimed.length, 'one was claimed twice');
    claimed = [...claimed, ...(await claim())];
    assert.equal(new Set(claimed.map(({ id }) => id)).size, 60);
  });

  test('a worker that claims during the claim of another gets the next deliveries, as many as it requested', async () => {
    const [one, two] = [await endpoint(), await endpoint()];
    for (const id of [one, two]) await queued(id, 20);
    const first = await world.database.db.transaction().execute(async (transaction) => {
      const claimed = await deliveryQueue(transaction, world.sealing).claim({
        limit: 10,
        leaseMs: LONG_MS,
        perEndpoint: 8,
        room: new Map(),
        heldAccounts: [],
      });
      const meanwhile = await claim({ limit: 10, perEndpoint: 8 });
      return [claimed, meanwhile];
    });
    const [claimed, meanwhile] = first as [ClaimedDelivery[], ClaimedDelivery[]];
    for (const batch of [claimed, meanwhile])
      assert.deepEqual(
        [one, two].map((id) => batch.filter(({ endpointId }) => endpointId === id).length),
        [5, 5],
      );
    assert.equal(new Set([...claimed, ...meanwhile].map(({ id }) => id)).size, 20);
  });

  test('an endpoint with many deliveries, or without room, does not delay one with few', async () => {
    const busy = await endpoint();
    const quiet = await endpoint();
    const events = await queued(busy, 30);
    await queued(quiet, 1);
    const claimed = await claim({ limit: 10, perEndpoint: 8 });
    assert.deepEqual(
      claimed.filter(({ endpointId }) => endpointId === busy).map(({ eventId }) => eventId),
      events.slice(0, 8),
      'the longest due come first',
    );
    assert.equal(claimed.filter(({ endpointId }) => endpointId === quiet).length, 1);
    await queue.release(claimed);
    const roomless = await claim({ room: new Map([[busy, 0]]) });
    assert.deepEqual(
      roomless.map(({ endpointId }) => endpointId),
      [quiet],
    );
    assert.equal((await claim({ room: new Map([[busy, 3]]) })).length, 3);
  });

  test('accounts take turns, and so do the endpoints of an account: a flood of deliveries delays no other account', async () => {
    const flood = await accountWith(30);
    for (let i = 0; i < 4; i++) flood.endpoints.push(await endpointOf(flood.accountId, 30));
    const late = await accountWith(3); // due after all deliveries of the flood
    const later = await accountWith(1);
    const claimed = await claim({ limit: 10 });
    const of = (endpoints: readonly string[]) =>
      claimed.filter(({ endpointId }) => endpoints.includes(endpointId)).length;
    assert.equal(of(late.endpoints), 3);
    assert.equal(of(later.endpoints), 1);
    assert.equal(of(flood.endpoints), 6);
    assert.deepEqual(
      flood.endpoints.map((id) => of([id])).toSorted((a, b) => a - b),
      [1, 1, 1, 1, 2],
      'the endpoints of the flood share its turns',
    );
    await queue.release(claimed);
    const held = await claim({ limit: 10, heldAccounts: [flood.accountId] });
    assert.equal(held.length, 4);
    assert.ok(held.every(({ accountId }) => accountId !== flood.accountId));
  });

  test('a node whose clock is off schedules by the clock of the database', async (t) => {
    const id = await endpoint();
    await queued(id, 1);
    const [first] = await claim();
    const [right, ahead] = [Date.now(), 36 * 3_600_000];
    t.mock.timers.enable({ apis: ['Date'], now: right + ahead });
    const failed = settled(first!, { kind: 'retry', dueAtMs: Date.now() + 60_000 });
    await queue.settle([{ ...failed, attempt: { ...failed.attempt, startedAtMs: Date.now() } }]);
    t.mock.timers.reset();
    const [delivery] = await deliveries(id);
    const isNear = (ms: number, expected: number) => Math.abs(ms - expected) < 30_000;
    assert.ok(isNear(delivery!.nextAttemptAt!.getTime(), right + 60_000), String(delivery!.nextAttemptAt));
    assert.ok(isNear((await failingSince(id))!, right), 'the first failure');
    await world.database.db.updateTable('deliveries').set({ next_attempt_at: new Date() }).execute();
    t.mock.timers.enable({ apis: ['Date'], now: right + ahead });
    const [second] = await claim();
    assert.ok(isNear(second!.failingSinceMs!, right + ahead), 'by the clock of the node that judges it');
    t.mock.timers.reset();
    await queue.settle([settled(second!, { kind: 'delivered' })]);
  });

  test('a failed delivery is claimed again only when it is due; a success clears the endpoint’s recorded failure', async () => {
    const id = await endpoint();
    await queued(id, 1);
    const [first] = await claim();
    await queue.settle([settled(first!, { kind: 'retry', dueAtMs: Date.now() + 3_600_000 })]);
    assert.deepEqual(await claim(), []);
    assert.equal(await failingSince(id), FAILED_AT_MS);
    let [delivery] = await deliveries(id);
    assert.equal(delivery!.status, 'pending');
    assert.ok(delivery!.nextAttemptAt!.getTime() > Date.now() + 3_500_000);
    assert.deepEqual(delivery!.lastAttempt, {
      at: '2026-11-01T00:00:00.000Z',
      status: 500,
      duration_ms: 13,
      error: 'answered 500',
    });
    await world.database.db.updateTable('deliveries').set({ next_attempt_at: new Date() }).execute();
    const [second] = await claim();
    assert.equal(second!.attempt, 2);
    assert.equal(second!.failingSinceMs, FAILED_AT_MS);
    await queue.settle([settled(second!, { kind: 'delivered' })]);
    assert.equal(await failingSince(id), null);
    [delivery] = await deliveries(id);
    assert.equal(delivery!.status, 'succeeded');
    assert.equal(delivery!.attempts, 2);
    assert.equal(delivery!.nextAttemptAt, null);
    const { db } = world.database;
    const attempts = await db.selectFrom('delivery_attempts').selectAll().orderBy('attempt').execute();
    assert.deepEqual(
      attempts
        .filter(({ delivery_id: of }) => of === delivery!.id)
        .map(({ attempt, status, error }) => [attempt, status, error]),
      [
        [1, 500, 'answered 500'],
        [2, 204, null],
      ],
    );
  });

  test('the first failure after the last success is recorded', async () => {
    const id = await endpoint();
    await queued(id, 2);
    const [first, second] = await claim();
    await queue.settle([settled(first!, { kind: 'retry', dueAtMs: Date.now() + LONG_MS })]);
    const later = settled(second!, { kind: 'dead' });
    await queue.settle([{ ...later, attempt: { ...later.attempt, startedAtMs: FAILED_AT_MS + 1000 } }]);
    assert.equal(await failingSince(id), FAILED_AT_MS);
    assert.deepEqual((await deliveries(id)).map(({ status }) => status).toSorted(), ['dead', 'pending']);
    await world.storage.webhooks.update(world.owner, id, { events: ['*'] });
    assert.equal(await failingSince(id), FAILED_AT_MS);
    await world.storage.webhooks.update(world.owner, id, { url: 'https://mended.example.com/hook' });
    assert.equal(await failingSince(id), null, 'another address has not failed yet');
  });

  test('disabling an endpoint ends all its pending deliveries, also leased ones, and records the reason', async () => {
    const id = await endpoint();
    const fine = await endpoint(['webhook.test']);
    await queued(id, 3);
    await queued(fine, 1);
    const [mine] = await claim({ limit: 1 });
    const [theirs] = await claim({ limit: 1 });
    await queue.settle([settled(mine!, { kind: 'disable', reason: 'gone' })]);
    assert.deepEqual(
      (await deliveries(id)).map(({ status }) => status),
      ['dead', 'dead', 'dead'],
    );
    assert.equal((await found(id))!.status, 'disabled');
    assert.match((await found(id))!.disabledReason!, /410/);
    await queue.settle([settled(theirs!, { kind: 'delivered' })]);
    assert.equal((await deliveries(id)).filter(({ status }) => status === 'succeeded').length, 0);
    assert.deepEqual(
      (await claim()).map(({ endpointId }) => endpointId),
      [fine],
    );
    const enabled = await world.storage.webhooks.update(world.owner, id, { status: 'active' });
    assert.equal(enabled!.disabledReason, null);
    assert.equal(await failingSince(id), null, 'enabled again it starts with a clean record');
  });

  test('disabling an endpoint emits one event, for the other endpoints of its owner and the event list', async () => {
    const gone = await endpoint(['change.detected']);
    const other = await endpoint(['webhook.disabled']);
    await queued(gone, 2);
    const claimed = await claim();
    const disable = { kind: 'disable', reason: 'failing' } as const;
    await queue.settle(claimed.map((delivery) => settled(delivery, disable)));
    const told = await claim();
    assert.deepEqual(
      told.map(({ endpointId }) => endpointId),
      [other],
    );
    const { type, data } = JSON.parse(told[0]!.body) as { type: string; data: Record<string, unknown> };
    assert.equal(type, 'webhook.disabled');
    const { disabled_at: at, ...facts } = data;
    assert.ok(Math.abs(Date.parse(String(at)) - Date.now()) < LONG_MS);
    assert.deepEqual(facts, {
      webhook_id: gone,
      endpoint_url: 'https://example.com/',
      reason: 'five days of nothing but failed deliveries',
      failing_since: new Date(FAILED_AT_MS).toISOString(),
      url: `/v1/webhooks/${gone}`,
    });
  });

  test('a repeated delivery starts its schedule again with the same event; one that is being sent is not repeated', async () => {
    const { owner, storage } = world;
    const id = await endpoint();
    const [eventId] = await queued(id, 1);
    for (let attempt = 1; attempt <= 2; attempt++) {
      const [claimed] = await claim();
      assert.equal(claimed!.attempt, attempt);
      const dueAtMs = Date.now() - 1;
      await queue.settle([settled(claimed!, attempt === 2 ? { kind: 'dead' } : { kind: 'retry', dueAtMs })]);
    }
    const [dead] = await deliveries(id);
    assert.equal(dead!.status, 'dead');
    for (const other of world.others) await storage.deliveries.repeat(other, id, dead!.id);
    assert.deepEqual(await claim(), []);
    await storage.deliveries.repeat(owner, id, dead!.id);
    const [again] = await claim();
    assert.equal(again!.eventId, eventId);
    assert.equal(again!.attempt, 1);
    await storage.deliveries.repeat(owner, id, dead!.id);
    assert.deepEqual(await claim(), [], 'it is under way');
    await queue.settle([settled(again!, { kind: 'delivered' })]);
    const detail = await storage.deliveries.find(owner, id, dead!.id);
    assert.equal(detail!.status, 'succeeded');
    assert.equal(detail!.attempts, 3);
    assert.equal((JSON.parse(detail!.payload) as { id: string }).id, eventId);
    assert.deepEqual(
      detail!.log.map(({ status, answer }) => [status, answer]),
      [
        [500, 'no'],
        [500, 'no'],
        [204, 'no'],
      ],
    );
    for (const other of world.others)
      assert.equal(await storage.deliveries.find(other, id, dead!.id), undefined);
    await storage.deliveries.repeat(owner, id, dead!.id);
    assert.equal((await claim()).length, 1, 'also what has arrived can be sent again');
  });

  test('the age of the oldest overdue delivery is reported, without deliveries that are not due or whose endpoint is disabled', async () => {
    const { database, storage, owner } = world;
    assert.equal(await storage.deliveries.overdueSeconds(), 0);
    const [late, disabled, early] = [await endpoint(), await endpoint(), await endpoint()];
    const due: readonly (readonly [string, string])[] = [
      [late, '- 90 seconds'],
      [disabled, '- 1 hours'],
      [early, '1 hours'],
    ];
    for (const [id, when] of due) {
      await queued(id, 2);
      await sql`update deliveries set next_attempt_at = now() + ${when}::interval where webhook_id = ${id}`.execute(
        database.db,
      );
    }
    await storage.webhooks.update(owner, disabled, { status: 'disabled' });
    const seconds = await storage.deliveries.overdueSeconds();
    assert.ok(seconds >= 90 && seconds < 3600, `${seconds}`);
  });

  test('all dead deliveries since a time are repeated, and no others', async () => {
    const { owner, storage, database } = world;
    const id = await endpoint();
    const other = await endpoint();
    await queued(id, 5);
    await queued(other, 1);
    const claimed = await claim();
    const mine = claimed.filter(({ endpointId }) => endpointId === id);
    await queue.settle([
      ...mine.slice(0, 3).map((delivery) => settled(delivery, { kind: 'dead' })),
      settled(mine[3]!, { kind: 'delivered' }),
      ...claimed
        .filter(({ endpointId }) => endpointId === other)
        .map((delivery) => settled(delivery, { kind: 'dead' })),
    ]);
    const since = new Date(Date.now() - 3_600_000);
    await database.db
      .updateTable('deliveries')
      .set({ created_at: new Date(since.getTime() - 1) })
      .where('id', '=', mine[0]!.id)
      .execute();
    for (const stranger of world.others)
      assert.equal(await storage.deliveries.repeatDead(stranger, id, since), 0);
    assert.equal(await storage.deliveries.repeatDead(owner, id, since), 2);
    assert.deepEqual(
      (await claim()).map((delivery) => delivery.id).toSorted(),
      [mine[1]!.id, mine[2]!.id].toSorted(),
    );
    const page = { limit: 10, after: undefined };
    const dead = await storage.deliveries.list(owner, id, page, 'dead');
    assert.deepEqual(
      dead.items.map((delivery) => delivery.id),
      [mine[0]!.id],
    );
  });

  test('a new secret signs at once, and the previous ones until they expire', async () => {
    const { owner, storage } = world;
    const id = await endpoint(['*'], 'whsec_1');
    const at = (ms: number) => new Date(Date.now() + ms);
    const secrets = async (): Promise<readonly string[]> => {
      await queued(id, 1);
      const claimed = await claim();
      await queue.settle(claimed.map((delivery) => settled(delivery, { kind: 'delivered' })));
      return claimed[0]!.secrets;
    };
    for (const other of world.others)
      assert.equal(await storage.webhooks.rotate(other, id, 'whsec_x', at(0)), false);
    assert.equal(await storage.webhooks.rotate(owner, id, 'whsec_2', at(60_000)), true);
    assert.deepEqual(await secrets(), ['whsec_2', 'whsec_1']);
    await storage.webhooks.rotate(owner, id, 'whsec_3', at(50_000));
    assert.deepEqual(await secrets(), ['whsec_3', 'whsec_2', 'whsec_1']);
    // Sets the end of the previous secrets to the past, so that they have expired.
    await sql`update webhooks set secrets = (
      select jsonb_agg(case when one ->> 'until' is null then one else one || '{"until": "2026-01-01T00:00:00Z"}' end)
      from jsonb_array_elements(secrets) one)`.execute(world.database.db);
    assert.deepEqual(await secrets(), ['whsec_3']);
    await storage.webhooks.rotate(owner, id, 'whsec_4', at(0));
    assert.deepEqual(await secrets(), ['whsec_4'], 'no overlap: a secret that leaked signs no more');
    for (let i = 5; i < 8; i++) await storage.webhooks.rotate(owner, id, `whsec_${i}`, at(60_000));
    const four = ['whsec_7', 'whsec_6', 'whsec_5', 'whsec_4'];
    assert.deepEqual(await secrets(), four);
    await assert.rejects(storage.webhooks.rotate(owner, id, 'whsec_8', at(60_000)), {
      name: 'InvalidInput',
      param: 'overlap_seconds',
      message:
        /signs with 4 secrets already, the first of which ends at \d{4}-.*Z; expected .* an overlap of 0/,
    });
    assert.deepEqual(await secrets(), four, 'none is dropped before its time');
    await storage.webhooks.rotate(owner, id, 'whsec_9', at(0));
    assert.deepEqual(await secrets(), ['whsec_9']);
  });

  test('settling and releasing deliveries of a deleted endpoint is no error', async () => {
    const id = await endpoint();
    await queued(id, 2);
    const claimed = await claim();
    await world.storage.webhooks.remove(world.owner, id);
    await queue.settle(claimed.map((delivery) => settled(delivery, { kind: 'delivered' })));
    await queue.release(claimed);
    assert.deepEqual(await claim(), []);
  });

  test('an endpoint that is deleted while an event is recorded gets no delivery, and the event is kept', async () => {
    const [gone, stays] = [await endpoint(), await endpoint()];
    const commit = await leftOpen((stores) => stores.webhooks.remove(world.owner, gone));
    const emitting = world.storage.events.emit(world.owner, 'change.detected', { n: 1 });
    await untilWaiting();
    await commit();
    const event = await emitting;
    assert.deepEqual(
      (await claim()).map(({ endpointId, eventId }) => [endpointId, eventId]),
      [[stays, event]],
    );
  });

  // Takes a second or two: PostgreSQL checks for deadlocks only after one second.
  test('deleting an endpoint succeeds after a deadlock with a settlement, also within a transaction', async () => {
    const { owner, storage, database } = world;
    const touch = (db: typeof database.db, delivery: string) =>
      db.updateTable('deliveries').set({ attempts: 1 }).where('id', '=', delivery).execute();
    for (const remove of [
      (id: string) => storage.webhooks.remove(owner, id),
      (id: string) => storage.transaction((stores) => stores.webhooks.remove(owner, id)),
    ]) {
      // PostgreSQL aborts whichever side checks first. On a loaded machine that can be the settlement: then try again.
      let touched = false;
      for (let attempt = 0; attempt < 10 && !touched; attempt++) {
        const id = await endpoint();
        await queued(id, 2);
        const [last, first] = await deliveries(id);
        let removing: Promise<boolean> | undefined;
        touched = await database.db
          .transaction()
          .execute(async (handle) => {
            await touch(handle, last!.id);
            removing = remove(id);
            removing.catch(() => undefined);
            await untilWaiting();
            await touch(handle, first!.id);
            return true;
          })
          .catch((error: { code?: string }) => {
            if (error.code !== '40P01') throw error;
            return false;
          });
        assert.equal(await removing, true);
        assert.equal(await found(id), undefined);
      }
      assert.ok(touched);
    }
  });

  test('workers that settle the same endpoints in opposite orders do not deadlock', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => endpoint(['webhook.test'])));
    for (const id of ids) await queued(id, 8);
    const claimed = await claim();
    const byEndpoint = [...Map.groupBy(claimed, ({ endpointId }) => endpointId).values()];
    // Worker w takes the w-th delivery of each endpoint, every other worker in the opposite order.
    const workers = Array.from({ length: 8 }, (_, w) => {
      const share = byEndpoint.map((list) => list[w]!);
      return w % 2 === 0 ? share : share.toReversed();
    });
    await Promise.all(
      workers.map((share) =>
        queue.settle(
          share.map((delivery, i) =>
            settled(delivery, i % 3 === 2 ? { kind: 'disable', reason: 'failing' } : { kind: 'dead' }),
          ),
        ),
      ),
    );
    assert.equal((await claim()).length, 0);
  });
});
