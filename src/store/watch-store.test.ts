import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { deleteAoi } from '../app/areas/manage-aois.ts';
import { setSubscriptionStatus, subscribe } from '../app/anomalies/manage-subscriptions.ts';
import { createWatch, deleteWatch, getWatch, type WatchRequest } from '../app/watches/manage-watches.ts';
import { type Rescored, rescoreWatches, watchScope } from '../app/watches/rescore-watches.ts';
import type { Owner } from '../app/owner.ts';
import { keepWatches } from '../app/watches/keep-watches.ts';
import type { WatchScope } from '../app/watches/watch-store.ts';
import { FloodedLayers } from '../../test/fixtures/flooded-layers.ts';
import { putAoi, square } from '../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';

/** Flood depths [m] with the scores 0, 0.6, 0.65, 0.71 and 0.82 in the flood model. */
const [DRY, WET, WETTER, OVER, DEEP] = [0, 0.2, 0.3, 0.5, 2];
const FLOOD = { environment: 'production', peril: 'flood' } as const;

describe('risk watches', () => {
  let world: TestStorage;
  let layers: FloodedLayers;
  const clock = { now: () => Date.parse('2026-11-22T12:00:00Z') };
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());
  beforeEach(async () => {
    await sql`truncate risk_watches, events, deliveries, risk_states cascade`.execute(world.database.db);
    layers = new FloodedLayers('dry', () => DRY);
  });

  const watch = (request: Partial<WatchRequest> = {}, owner: Owner = world.owner) =>
    world.storage.transaction((stores) =>
      createWatch({ clock, layers }, stores, owner, {
        ...(request.aoiId === undefined && { lat: 46, lng: 14 }),
        peril: 'flood',
        threshold: 0.7,
        ...request,
      }),
    );
  /** Installs flood layers of another version with this depth and scores the watches again. */
  const flood = async (version: string, depth: number | undefined): Promise<Rescored> => {
    layers.replace(version, () => depth);
    const snapshot = layers.snapshot();
    await world.storage.watches.adopt([watchScope('production', 'flood', snapshot)], true);
    return rescoreWatches({ clock, storage: world.storage }, FLOOD, snapshot);
  };
  const events = async () => {
    const { rows } = await sql<{ body: string; account_id: string }>`
      select body, account_id from events order by id`.execute(world.database.db);
    return rows.map(({ body }) => (JSON.parse(body) as { data: Record<string, unknown> }).data);
  };

  test('a watch has a score from the start; a later crossing emits one event with the previous score', async () => {
    const { id, riskScore, isAbove } = await watch();
    assert.deepEqual([riskScore, isAbove], [0, false]);
    await watch({ lat: 46.5, lng: 14.5, threshold: 0.9 });
    await watch({}, world.others[0]);
    assert.deepEqual(await flood('deep', DEEP), { scored: 2, crossed: 1 });
    const { riskScore: now, confidence, ...after } = await getWatch(world.storage, world.owner, id);
    assert.equal(after.isAbove, true);
    assert.deepEqual(await events(), [
      {
        watch_id: id,
        lat: 46,
        lng: 14,
        peril: 'flood',
        threshold: 0.7,
        risk_score: now,
        previous_score: 0,
        confidence,
        model_version: after.modelVersion,
        url: `/v1/risk/watches/${id}`,
      },
    ]);
    assert.deepEqual(await flood('deep', DEEP), { scored: 0, crossed: 0 }, 'nothing is left to do');
  });

  test('a score around the threshold emits one event, and another only after it was clearly below; missing data emits none', async () => {
    await watch();
    const crossed = [];
    for (const [i, depth] of [OVER, WETTER, OVER, undefined, DEEP, WET, WETTER, OVER].entries())
      crossed.push((await flood(`v${i}`, depth)).crossed);
    assert.deepEqual(crossed, [1, 0, 0, 0, 0, 0, 0, 1]);
  });

  test('a score above the threshold at creation is in the response and emits no event', async () => {
    layers.replace('deep', () => DEEP);
    const { isAbove } = await watch();
    assert.equal(isAbove, true);
    assert.deepEqual(await flood('deeper', 4), { scored: 1, crossed: 0 });
  });

  test('an area has one score, also across the antimeridian; the watch ends when the area is deleted', async () => {
    const far = {
      type: 'MultiPolygon' as const,
      coordinates: [square(179.9, -17).coordinates, square(-180, -17).coordinates] as never,
    };
    const [aoi, across] = [
      await putAoi(world.storage, world.owner),
      await putAoi(world.storage, world.owner, far),
    ];
    const here = await watch({ aoiId: aoi.id });
    await watch({ aoiId: across.id });
    assert.deepEqual(await flood('deep', DEEP), { scored: 2, crossed: 2 });
    assert.deepEqual(
      new Set((await events()).map(({ aoi_id: id, lat }) => `${String(id)} ${String(lat)}`)),
      new Set([`${aoi.id} undefined`, `${across.id} undefined`]),
    );
    await world.storage.transaction((stores) => deleteAoi(stores, world.owner, aoi.id));
    await assert.rejects(getWatch(world.storage, world.owner, here.id), { name: 'NotFound' });
    // Simulates a watch that was created while its area was deleted. Uses SQL, since the use case refuses this.
    await sql`update aois set deleted_at = now() where id = ${across.id}`.execute(world.database.db);
    assert.deepEqual(await flood('dry', DRY), { scored: 0, crossed: 0 });
    const { rows } = await sql`select from risk_watches`.execute(world.database.db);
    assert.equal(rows.length, 0);
  });

  test('a subscription has a watch at 0.7 for each peril; pausing it pauses them, cancelling it deletes them', async () => {
    const aoi = await putAoi(world.storage, world.owner);
    const { storage, owner } = world;
    const { subscription } = await storage.transaction((stores) =>
      subscribe({ clock, layers }, stores, owner, { aoiId: aoi.id, perils: ['storm', 'flood'] }),
    );
    const watches = async () => (await storage.watches.list(owner, { limit: 9, after: undefined })).items;
    assert.deepEqual(
      new Set((await watches()).map((one) => `${one.peril} ${one.threshold} ${one.subscriptionId}`)),
      new Set([`flood 0.7 ${subscription.id}`, `storm 0.7 ${subscription.id}`]),
    );
    const set = (status: 'active' | 'paused' | 'cancelled') =>
      storage.transaction((stores) => setSubscriptionStatus(stores, owner, subscription.id, status));
    await set('paused');
    assert.deepEqual(await flood('deep', DEEP), { scored: 0, crossed: 0 });
    await set('active');
    assert.deepEqual(await flood('deep', DEEP), { scored: 1, crossed: 1 });
    const [event] = await events();
    assert.deepEqual([event?.['subscription_id'], event?.['watch_id']], [subscription.id, undefined]);
    await set('cancelled');
    assert.deepEqual(await watches(), []);
  });

  test('watches are visible to their owner only; the place is either a point or an area', async () => {
    const { storage, owner, others } = world;
    const { id } = await watch();
    for (const other of others) {
      await assert.rejects(getWatch(storage, other, id), { name: 'NotFound' });
      await assert.rejects(deleteWatch(storage, other, id), { name: 'NotFound' });
    }
    const aoi = await putAoi(storage, others[1]!);
    await assert.rejects(watch({ aoiId: aoi.id }), { name: 'NotFound' });
    const mine = await putAoi(storage, owner);
    for (const [request, message] of [
      [{ aoiId: mine.id, lat: 1, lng: 1 }, /either lat and lng or aoi_id, got both/],
      [{ lat: undefined }, /lat: expected lat and lng, or aoi_id/],
      [{ lng: undefined }, /lng: expected lat and lng, or aoi_id/],
    ] as const)
      await assert.rejects(watch(request), message);
    await deleteWatch(storage, owner, id);
    await assert.rejects(deleteWatch(storage, owner, id), { name: 'NotFound' });
  });

  /** Creates watches directly in the store, on a grid, with the score of dry ground. */
  const many = (count: number) =>
    sql`insert into risk_watches (account_id, environment, id, peril, threshold, lat, lng, risk_score, confidence,
        above, model_version, scored_as, scored_at)
      select ${world.owner.accountId}, 'production', 'rw_' || lpad(i::text, 26, '0'), 'flood', 0.7, 46, 14, 0, 0.4,
        false, 'flood-v0.3.0', 'before', now()
      from generate_series(1, ${count}::int) as i`.execute(world.database.db);

  test('two concurrent nodes score every watch once', async () => {
    await many(4500);
    layers.replace('deep', () => DEEP);
    const snapshot = layers.snapshot();
    await world.storage.watches.adopt([watchScope('production', 'flood', snapshot)], true);
    const node = () => rescoreWatches({ clock, storage: world.storage }, FLOOD, snapshot);
    const [a, b] = await Promise.all([node(), node()]);
    assert.ok(a.scored > 0 && b.scored > 0, `${a.scored} and ${b.scored}`);
    assert.deepEqual([a.scored + b.scored, a.crossed + b.crossed], [4500, 4500]);
    assert.equal(new Set((await events()).map(({ watch_id: id }) => id)).size, 4500);
  });

  test('a node with another state stops and does not revert scores', async () => {
    await many(3000);
    const deep = new FloodedLayers('deep', () => DEEP).snapshot();
    const dry = new FloodedLayers('dry', () => DRY).snapshot();
    const { watches } = world.storage;
    await watches.adopt([watchScope('production', 'flood', deep)], true);
    let batches = 0;
    const seen = await rescoreWatches({ clock, storage: world.storage }, FLOOD, deep, {
      onBatch: () => void batches++,
      isStopped: () => batches === 1,
    });
    assert.deepEqual(seen, { scored: 1000, crossed: 1000 });
    assert.deepEqual(await rescoreWatches({ clock, storage: world.storage }, FLOOD, dry), {
      scored: 0,
      crossed: 0,
    });
    await rescoreWatches({ clock, storage: world.storage }, FLOOD, deep);
    assert.equal((await events()).length, 3000);
  });

  test('a new state is adopted at once; another state only when its nodes have not confirmed it for minutes', async () => {
    const [old, fresh] = ['a', 'b'].map((state) => ({ ...FLOOD, state })) as [WatchScope, WatchScope];
    const { storage, database } = world;
    const adopted = () =>
      storage.transaction(async ({ watches }) => ((await watches.isAdopted(old)) ? 'old' : 'fresh'));
    await storage.watches.adopt([old], true);
    await storage.watches.adopt([fresh], true);
    await storage.watches.adopt([old], false);
    assert.equal(await adopted(), 'fresh');
    const silent = (minutes: number) =>
      sql`update risk_states set adopted_at = now() - make_interval(mins => ${minutes})`.execute(database.db);
    await silent(4);
    await storage.watches.adopt([old], false);
    assert.equal(await adopted(), 'fresh');
    await silent(6);
    // A node of the new version confirms its state now.
    await storage.watches.adopt([fresh], false);
    await storage.watches.adopt([old], false);
    assert.equal(await adopted(), 'fresh');
    await silent(6);
    await storage.watches.adopt([old], false);
    assert.equal(await adopted(), 'old');
  });

  test('kept watches are scored again when the layers change', async () => {
    await watch();
    const errors: unknown[] = [];
    let woken = 0;
    const stop = keepWatches({
      deps: { clock, storage: world.storage, layers, wakeDelivery: () => void woken++ },
      onError: (error) => errors.push(error),
      lookMs: 5,
    });
    layers.replace('deep', () => DEEP);
    const until = Date.now() + 60_000;
    while ((await events()).length === 0 && Date.now() < until)
      await new Promise((done) => setTimeout(done, 10));
    await stop();
    assert.deepEqual(errors, []);
    assert.equal((await events()).length, 1);
    assert.ok(woken >= 1, 'deliveries begin at once');
  });
});
