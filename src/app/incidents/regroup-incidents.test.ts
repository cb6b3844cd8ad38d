// Long file: all tests share one database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import {
  anomalyRecord,
  changeRecord,
  collectionRecord,
  putAoi,
  square,
} from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import { HOUR_MS } from '../../base/time.ts';
import { PERILS } from '../../contract/vocabulary.ts';
import type { AnomalyRecord } from '../anomalies/anomaly-store.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Owner } from '../owner.ts';
import type { IncidentFilter } from './incident-store.ts';
import { presentMembers } from './present-incident.ts';
import { getIncident } from './read-incidents.ts';
import { regroupAll } from './regroup-incidents.ts';
import { sendDigests } from './send-digests.ts';

const PAGE = { limit: 1000, after: undefined };
const ALL: IncidentFilter = {
  aoiId: undefined,
  peril: undefined,
  status: undefined,
  since: undefined,
  until: undefined,
  updatedSince: undefined,
  bounds: undefined,
};

describe('incidents of what is published', () => {
  let world: TestStorage;
  let owner: Owner;
  let collectionId: string;
  before(async () => {
    world = await testStorage();
    ({ owner } = world);
    const collection = collectionRecord();
    await world.storage.collections.create(collection);
    collectionId = collection.id;
  });
  after(() => world.close());

  /** An area far from those of other tests, with a subscription to all perils. */
  let places = 0;
  async function place(name = 'River plain', of = owner): Promise<Aoi> {
    const n = places++;
    const aoi = await putAoi(world.storage, of, square(-170 + 5 * n, -40));
    await world.storage.aois.rename(of, aoi.id, name);
    await world.storage.subscriptions.create({
      ...of,
      id: newId('subscription'),
      aoiId: aoi.id,
      perils: [...PERILS].toSorted(),
      status: 'active',
    });
    return aoi;
  }
  const anomaly = (
    aoi: Aoi,
    metric: string,
    from: string,
    to: string | null,
    over: Partial<AnomalyRecord> = {},
  ) =>
    anomalyRecord(aoi, collectionId, {
      metric,
      peril: 'flood',
      severity: 'medium',
      residual: 1,
      startedAt: new Date(from),
      detectedAt: new Date(from),
      endedAt: to === null ? null : new Date(to),
      ...over,
    });
  const put = (...anomalies: AnomalyRecord[]) =>
    world.storage.transaction((stores) => stores.anomalies.put(anomalies));
  const regroup = () => regroupAll(world.storage);
  const inArea = async (aoi: Aoi, filter: Partial<IncidentFilter> = {}) =>
    (await world.storage.incidents.list(aoi, { ...ALL, aoiId: aoi.id, ...filter }, PAGE)).items;
  const titles = async (aoi: Aoi) => (await inArea(aoi)).map(({ title }) => title);
  /** Types and titles of the events of an area since the last call: opened, updated, closed. */
  let read = '';
  async function events(aoi: Aoi): Promise<string[]> {
    const rows = await world.database.db
      .selectFrom('events')
      .select(['id', 'type', 'body'])
      .where('type', 'like', 'incident.%')
      .where('id', '>', read)
      .orderBy('id')
      .execute();
    read = rows.at(-1)?.id ?? read;
    const texts = rows.flatMap(({ type, body }) => {
      const { data } = JSON.parse(body) as { data: { aoi_ids: string[]; title: string } };
      return data.aoi_ids.includes(aoi.id) ? [`${type}: ${data.title}`] : [];
    });
    return texts.toSorted().toReversed(); // events of one transaction have no order
  }

  test('an incident is opened once, updated by what joins it, and closed when nothing of it lasts', async () => {
    const aoi = await place();
    const rain = anomaly(aoi, 'precipitation', '2024-10-05T14:00:00Z', '2024-10-08T14:00:00Z', {
      severity: 'critical',
    });
    await put(rain);
    await regroup();
    assert.deepEqual(await events(aoi), [
      'incident.opened: Heavy rain at River plain, 5 to 8 October 2024',
      'incident.closed: Heavy rain at River plain, 5 to 8 October 2024',
    ]);
    const [first] = await inArea(aoi);
    const river = anomaly(aoi, 'river_flow', '2024-10-07', null);
    await put(river);
    await regroup();
    const open = 'Heavy rain and high water at River plain, since 5 October 2024';
    assert.deepEqual(await events(aoi), [`incident.updated: ${open}`]);
    await put(rain, river); // published again without a difference
    await regroup();
    assert.deepEqual(await events(aoi), []);
    await put({ ...river, endedAt: new Date('2024-10-17') });
    await regroup();
    const closed = 'Heavy rain and high water at River plain, 5 to 17 October 2024';
    assert.deepEqual(await events(aoi), [`incident.closed: ${closed}`]);
    const [incident, ...others] = await inArea(aoi);
    assert.deepEqual(others, []);
    assert.equal(incident!.id, first!.id);
    assert.deepEqual(incident!.openedAt, first!.openedAt);
    assert.ok(incident!.updatedAt > first!.updatedAt);
    assert.equal(incident!.severity, 'critical');
    const { members } = await getIncident(world.storage, owner, incident!.id);
    assert.deepEqual(
      presentMembers(members).anomalies.map(({ id, status, url }) => [id, status, url]),
      [
        [river.id, 'ended', `/v1/anomalies/${river.id}`],
        [rain.id, 'ended', `/v1/anomalies/${rain.id}`],
      ],
    );
  });

  test('a change joins the anomalies of its cause and brings its pictures; a suspicion does not', async () => {
    const aoi = await place();
    const change = changeRecord(collectionId, {
      type: 'water_gain',
      geometry: aoi.geometry,
      bounds: aoi.bounds,
      firstAnomalyAt: '2024-10-12',
      status: 'suspected',
      confirmedAt: null,
    });
    const publish = (status: 'suspected' | 'confirmed' | 'rejected') =>
      world.storage.transaction(async (stores) => {
        const now = { ...change, status, confirmedAt: status === 'suspected' ? null : '2024-12-01' };
        if (status === 'suspected') await stores.changes.insert(now);
        else await stores.changes.update(now);
        await stores.changes.link(now, [aoi]);
      });
    await put(anomaly(aoi, 'precipitation', '2024-10-05', '2024-10-08', { severity: 'high' }));
    await publish('suspected');
    await regroup();
    assert.deepEqual(await titles(aoi), ['Heavy rain at River plain, 5 to 8 October 2024']);
    await publish('confirmed');
    await regroup();
    const [incident, ...others] = await inArea(aoi);
    assert.deepEqual(others, []);
    assert.equal(incident!.title, 'Heavy rain and new water at River plain, 5 to 12 October 2024');
    assert.equal(incident!.picturedChange, change.id);
    const { members } = await getIncident(world.storage, owner, incident!.id);
    assert.deepEqual(
      members.changes.map(({ id }) => id),
      [change.id],
    );
    await publish('rejected');
    await regroup();
    assert.deepEqual(await titles(aoi), ['Heavy rain at River plain, 5 to 8 October 2024']);
    assert.equal((await inArea(aoi))[0]!.picturedChange, null);
  });

  test('what is published in any order, in one piece or in many, gives the same incidents', async () => {
    const days = [1, 2, 3, 10, 11, 25, 26, 27];
    const orders = [days, days.toReversed(), [25, 2, 11, 27, 1, 10, 3, 26], [3, 27, 10, 26, 2, 25, 11, 1]];
    const results: unknown[] = [];
    for (const [piece, order] of orders.entries()) {
      const aoi = await place();
      const day = (d: number) => `2024-03-${String(d).padStart(2, '0')}`;
      const published = order.map((d) => anomaly(aoi, 'gust', day(d), day(d), { peril: 'storm' }));
      for (let from = 0; from < published.length; from += piece + 1) {
        await put(...published.slice(from, from + piece + 1));
        await regroup();
      }
      const found = await inArea(aoi);
      results.push(found.map(({ title, anomalyCount, startedAt }) => ({ title, anomalyCount, startedAt })));
    }
    assert.equal((results[0] as unknown[]).length, 3);
    for (const result of results) assert.deepEqual(result, results[0]);
  });

  test('the id follows from the first member, so that the same input gives the same id', async () => {
    const aoi = await place();
    const [a, b] = [
      anomaly(aoi, 'gust', '2024-03-01', '2024-03-02'),
      anomaly(aoi, 'wind', '2024-03-01', '2024-03-03'),
    ];
    await put(a, b);
    await regroup();
    const [first] = await inArea(aoi);
    await world.storage.transaction((stores) => stores.anomalies.remove([a.id, b.id]));
    await regroup();
    assert.deepEqual(await inArea(aoi), []);
    assert.equal(await world.storage.incidents.find(owner, first!.id), undefined);
    await put(b, a);
    await regroup();
    assert.deepEqual(
      (await inArea(aoi)).map(({ id }) => id),
      [first!.id],
    );
  });

  test('a member between two incidents makes them one, whose former ids lead to it; without it they part', async () => {
    const aoi = await place();
    const [early, late] = [
      anomaly(aoi, 'gust', '2024-03-01', '2024-03-02'),
      anomaly(aoi, 'gust', '2024-03-07', '2024-03-09'),
    ];
    await put(late);
    await regroup();
    await put(early);
    await regroup();
    const [second, first] = (await inArea(aoi)).toSorted(
      (a, b) => a.startedAt.getTime() - b.startedAt.getTime(),
    );
    await events(aoi);
    const between = anomaly(aoi, 'gust', '2024-03-04', '2024-03-05');
    await put(between);
    await regroup();
    assert.deepEqual(
      (await inArea(aoi)).map(({ id }) => id),
      [first!.id],
      'that which was opened first goes on',
    );
    assert.deepEqual(await events(aoi), [
      'incident.updated: Strong wind at River plain, 1 to 9 March 2024',
      'incident.closed: Strong wind at River plain, 1 to 2 March 2024',
    ]);
    const { incident } = await getIncident(world.storage, owner, second!.id);
    assert.equal(incident.id, first!.id);
    await world.storage.transaction((stores) => stores.anomalies.remove([between.id]));
    await regroup();
    const parts = await inArea(aoi);
    assert.deepEqual(
      parts.map(({ title }) => title),
      ['Strong wind at River plain, 7 to 9 March 2024', 'Strong wind at River plain, 1 to 2 March 2024'],
    );
    assert.ok(parts.some(({ id }) => id === first!.id));
    assert.equal(new Set(parts.map(({ id }) => id)).size, 2);
  });

  test('a crash before the incidents are made, or while they are, loses none and opens none twice', async () => {
    const aoi = await place();
    await put(anomaly(aoi, 'precipitation', '2024-10-05', '2024-10-08'));
    const crash = new Error('crash');
    await assert.rejects(
      world.storage.transaction(async (stores) => {
        await regroupAll({
          incidents: world.storage.incidents,
          boundTo: () => ({ transaction: (work) => work(stores) }),
        });
        assert.equal((await stores.incidents.list(owner, { ...ALL, aoiId: aoi.id }, PAGE)).items.length, 1);
        throw crash;
      }),
      crash,
    );
    assert.deepEqual(await inArea(aoi), []);
    assert.deepEqual(await events(aoi), []);
    // Several processes do it at once.
    await Promise.all(Array.from({ length: 4 }, () => regroupAll(world.storage)));
    assert.equal((await inArea(aoi)).length, 1);
    assert.deepEqual((await events(aoi)).filter((text) => text.startsWith('incident.opened')).length, 1);
    // A publication that is rolled back leaves nothing.
    await assert.rejects(
      world.storage.transaction(async (stores) => {
        await stores.anomalies.put([anomaly(aoi, 'gust', '2020-10-05', '2020-10-08')]);
        throw crash;
      }),
      crash,
    );
    assert.equal(await regroupAll(world.storage), false);
  });

  test('a new name, the end of a subscription and the end of an area show in the incidents', async () => {
    const aoi = await place();
    await put(anomaly(aoi, 'precipitation', '2024-10-05', '2024-10-08'));
    await regroup();
    await world.storage.aois.rename(owner, aoi.id, 'Low plain');
    await regroup();
    assert.deepEqual(await titles(aoi), ['Heavy rain at Low plain, 5 to 8 October 2024']);
    const { items } = await world.storage.subscriptions.list(owner, PAGE);
    const subscription = items.find(({ aoiId }) => aoiId === aoi.id)!;
    await world.storage.subscriptions.setStatus(owner, subscription.id, 'cancelled');
    await regroup();
    assert.deepEqual(await titles(aoi), [], 'as in the list of anomalies');
    await world.storage.subscriptions.create({
      ...subscription,
      id: newId('subscription'),
      status: 'active',
    });
    await regroup();
    assert.equal((await titles(aoi)).length, 1);
    await world.storage.aois.remove(owner, aoi.id);
    await regroup();
    assert.deepEqual(await titles(aoi), []);
  });

  test('each account has incidents of its own, and reaches no others', async () => {
    const aoi = await place();
    const other = world.others[1]!;
    const theirs = await putAoi(world.storage, other, aoi.geometry);
    const subscription = { aoiId: theirs.id, perils: ['flood'] as const, status: 'active' as const };
    await world.storage.subscriptions.create({ ...other, ...subscription, id: newId('subscription') });
    await put(
      anomaly(aoi, 'precipitation', '2024-10-05', '2024-10-08'),
      anomaly(theirs, 'precipitation', '2024-10-06', '2024-10-09'),
    );
    await regroupAll(world.storage);
    const [ours] = await inArea(aoi);
    assert.equal(ours!.title, 'Heavy rain at River plain, 5 to 8 October 2024');
    assert.deepEqual(await titles(theirs), ['Heavy rain at an area, 6 to 9 October 2024']);
    for (const stranger of world.others) {
      assert.equal(await world.storage.incidents.find(stranger, ours!.id), undefined);
      const bound = world.storage.boundTo(stranger);
      assert.equal(await bound.incidents.find(owner, ours!.id), undefined, 'by row-level security');
      assert.deepEqual((await bound.incidents.list(owner, ALL, PAGE)).items, []);
      assert.deepEqual(await bound.incidents.members(owner, ours!.id, 10), { anomalies: [], changes: [] });
    }
  });

  test('members that were there before an upgrade make incidents without events', async () => {
    const aoi = await place();
    await put(anomaly(aoi, 'precipitation', '2024-10-05', '2024-10-08'));
    await sql`update incident_marks set quiet = true`.execute(world.database.db);
    await regroup();
    assert.equal((await inArea(aoi)).length, 1);
    assert.deepEqual(await events(aoi), []);
  });

  test('what a release without incidents writes or removes is found later', async () => {
    const aoi = await place();
    const [kept, removed] = [
      anomaly(aoi, 'gust', '2024-03-01', '2024-03-02'),
      anomaly(aoi, 'gust', '2020-03-01', '2020-03-02'),
    ];
    await put(removed);
    await regroup();
    await world.database.db.deleteFrom('anomalies').where('id', '=', removed.id).execute();
    await put(kept);
    await sql`delete from incident_marks`.execute(world.database.db);
    await regroup();
    assert.deepEqual(await titles(aoi), ['Strong wind at River plain, 1 to 2 March 2020']);
    await world.storage.incidents.markMissed();
    await regroup();
    assert.deepEqual(await titles(aoi), ['Strong wind at River plain, 1 to 2 March 2024']);
  });

  test('events wait for the end of the quiet hours when all subscriptions that ask for them are quiet', async () => {
    const aoi = await place();
    const webhook = newId('webhook');
    const hook = {
      ...owner,
      id: webhook,
      url: 'https://example.com/',
      events: ['*'],
      status: 'active' as const,
    };
    await world.storage.webhooks.create(hook, 'whsec_x');
    const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const nowMs = Date.now();
    const quiet = { zone: 'UTC', from: clock(nowMs - HOUR_MS), to: clock(nowMs + 2 * HOUR_MS) };
    const { items } = await world.storage.subscriptions.list(owner, PAGE);
    const { id } = items.find(({ aoiId }) => aoiId === aoi.id)!;
    await world.storage.subscriptions.setSending(owner, id, { quietHours: quiet });
    /** Hours from now until the first attempts of the deliveries since the last call, rounded. */
    const waits = async () => {
      const page = await world.storage.deliveries.list(owner, webhook, PAGE);
      await world.database.db.deleteFrom('deliveries').where('webhook_id', '=', webhook).execute();
      return page.items.map(({ nextAttemptAt }) =>
        Math.max(0, Math.round((nextAttemptAt!.getTime() - nowMs) / HOUR_MS)),
      );
    };
    await put(anomaly(aoi, 'precipitation', '2024-10-05', null));
    await regroup();
    assert.deepEqual(await waits(), [2]);
    assert.deepEqual(await events(aoi), ['incident.opened: Heavy rain at River plain, since 5 October 2024']);
    const other = { ...owner, id: newId('subscription'), aoiId: aoi.id, perils: ['flood'] as const };
    await world.storage.subscriptions.create({ ...other, status: 'active' });
    await regroup();
    await put(anomaly(aoi, 'river_level', '2024-10-06', null));
    await regroup();
    assert.deepEqual(await waits(), [0], 'one subscription is not quiet');
    await world.storage.webhooks.remove(owner, webhook);
  });

  test('a digest tells once of what began or changed, in place of the events', async () => {
    const aoi = await place();
    const webhook = newId('webhook');
    const hook = {
      ...owner,
      id: webhook,
      url: 'https://example.com/',
      events: ['*'],
      status: 'active' as const,
    };
    await world.storage.webhooks.create(hook, 'whsec_x');
    const { items } = await world.storage.subscriptions.list(owner, PAGE);
    const { id } = items.find(({ aoiId }) => aoiId === aoi.id)!;
    await world.storage.subscriptions.setSending(owner, id, { digest: 'daily' });
    const dayAgo = () =>
      sql`update subscriptions set digested_at = now() - interval '25 hours' where id = ${id}`.execute(
        world.database.db,
      );
    const delivered = async () => (await world.storage.deliveries.list(owner, webhook, PAGE)).items;
    await put(
      anomaly(aoi, 'precipitation', '2024-10-05', null),
      anomaly(aoi, 'gust', '2023-10-05', '2023-10-06'),
    );
    await regroup();
    assert.deepEqual(await delivered(), []);
    assert.equal((await events(aoi)).length, 3, 'the list of events shows them at once');
    assert.equal(await sendDigests(world.storage, Date.now()), 0, 'not due before the day is over');
    await dayAgo();
    const sent = await Promise.all(Array.from({ length: 3 }, () => sendDigests(world.storage, Date.now())));
    assert.equal(
      sent.reduce((sum, count) => sum + count, 0),
      1,
      'once, however many workers there are',
    );
    const [delivery, ...others] = await delivered();
    assert.deepEqual(others, []);
    assert.equal(delivery!.eventType, 'incident.digest');
    const row = await world.database.db
      .selectFrom('events')
      .select('body')
      .where('type', '=', 'incident.digest')
      .executeTakeFirstOrThrow();
    const { data } = JSON.parse(row.body) as {
      data: { incident_count: number; incidents: { title: string }[] };
    };
    assert.equal(data.incident_count, 2);
    assert.deepEqual(
      data.incidents.map(({ title }) => title),
      ['Heavy rain at River plain, since 5 October 2024', 'Strong wind at River plain, 5 to 6 October 2023'],
    );
    await dayAgo();
    await sql`update incidents set updated_at = now() - interval '2 days'`.execute(world.database.db);
    assert.equal(await sendDigests(world.storage, Date.now()), 0, 'nothing is new');
    await dayAgo();
    await put(anomaly(aoi, 'river_level', '2024-10-06', null));
    await regroup();
    const quietHours = { zone: 'UTC', from: '00:00', to: '23:59' };
    await world.storage.subscriptions.setSending(owner, id, { quietHours });
    assert.equal(await sendDigests(world.storage, Date.parse('2026-11-24T12:00:00Z')), 0, 'it is quiet');
    assert.equal(await sendDigests(world.storage, Date.parse('2026-11-24T23:59:00Z')), 1);
    await world.storage.webhooks.remove(owner, webhook);
  });

  test('removing a collection removes its members', async () => {
    const aoi = await place();
    const collection = collectionRecord();
    await world.storage.collections.create(collection);
    await put({ ...anomaly(aoi, 'gust', '2024-03-01', '2024-03-02'), collectionId: collection.id });
    await regroup();
    assert.equal((await titles(aoi)).length, 1);
    await world.storage.collections.remove(collection.id);
    await regroup();
    assert.deepEqual(await titles(aoi), []);
  });

  test('a list is filtered by place, time, peril and state, and read page by page', async () => {
    const aoi = await place();
    await put(
      anomaly(aoi, 'precipitation', '2024-01-05', '2024-01-06'),
      anomaly(aoi, 'gust', '2024-02-05', '2024-02-06', { peril: 'storm' }),
      anomaly(aoi, 'precipitation', '2024-03-05', null),
    );
    await regroup();
    const months = async (filter: Partial<IncidentFilter>) =>
      (await inArea(aoi, filter)).map(({ startedAt }) => startedAt.getUTCMonth() + 1);
    assert.deepEqual(await months({}), [3, 2, 1]);
    assert.deepEqual(await months({ peril: 'storm' }), [2]);
    assert.deepEqual(await months({ status: 'open' }), [3]);
    assert.deepEqual(await months({ status: 'closed' }), [2, 1]);
    assert.deepEqual(await months({ since: new Date('2024-02-05') }), [3, 2]);
    assert.deepEqual(await months({ until: new Date('2024-02-05') }), [1]);
    assert.deepEqual(await months({ bounds: aoi.bounds }), [3, 2, 1]);
    const { length } = (await inArea(aoi))[0]!.bounds;
    assert.equal(length, 4);
    assert.deepEqual(await months({ bounds: [100, 10, 101, 11] }), []);
    const [newest] = await inArea(aoi);
    assert.deepEqual(await months({ updatedSince: newest!.updatedAt }), [3, 2, 1]);
    assert.deepEqual(await months({ updatedSince: new Date(newest!.updatedAt.getTime() + 1) }), []);
    const seen: number[] = [];
    for (let after: readonly string[] | undefined, pages = 0; pages < 4; pages++) {
      const page = await world.storage.incidents.list(owner, { ...ALL, aoiId: aoi.id }, { limit: 1, after });
      seen.push(...page.items.map(({ startedAt }) => startedAt.getUTCMonth() + 1));
      after = page.next;
      if (after === undefined) break;
    }
    assert.deepEqual(seen, [3, 2, 1]);
  });

  test('more members than one transaction takes are one incident', async () => {
    const aoi = await place();
    const hour = (i: number) => new Date(Date.UTC(2024, 3, 1) + i * 3_600_000).toISOString();
    await put(...Array.from({ length: 1200 }, (_, i) => anomaly(aoi, 'gust', hour(i), hour(i + 1))));
    await regroup();
    const [incident, ...others] = await inArea(aoi);
    assert.deepEqual(others, []);
    assert.equal(incident!.anomalyCount, 1200);
    const { members } = await getIncident(world.storage, owner, incident!.id);
    assert.equal(members.anomalies.length, 500);
  });
});
