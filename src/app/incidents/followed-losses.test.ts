import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  anomalyRecord,
  changeRecord,
  collectionRecord,
  putAoi,
  square,
} from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import { geodesicAreaM2 } from '../../geo/area.ts';
import { PERILS } from '../../contract/vocabulary.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import { presentIncident } from './present-incident.ts';
import { getIncident } from './read-incidents.ts';
import { regroupAll } from './regroup-incidents.ts';

/** Share of the area that is lost: its side is a quarter of the area's. */
const SHARE = 1 / 16;
const SIDE = 0.04;

describe('low greenness after a confirmed loss of vegetation', () => {
  let world: TestStorage;
  let collectionId: string;
  before(async () => {
    world = await testStorage();
    const collection = collectionRecord();
    await world.storage.collections.create(collection);
    collectionId = collection.id;
  });
  after(() => world.close());

  let places = 0;
  async function place(): Promise<Aoi> {
    const { owner, storage } = world;
    const aoi = await putAoi(storage, owner, square(-170 + 5 * places++, -40, SIDE));
    await storage.aois.rename(owner, aoi.id, 'Forest ridge');
    const subscription = { ...owner, id: newId('subscription'), aoiId: aoi.id };
    await storage.subscriptions.create({ ...subscription, perils: [...PERILS].toSorted(), status: 'active' });
    return { ...aoi, name: 'Forest ridge' };
  }
  const low = (aoi: Aoi, from: string, residual: number, over: object = {}) =>
    world.storage.transaction((stores) =>
      stores.anomalies.put([
        anomalyRecord(aoi, collectionId, {
          metric: 'ndvi',
          peril: 'wildfire',
          severity: 'critical',
          residual,
          startedAt: new Date(from),
          detectedAt: new Date(from),
          endedAt: null,
          ...over,
        }),
      ]),
    );
  const loss = (aoi: Aoi, from: string, over: object = {}) =>
    world.storage.transaction(async (stores) => {
      const [west, south] = aoi.bounds;
      const geometry = square(west, south, SIDE / 4);
      const change = changeRecord(collectionId, {
        geometry,
        firstAnomalyAt: from,
        areaM2: geodesicAreaM2(aoi.geometry) * SHARE,
        ...over,
      });
      await stores.changes.insert(change);
      await stores.changes.link(change, [aoi]);
    });
  const filter = { peril: undefined, status: undefined, since: undefined, until: undefined };
  async function incidents(aoi: Aoi) {
    await regroupAll(world.storage);
    const all = { ...filter, aoiId: aoi.id, updatedSince: undefined, bounds: undefined };
    const { items } = await world.storage.incidents.list(world.owner, all, { limit: 9, after: undefined });
    return items.map(presentIncident);
  }

  test('it belongs to the loss, which is no wildfire, however long after it began and in any order', async () => {
    for (const order of ['loss first', 'anomaly first', 'at once']) {
      const aoi = await place();
      const acts = [() => loss(aoi, '2023-03-10'), () => low(aoi, '2023-09-01', -SHARE)];
      for (const act of order === 'anomaly first' ? acts.toReversed() : acts) {
        await act();
        if (order !== 'at once') await regroupAll(world.storage);
      }
      const [incident, ...others] = await incidents(aoi);
      assert.deepEqual(others, [], order);
      assert.equal(incident!.title, 'Loss of vegetation at Forest ridge, first seen on 10 March 2023', order);
      assert.deepEqual(
        [incident!.severity, incident!.perils, incident!.status, incident!.anomaly_count],
        ['high', [], 'standing', 1],
        order,
      );
    }
  });

  test('what is too large for the loss, was there before it, or is measured elsewhere is an incident of its own', async () => {
    const cases: readonly (readonly [what: string, (aoi: Aoi) => Promise<void>])[] = [
      ['too large', (aoi) => low(aoi, '2023-09-01', -3 * SHARE)],
      ['over before', (aoi) => low(aoi, '2022-09-01', -SHARE, { endedAt: new Date('2022-10-01') })],
      ['greener', (aoi) => low(aoi, '2023-09-01', SHARE, { peril: 'flood' })],
      ['a river', (aoi) => low(aoi, '2023-09-01', -SHARE, { metric: 'river_flow' })],
    ];
    for (const [what, act] of cases) {
      const aoi = await place();
      await loss(aoi, '2023-03-10');
      await act(aoi);
      const found = await incidents(aoi);
      assert.deepEqual(found.map(({ severity }) => severity).toSorted(), ['critical', 'high'], what);
    }
  });

  test('what begins after the ground recovered does not follow from the loss', async () => {
    const aoi = await place();
    await loss(aoi, '2023-03-10', { status: 'recovered', recoveredAt: '2023-08-01' });
    await low(aoi, '2023-09-01', -SHARE);
    assert.equal((await incidents(aoi)).length, 2);
  });

  test('an incident says when its source was last observed', async () => {
    const aoi = await place();
    await loss(aoi, '2023-03-10');
    assert.equal((await incidents(aoi))[0]!.last_observed_at, null);
    const scene = { key: 'S2A_20250401', href: 'ndvi.tif', sha256: '0'.repeat(64), clearFraction: 1 };
    await world.storage.collections.putScenes(collectionId, [
      { ...scene, id: newId('scene'), observedAt: new Date('2025-04-01T10:00:00Z') },
    ]);
    const [listed] = await incidents(aoi);
    assert.equal(listed!.last_observed_at, '2025-04-01T10:00:00.000Z');
    const { incident } = await getIncident(world.storage, world.owner, listed!.id);
    assert.deepEqual(incident.lastObservedAt, new Date('2025-04-01T10:00:00Z'));
  });
});
