// Long file: all tests share one database and the series that they write to it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../base/time.ts';
import { putAoi } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import type { Peril } from '../../contract/fields.ts';
import { newId } from '../../base/ids.ts';
import type { CubeStore } from '../series/cube-store.ts';
import { listAnomalies } from './read-anomalies.ts';
import { refreshAnomalies } from './refresh-anomalies.ts';
import type { Aoi } from '../areas/aoi-store.ts';

const START_MS = Date.UTC(2020, 0, 1);
const DAYS = 900;

/** Wind at a calm place [m/s], always between 3 and 7. */
const calm = (day: number): number => 5 + 1.4 * Math.sin(day * 2.4) + 0.6 * Math.cos(day * 5.1);

describe('anomalies of stations', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  const refresh = (aoi: Aoi) =>
    refreshAnomalies(
      { storage: world.storage, cube: undefined as unknown as CubeStore },
      world.owner,
      aoi.id,
    );

  /** Creates an area far from those of other tests, with a subscription. */
  let places = 0;
  async function place(perils: readonly Peril[] = ['storm']) {
    const lat = -60 + 5 * places++;
    const ring = [
      [20, lat],
      [20.1, lat],
      [20.1, lat + 0.1],
      [20, lat + 0.1],
      [20, lat],
    ] as [number, number][];
    const aoi = await putAoi(world.storage, world.owner, { type: 'Polygon', coordinates: [ring] });
    const subscription = {
      ...world.owner,
      id: newId('subscription'),
      aoiId: aoi.id,
      perils,
      status: 'active' as const,
    };
    await world.storage.subscriptions.create(subscription);
    return { aoi, lat, subscription };
  }

  async function collection(metric = 'wind') {
    const made = {
      id: newId('collection'),
      environment: 'production' as const,
      accountId: null,
      name: newId('collection'),
      metric,
      unit: 'm/s',
      bounds: [20, 0, 20, 0] as const,
    };
    await world.storage.stations.create(made);
    return made;
  }

  const write = (
    collectionId: string,
    key: string,
    lng: number,
    lat: number,
    value: (day: number) => number | undefined,
    days = DAYS,
  ) => {
    const at: number[] = [];
    for (let day = 0; day < days; day++) if (value(day) !== undefined) at.push(day);
    return world.storage.stations.write(collectionId, [
      {
        station: { key, lng, lat },
        timesMs: Float64Array.from(at, (day) => START_MS + day * DAY_MS),
        values: Float64Array.from(at, (day) => value(day)!),
      },
    ]);
  };

  test('a subscription created while its area is deleted is cancelled at the next refresh', async () => {
    const { aoi, subscription } = await place();
    const { id } = subscription;
    const status = async () => (await world.storage.subscriptions.find(world.owner, id))!.status;
    await refresh(aoi);
    assert.equal(await status(), 'active');
    // Reactivates the subscription, as if it had been created during the deletion and the deletion had not seen it.
    await world.storage.aois.remove(world.owner, aoi.id);
    await world.database.db
      .updateTable('subscriptions')
      .set({ status: 'active' })
      .where('id', '=', id)
      .execute();
    await refresh(aoi);
    assert.equal(await status(), 'cancelled');
  });

  const listed = async (aoi: Aoi) => {
    const page = { limit: 1000, after: undefined };
    const all = await listAnomalies(
      world.storage,
      world.owner,
      { since: undefined, publishedSince: undefined },
      page,
    );
    return all.items.filter(({ aoiId }) => aoiId === aoi.id);
  };

  const eventTypes = async (aoi: Aoi): Promise<string[]> => {
    const rows = await world.database.db.selectFrom('events').select(['type', 'body']).execute();
    const bodies = rows.map(({ type, body }) => ({
      type,
      body: JSON.parse(body) as { data: { aoi_id: string } },
    }));
    return bodies
      .filter(({ body }) => body.data.aoi_id === aoi.id)
      .map(({ type }) => type)
      .toSorted();
  };

  test('each episode at a station becomes an anomaly with its provenance; a second refresh changes nothing', async () => {
    const { aoi, lat } = await place();
    const { id } = await collection();
    await write(id, 'stormy', 20.05, lat + 0.05, (day) => (day >= 700 && day < 703 ? 30 : calm(day)));
    await write(id, 'calm', 20.07, lat + 0.05, calm);
    await refresh(aoi);
    const [storm, ...more] = await listed(aoi);
    assert.deepEqual(more, []);
    assert.equal(storm!.station!.key, 'stormy');
    assert.equal(storm!.severity, 'critical');
    assert.equal(storm!.startedAt.getTime(), START_MS + 700 * DAY_MS);
    assert.equal(storm!.endedAt!.getTime(), START_MS + 703 * DAY_MS);
    const { provenance } = (await world.storage.anomalies.find(world.owner, storm!.id))!;
    assert.equal(provenance['observations_before'], 700);
    assert.equal(provenance['observations_during'], 4);
    assert.match(String(provenance['law']), /gamma/);
    assert.equal((provenance['station'] as { name: string }).name, 'stormy');
    assert.deepEqual(await eventTypes(aoi), ['anomaly.detected', 'anomaly.ended']);
    await refresh(aoi);
    assert.deepEqual(await listed(aoi), [storm]);
    assert.equal((await eventTypes(aoi)).length, 2);
  });

  test('an anomaly that ended long before the newest observation is past when it is found, and a later one is not', async () => {
    const { aoi, lat } = await place();
    const { id } = await collection();
    const storms =
      (...days: number[]) =>
      (day: number) =>
        days.includes(day) ? 30 : calm(day);
    await write(id, 'past', 20.05, lat + 0.05, storms(700, 795), 800);
    await refresh(aoi);
    const rows = await world.database.db
      .selectFrom('events')
      .select('body')
      .where('type', '=', 'anomaly.detected')
      .execute();
    const told = rows
      .map(({ body }) => JSON.parse(body) as { data: { aoi_id: string; started_at: string; past: boolean } })
      .filter(({ data }) => data.aoi_id === aoi.id)
      .map(({ data }) => [(Date.parse(data.started_at) - START_MS) / DAY_MS, data.past]);
    assert.deepEqual(
      told.toSorted((a, b) => Number(a[0]) - Number(b[0])),
      [
        [700, true],
        [795, false],
      ],
    );
    const marks = await world.database.db
      .selectFrom('incident_marks')
      .innerJoin('anomalies', 'anomalies.id', 'incident_marks.id')
      .select('incident_marks.past')
      .where('aoi_id', '=', aoi.id)
      .orderBy('started_at')
      .execute();
    assert.deepEqual(
      marks.map(({ past }) => past),
      [true, false],
    );
  });

  test('missing observations neither start nor end an anomaly; the next observation does', async () => {
    const { aoi, lat } = await place();
    const { id } = await collection();
    await write(id, 'silent', 20.05, lat + 0.05, (day) => (day >= 698 ? 30 : calm(day)), 700);
    await refresh(aoi);
    assert.equal((await listed(aoi))[0]!.endedAt, null);
    assert.deepEqual(await eventTypes(aoi), ['anomaly.detected']);
    await write(id, 'silent', 20.05, lat + 0.05, (day) => (day === 850 ? 5 : undefined), 851);
    await refresh(aoi);
    assert.equal((await listed(aoi))[0]!.endedAt!.getTime(), START_MS + 850 * DAY_MS);
    assert.deepEqual(await eventTypes(aoi), ['anomaly.detected', 'anomaly.ended']);
  });

  test('events of a quiet subscription are sent at the end of its quiet hours', async () => {
    const { storage, owner } = world;
    const { aoi, lat, subscription } = await place();
    const webhook = newId('webhook');
    const hook = {
      ...owner,
      id: webhook,
      url: 'https://example.com/',
      events: ['*'],
      status: 'active' as const,
    };
    await storage.webhooks.create(hook, 'whsec_x');
    const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const nowMs = Date.now();
    const quiet = { zone: 'UTC', from: clock(nowMs - HOUR_MS), to: clock(nowMs + 2 * HOUR_MS) };
    await storage.subscriptions.setSending(owner, subscription.id, { quietHours: quiet });
    const { id } = await collection();
    await write(id, 'quiet', 20.05, lat + 0.05, (day) => (day >= 698 ? 30 : calm(day)), 700);
    await refresh(aoi);
    const { items } = await storage.deliveries.list(owner, webhook, { limit: 10, after: undefined });
    assert.deepEqual(
      items.map(({ nextAttemptAt }) => Math.round((nextAttemptAt!.getTime() - nowMs) / HOUR_MS)),
      [2],
    );
    assert.deepEqual(await eventTypes(aoi), ['anomaly.detected'], 'the list of events shows it at once');
    await storage.webhooks.remove(owner, webhook);
  });

  test('a correction removes an anomaly, and an ended event follows the detected event', async () => {
    const { aoi, lat } = await place();
    const { id } = await collection();
    await write(id, 'wrong', 20.05, lat + 0.05, (day) => (day === 699 ? 60 : calm(day)), 700);
    await refresh(aoi);
    assert.equal((await listed(aoi)).length, 1);
    await write(id, 'wrong', 20.05, lat + 0.05, (day) => (day === 699 ? calm(day) : undefined), 700);
    await refresh(aoi);
    assert.deepEqual(await listed(aoi), []);
    assert.deepEqual(await eventTypes(aoi), ['anomaly.detected', 'anomaly.ended']);
  });

  test('an anomaly keeps its id when a late observation moves its start', async () => {
    const { aoi, lat } = await place();
    const { id } = await collection();
    const storm = (day: number) => (day >= 700 && day < 704 ? 30 : calm(day));
    await write(id, 'late', 20.05, lat + 0.05, (day) => (day === 700 ? undefined : storm(day)), 703);
    await refresh(aoi);
    const [first] = await listed(aoi);
    assert.equal(first!.startedAt.getTime(), START_MS + 701 * DAY_MS);
    await write(id, 'late', 20.05, lat + 0.05, (day) => (day === 700 ? 30 : undefined), 703);
    await refresh(aoi);
    const [moved, ...more] = await listed(aoi);
    assert.deepEqual(more, []);
    assert.equal(moved!.id, first!.id);
    assert.equal(moved!.startedAt.getTime(), START_MS + 700 * DAY_MS);
    assert.deepEqual(await eventTypes(aoi), ['anomaly.detected']);
  });

  test('without a station inside, the nearest within reach is used; a paused subscription gets no anomalies', async () => {
    const { aoi, lat, subscription } = await place();
    const { id } = await collection();
    const storm = (day: number) => (day === 700 ? 30 : calm(day));
    await write(id, 'near', 20.2, lat + 0.05, storm);
    await write(id, 'farther', 20.3, lat + 0.05, storm);
    await world.storage.subscriptions.setStatus(world.owner, subscription.id, 'paused');
    await refresh(aoi);
    assert.deepEqual(await listed(aoi), []);
    await world.storage.subscriptions.setStatus(world.owner, subscription.id, 'active');
    await refresh(aoi);
    assert.deepEqual(
      (await listed(aoi)).map(({ station }) => station!.key),
      ['near'],
    );
  });

  test('metrics of other perils and stations out of reach are ignored', async () => {
    const { aoi, lat } = await place(['flood']);
    const { id } = await collection();
    await write(id, 'windy', 20.05, lat + 0.05, (day) => (day === 700 ? 30 : calm(day)));
    const river = await collection('river_level');
    await write(river.id, 'far', 21, lat + 0.05, (day) => (day === 700 ? 30 : calm(day)));
    await refresh(aoi);
    assert.deepEqual(await listed(aoi), []);
    assert.deepEqual(await eventTypes(aoi), []);
  });

  test('a departure counts only for the perils that its side indicates', async () => {
    const { aoi, lat } = await place(['flood', 'wildfire']);
    // [metric, value on the odd day, its perils]: low water is no flood, greener vegetation no fire.
    for (const [metric, odd, perils] of [
      ['river_level', -30, []],
      ['river_level', 40, ['flood']],
      ['mndwi', -30, []],
      ['ndvi', 40, []],
      ['ndvi', -30, ['wildfire']],
      ['temperature', -30, []],
      ['humidity', 40, []],
    ] as const) {
      const { id } = await collection(metric);
      await write(id, `${metric} ${odd}`, 20.05, lat + 0.05, (day) => (day === 700 ? odd : calm(day)));
      await refresh(aoi);
      const found = (await listed(aoi)).filter(({ station }) => station!.key === `${metric} ${odd}`);
      assert.deepEqual(
        found.map(({ peril }) => peril),
        perils,
        `${metric} ${odd}`,
      );
    }
    assert.equal((await listed(aoi)).length, 2);
  });

  test('a month without rain concerns wildfire, and a wet one flood', async () => {
    const { aoi, lat } = await place(['flood', 'wildfire']);
    const { id } = await collection('precipitation_30d');
    const rain = (day: number) => 40 + 4 * calm(day);
    await write(id, 'odd', 20.05, lat + 0.05, (day) => (day === 600 ? 600 : day === 800 ? 0 : rain(day)));
    await refresh(aoi);
    const found = (await listed(aoi)).map(({ peril, residual }) => `${peril} ${Math.sign(residual)}`);
    assert.deepEqual(found.toSorted(), ['flood 1', 'wildfire -1']);
  });

  test('an anomaly that an earlier release gave a peril of the other side ends at the next refresh', async () => {
    const { aoi, lat } = await place(['flood', 'wildfire']);
    const { id } = await collection('precipitation_30d');
    const rain = (day: number) => 40 + 4 * calm(day);
    await write(id, 'dry', 20.05, lat + 0.05, (day) => (day >= 698 ? 0 : rain(day)), 700);
    await refresh(aoi);
    const [dry] = await listed(aoi);
    assert.equal(dry!.peril, 'wildfire');
    const { provenance } = (await world.storage.anomalies.find(world.owner, dry!.id))!;
    await world.storage.anomalies.put([{ ...dry!, id: newId('anomaly'), peril: 'flood', provenance }]);
    assert.equal((await listed(aoi)).length, 2);
    await refresh(aoi);
    assert.deepEqual(await listed(aoi), [dry]);
    assert.deepEqual(await eventTypes(aoi), ['anomaly.detected', 'anomaly.ended']);
  });
});
