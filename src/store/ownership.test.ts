import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { anomalyRecord, collectionRecord, putAoi } from '../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import { newId } from '../base/ids.ts';

const PAGE = { limit: 10, after: undefined };

describe('rows are visible to their account in their environment only', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  test('areas', async () => {
    const { storage, owner, others } = world;
    const aoi = await putAoi(storage, owner);
    for (const other of others) {
      assert.equal(await storage.aois.find(other, aoi.id), undefined);
      assert.deepEqual((await storage.aois.list(other, PAGE)).items, []);
      assert.equal(await storage.aois.rename(other, aoi.id, 'theirs'), undefined);
      assert.equal(await storage.aois.remove(other, aoi.id), false);
    }
    assert.deepEqual(await storage.aois.find(owner, aoi.id), aoi);
    assert.deepEqual((await storage.aois.list(owner, PAGE)).items, [aoi]);
    assert.equal((await storage.aois.rename(owner, aoi.id, 'ours'))?.name, 'ours');
    assert.equal(await storage.aois.remove(owner, aoi.id), true);
    assert.equal(await storage.aois.remove(owner, aoi.id), false, 'removed twice');
    assert.equal(await storage.aois.rename(owner, aoi.id, 'ours'), undefined);
    assert.deepEqual((await storage.aois.list(owner, PAGE)).items, []);
  });

  test('subscriptions, one for each area and set of perils', async () => {
    const { storage, owner, others } = world;
    const aoi = await putAoi(storage, owner);
    const asked = { ...owner, aoiId: aoi.id, perils: ['flood', 'storm'], status: 'active' } as const;
    const made = await storage.subscriptions.create({ ...asked, id: newId('subscription') });
    assert.ok(made);
    assert.equal(await storage.subscriptions.create({ ...asked, id: newId('subscription') }), undefined);
    for (const other of others) {
      assert.equal(await storage.subscriptions.find(other, made.id), undefined);
      assert.equal(await storage.subscriptions.findSame(other, aoi.id, asked.perils), undefined);
      assert.deepEqual((await storage.subscriptions.list(other, PAGE)).items, []);
      assert.equal(await storage.subscriptions.setStatus(other, made.id, 'cancelled'), undefined);
    }
    assert.deepEqual(await storage.subscriptions.findSame(owner, aoi.id, asked.perils), made);
    assert.equal(await storage.subscriptions.findSame(owner, aoi.id, ['flood']), undefined);
    assert.equal((await storage.subscriptions.setStatus(owner, made.id, 'paused'))?.status, 'paused');
    assert.equal((await storage.subscriptions.setStatus(owner, made.id, 'cancelled'))?.status, 'cancelled');
    assert.equal(
      await storage.subscriptions.setStatus(owner, made.id, 'active'),
      undefined,
      'cancelled is final',
    );
    assert.equal(await storage.subscriptions.findSame(owner, aoi.id, asked.perils), undefined);
    assert.ok(await storage.subscriptions.create({ ...asked, id: newId('subscription') }));
    await storage.aois.remove(owner, aoi.id);
    const left = (await storage.subscriptions.list(owner, PAGE)).items;
    assert.deepEqual(
      left.map(({ status }) => status),
      ['cancelled', 'cancelled'],
    );
  });

  test('webhooks and their deliveries; a secret is sealed, and only the queue opens it', async () => {
    const { storage, owner, others, database } = world;
    const id = newId('webhook');
    await storage.webhooks.create(
      { ...owner, id, url: 'https://example.com/', events: ['*'], status: 'active' },
      'whsec_plain',
    );
    await storage.events.emit(owner, 'webhook.test', {}, id);
    for (const other of others) {
      assert.equal(await storage.webhooks.find(other, id), undefined);
      assert.deepEqual((await storage.webhooks.list(other, PAGE)).items, []);
      assert.equal(await storage.webhooks.update(other, id, { status: 'disabled' }), undefined);
      assert.equal(await storage.webhooks.remove(other, id), false);
      assert.deepEqual((await storage.deliveries.list(other, id, PAGE)).items, []);
      // An event of another owner that names this owner's endpoint creates no delivery.
      await storage.events.emit(other, 'webhook.test', {}, id);
    }
    assert.equal((await storage.deliveries.list(owner, id, PAGE)).items.length, 1);
    const row = await database.db
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.ok(!JSON.stringify(row).includes('whsec_plain'));
    assert.equal((await storage.webhooks.find(owner, id))?.status, 'active');
    assert.equal(await storage.webhooks.remove(owner, id), true);
    assert.equal(await storage.webhooks.find(owner, id), undefined);
  });

  test('anomalies of perils with a subscription, in areas that are not deleted', async () => {
    const { storage, owner, others } = world;
    const collection = collectionRecord();
    await storage.collections.create(collection);
    const aoi = await putAoi(storage, owner);
    const anomaly = anomalyRecord(aoi, collection.id);
    await storage.anomalies.put([anomaly]);
    const filter = { since: undefined, publishedSince: undefined };
    const listed = async (who = owner) => (await storage.anomalies.list(who, filter, PAGE)).items;
    assert.deepEqual(await listed(), [], 'nobody subscribed');
    const id = newId('subscription');
    await storage.subscriptions.create({ ...owner, id, aoiId: aoi.id, perils: ['flood'], status: 'active' });
    assert.deepEqual(await listed(), [], 'subscribed to another peril');
    const second = newId('subscription');
    const perils = ['storm', 'wildfire'] as const;
    await storage.subscriptions.create({ ...owner, id: second, aoiId: aoi.id, perils, status: 'active' });
    const { provenance: _, ...summary } = anomaly;
    assert.deepEqual(await listed(), [summary]);
    assert.deepEqual(await storage.anomalies.find(owner, anomaly.id), anomaly);
    await storage.anomalies.put([
      { ...anomaly, severity: 'critical', endedAt: new Date('2026-09-20T10:00:00Z') },
    ]);
    assert.equal((await listed())[0]?.severity, 'critical');
    for (const other of others) {
      assert.equal(await storage.anomalies.find(other, anomaly.id), undefined);
      assert.deepEqual(await listed(other), []);
    }
    await storage.subscriptions.setStatus(owner, second, 'paused');
    assert.equal((await listed()).length, 1, 'paused stops alerts, not reading');
    await storage.aois.remove(owner, aoi.id);
    assert.deepEqual(await listed(), []);
    assert.equal(await storage.anomalies.find(owner, anomaly.id), undefined);
  });

  test('collections of all accounts or one account, by metric and place, finest resolution first', async () => {
    const { storage, owner, others } = world;
    const metric = 'evi';
    const coarse = collectionRecord({ metric, pixelAreaM2: 1e6 });
    const fine = collectionRecord({ metric, pixelAreaM2: 100, accountId: owner.accountId });
    const theirs = collectionRecord({ metric, accountId: others[1]!.accountId });
    const elsewhere = collectionRecord({ metric, environment: 'sandbox' });
    for (const each of [coarse, fine, theirs, elsewhere]) await storage.collections.create(each);
    const ids = async (at: [number, number], who = owner) =>
      (await storage.collections.covering(who, metric, [...at, ...at])).map(({ id }) => id);
    assert.deepEqual(await ids([14.01, 46.01]), [fine.id, coarse.id]);
    assert.deepEqual(await ids([15, 46.01]), []);
    assert.deepEqual(await ids([14.01, 46.01], others[0]), [elsewhere.id]);
    assert.equal((await storage.collections.countByMetric(owner)).get(metric), 2);
    const imagery = (box: readonly [number, number, number, number], who = owner) =>
      storage.collections.imagery(who, box);
    const over = [14.009, 46.009, 14.011, 46.011] as const;
    const ours = async (who = owner) =>
      (await imagery(over, who)).filter((series) => series.metric === metric);
    assert.deepEqual(await ours(), [], 'none has a scene');
    const [first, last] = [new Date('2024-01-05T10:00:00Z'), new Date('2025-03-05T10:00:00Z')];
    for (const { id } of [fine, theirs, elsewhere])
      await storage.collections.putScenes(
        id,
        [last, first].map((observedAt) => ({
          id: newId('scene'),
          key: observedAt.toISOString(),
          href: '',
          observedAt,
          sha256: '',
          clearFraction: 1,
        })),
      );
    assert.deepEqual(await ours(), [
      { collection: fine.name, metric, simulated: false, scenes: 2, firstAt: first, lastAt: last },
    ]);
    assert.deepEqual(
      (await ours(others[0])).map(({ collection }) => collection),
      [elsewhere.name],
    );
    assert.deepEqual((await imagery([15, 46, 15.1, 46.1])).length, 0);
    assert.deepEqual(await storage.collections.find(fine.id), fine);
  });

  test('a collection has several metrics, oldest first, and each of them once', async () => {
    const { storage } = world;
    const nbr = collectionRecord({ metric: 'nbr' });
    const ndvi = collectionRecord({ metric: 'ndvi', name: nbr.name });
    await storage.collections.create(nbr);
    await storage.collections.create(ndvi);
    assert.deepEqual(await storage.collections.byName(nbr.environment, nbr.accountId, nbr.name), [nbr, ndvi]);
    assert.deepEqual(await storage.collections.byName('sandbox', nbr.accountId, nbr.name), []);
    assert.equal(
      await storage.collections.create(collectionRecord({ metric: 'nbr', name: nbr.name })),
      false,
    );
    assert.deepEqual(await storage.collections.find(nbr.id), nbr);
  });
});
