import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../base/ids.ts';
import { PERILS } from '../../contract/vocabulary.ts';
import {
  anomalyRecord,
  changeRecord,
  collectionRecord,
  putAoi,
  square,
} from '../../../test/fixtures/records.ts';
import { type TestStorage, testStorage } from '../../../test/fixtures/storage.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { NewChange } from '../changes/change-store.ts';
import type { IncidentFilter } from './incident-store.ts';
import { regroupAll } from './regroup-incidents.ts';

const PAGE = { limit: 50, after: undefined };
const ANY: IncidentFilter = {
  aoiId: undefined,
  peril: undefined,
  status: undefined,
  since: undefined,
  until: undefined,
  updatedSince: undefined,
  bounds: undefined,
};

describe('incidents that stand, and those that are past', () => {
  let world: TestStorage;
  let places = 0;
  const collections: string[] = [];
  before(async () => {
    world = await testStorage();
    for (const name of ['ndvi', 'nbr']) {
      const collection = collectionRecord({ name });
      await world.storage.collections.create(collection);
      collections.push(collection.id);
    }
  });
  after(() => world.close());

  /** An area with a subscription, and an endpoint that asks for all events. */
  async function place(past: boolean): Promise<{ readonly aoi: Aoi; readonly webhook: string }> {
    const { owner, storage } = world;
    const aoi = await putAoi(storage, owner, square(-170 + 5 * places++, 40));
    const [subscription, webhook] = [newId('subscription'), newId('webhook')];
    const perils = [...PERILS].toSorted();
    await storage.subscriptions.create({
      ...owner,
      id: subscription,
      aoiId: aoi.id,
      perils,
      status: 'active',
      past,
    });
    const hook = {
      ...owner,
      id: webhook,
      url: 'https://example.com/',
      events: ['*'],
      status: 'active' as const,
    };
    await storage.webhooks.create(hook, 'whsec_x');
    return { aoi, webhook };
  }
  const publish = (change: NewChange, aoi: Aoi, isNew = true) =>
    world.storage.transaction(async (stores) => {
      await (isNew ? stores.changes.insert(change) : stores.changes.update(change));
      await stores.changes.link(change, [aoi]);
    });
  const inArea = async (aoi: Aoi) =>
    (await world.storage.incidents.list(world.owner, { ...ANY, aoiId: aoi.id }, PAGE)).items;
  const sent = async (webhook: string) => {
    const { items } = await world.storage.deliveries.list(world.owner, webhook, PAGE);
    await world.database.db.deleteFrom('deliveries').where('webhook_id', '=', webhook).execute();
    return items.map(({ eventType }) => eventType).toSorted();
  };

  test('a clearing stands, its ground counts once, and it is closed when it has recovered', async () => {
    const { aoi, webhook } = await place(false);
    const here = { geometry: aoi.geometry, bounds: aoi.bounds, areaM2: 12_000, firstAnomalyAt: '2026-07-12' };
    const [ndvi, nbr] = collections.map((id) => changeRecord(id, here)) as [NewChange, NewChange];
    await publish(ndvi, aoi);
    await publish(nbr, aoi);
    await regroupAll(world.storage);
    const [incident, ...others] = await inArea(aoi);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [incident!.status, incident!.endedAt, incident!.changeCount, incident!.areaM2, incident!.isPast],
      ['standing', null, 2, 12_000, false],
    );
    assert.deepEqual(await sent(webhook), ['incident.opened']);
    for (const change of [ndvi, nbr])
      await publish({ ...change, status: 'recovered', recoveredAt: '2027-06-01' }, aoi, false);
    await regroupAll(world.storage);
    const [over] = await inArea(aoi);
    assert.deepEqual([over!.status, over!.endedAt?.toISOString()], ['closed', '2027-06-01T00:00:00.000Z']);
    assert.deepEqual(await sent(webhook), ['incident.closed']);
    await world.storage.webhooks.remove(world.owner, webhook);
  });

  test('the past is listed, and sent to who wants it', async () => {
    for (const past of [false, true]) {
      const { aoi, webhook } = await place(past);
      const old = anomalyRecord(aoi, collections[0]!, {
        startedAt: new Date('2020-01-05'),
        detectedAt: new Date('2020-01-05'),
        endedAt: new Date('2020-01-09'),
      });
      await world.storage.transaction((stores) => stores.anomalies.put([old], [old.id]));
      await regroupAll(world.storage);
      const [incident] = await inArea(aoi);
      assert.equal(incident!.isPast, true);
      assert.deepEqual(await sent(webhook), past ? ['incident.closed', 'incident.opened'] : []);
      const news = { aoiId: aoi.id, perils: PERILS, after: new Date(0), withPast: past, most: 5 };
      assert.equal((await world.storage.incidents.news(world.owner, news)).count, past ? 1 : 0);

      // What joins it later is news.
      const fresh = { ...old, id: newId('anomaly'), startedAt: new Date('2020-01-10'), endedAt: null };
      await world.storage.transaction((stores) => stores.anomalies.put([fresh]));
      await regroupAll(world.storage);
      assert.deepEqual(
        (await inArea(aoi)).map(({ id, isPast, status }) => [id, isPast, status]),
        [[incident!.id, false, 'open']],
      );
      assert.deepEqual(await sent(webhook), ['incident.updated']);
      await world.storage.webhooks.remove(world.owner, webhook);
    }
  });

  test('changes that were known before an area was drawn are past', async () => {
    const { aoi, webhook } = await place(false);
    const change = changeRecord(collections[0]!, { geometry: aoi.geometry, bounds: aoi.bounds });
    await world.storage.transaction(async (stores) => {
      await stores.changes.insert(change);
      await stores.changes.reveal([change], aoi);
    });
    await regroupAll(world.storage);
    const [incident] = await inArea(aoi);
    assert.deepEqual([incident!.status, incident!.isPast], ['standing', true]);
    assert.deepEqual(await sent(webhook), []);
    await world.storage.webhooks.remove(world.owner, webhook);
  });
});
