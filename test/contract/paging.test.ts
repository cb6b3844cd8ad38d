import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { Aoi } from '../../src/app/areas/aoi-store.ts';
import {
  anomalyRecord,
  changeRecord,
  collectionRecord,
  putAoi,
  putCollection,
  square,
} from '../fixtures/records.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * A list to page through. `expected` contains the identifiers of its first items, newest first; `add` adds an item.
 */
interface List {
  readonly path: string;
  readonly items: string;
  readonly idOf: (item: Item) => string;
  readonly expected: readonly string[];
  readonly add: () => Promise<unknown>;
}

describe('lists come in pages: newest first, nothing twice, nothing left out', () => {
  let world: World;
  before(async () => {
    world = await contractWorld();
  });
  after(() => assertNoServerError(world));
  const byId = (ids: readonly string[]): string[] => ids.toSorted((a, b) => (a < b ? 1 : -1));
  const times = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => make(i)));

  /** Follows `Link` from page to page and adds an item before each page. @returns the identifiers in order */
  async function walk({ path, items, idOf, add }: List, limit: number): Promise<string[]> {
    const ids: string[] = [];
    let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
    while (next !== undefined) {
      const answer = await world.service.call(next, { key: world.key });
      assert.equal(answer.status, 200, answer.text);
      const body = answer.json();
      const page = body[items] as Item[];
      assert.ok(page.length <= limit && page.length > 0, `a page of ${page.length}`);
      ids.push(...page.map(idOf));
      const link = answer.headers['link'];
      next = link === undefined ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1];
      assert.equal(next === undefined, body['next_cursor'] === undefined);
      if (next !== undefined) {
        assert.equal(page.length, limit, 'a page that is not the last is full');
        const { searchParams } = new URL(next, world.service.baseUrl);
        assert.equal(searchParams.get('cursor'), body['next_cursor']);
        assert.equal(searchParams.get('limit'), String(limit));
        await add();
      }
    }
    return ids;
  }

  async function walks(list: List): Promise<void> {
    for (const limit of list.expected.length > 12 ? [5, 7] : [1, 2, 3, 7]) {
      const ids = await walk(list, limit);
      assert.equal(new Set(ids).size, ids.length, `${list.path}: one came twice`);
      const known = new Set(list.expected);
      assert.deepEqual(
        ids.filter((id) => known.has(id)),
        list.expected,
        `${list.path} by ${limit}`,
      );
    }
    const whole = await world.service.call(list.path, { key: world.key });
    assert.equal(whole.json()['next_cursor'], undefined, 'a short list was cut');
    assert.equal(whole.headers['link'], undefined);
  }

  async function changesOf(aoi: Aoi, days: readonly string[]): Promise<string[]> {
    const { storage } = world.backstage;
    const made = await times(days.length, async (i) => {
      const change = changeRecord(world.collection.id, { detectedAt: days[i]! });
      await storage.changes.insert(change);
      await storage.changes.link(change, [aoi]);
      return change;
    });
    return made.toSorted((a, b) => (a.detectedAt + a.id < b.detectedAt + b.id ? 1 : -1)).map(({ id }) => id);
  }

  test('changes, several of one day', async () => {
    const aoi = await putAoi(world.backstage.storage, world.owner);
    const days = [
      '2026-01-01',
      '2026-01-02',
      '2026-01-02',
      '2026-01-02',
      '2026-01-03',
      '2026-01-03',
      '2025-12-31',
    ];
    const expected = await changesOf(aoi, days);
    await walks({
      path: `/v1/changes?aoi_id=${aoi.id}&status=all`,
      items: 'changes',
      idOf: ({ id }) => String(id),
      expected,
      add: () => changesOf(aoi, ['2026-01-02', '2027-01-01']),
    });
  });

  test('anomalies, several of one moment', async () => {
    const { storage } = world.backstage;
    const aoi = await putAoi(storage, world.owner, square(-50, -50));
    const id = newId('subscription');
    await storage.subscriptions.create({
      ...world.owner,
      id,
      aoiId: aoi.id,
      perils: ['storm'],
      status: 'active',
    });
    let started = 0;
    const put = async (day: string) => {
      const anomaly = anomalyRecord(aoi, world.collection.id, {
        peril: 'storm',
        startedAt: new Date(started++),
        detectedAt: new Date(`${day}T10:00:00.123Z`),
      });
      await storage.anomalies.put([anomaly]);
      return { id: anomaly.id, day };
    };
    const days = [
      '2026-09-02',
      '2026-09-01',
      '2026-09-02',
      '2026-09-02',
      '2026-09-03',
      '2026-09-01',
      '2026-09-04',
    ];
    const made = await times(days.length, (i) => put(days[i]!));
    await walks({
      path: '/v1/anomalies?since=2026-09-01',
      items: 'anomalies',
      idOf: ({ id }) => String(id),
      expected: made.toSorted((a, b) => (a.day + a.id < b.day + b.id ? 1 : -1)).map(({ id }) => id),
      add: () => put('2026-09-02'),
    });
  });

  test('areas, webhooks, deliveries and subscriptions', async () => {
    const { service, backstage, key } = world;
    const { storage } = backstage;
    const post = async (path: string, json: unknown): Promise<string> => {
      const answer = await service.call(path, { method: 'POST', key, json });
      assert.ok(answer.status < 300, answer.text);
      const body = answer.json();
      return String(body['id'] ?? body['subscription_id'] ?? body['event_id']);
    };
    const all = async (path: string, items: string, id = 'id') =>
      ((await service.call(path, { key })).json()[items] as Item[]).map((item) => String(item[id]));
    const makers: readonly (readonly [
      path: string,
      items: string,
      id: string,
      make: (i: number) => Promise<string>,
    ])[] = [
      ['/v1/aois', 'aois', 'id', async () => (await putAoi(storage, world.owner)).id],
      [
        '/v1/webhooks',
        'webhooks',
        'id',
        () => post('/v1/webhooks', { url: 'https://x.example/', events: ['*'] }),
      ],
      [
        '/v1/anomalies/subscriptions',
        'subscriptions',
        'subscription_id',
        async () => {
          const aoi = await putAoi(storage, world.owner);
          const id = newId('subscription');
          await storage.subscriptions.create({
            ...world.owner,
            id,
            aoiId: aoi.id,
            perils: ['flood'],
            status: 'paused',
          });
          return id;
        },
      ],
    ];
    for (const [path, items, id, make] of makers) {
      await times(5, make);
      const expected = await all(path, items, id);
      assert.ok(expected.length >= 5);
      assert.deepEqual(expected, byId(expected), `${path} is not newest first`);
      await walks({ path, items, idOf: (item) => String(item[id]), expected, add: () => make(0) });
    }
    const webhook = await post('/v1/webhooks', {
      url: 'https://hooks.invalid:1024/',
      events: ['webhook.test'],
    });
    const path = `/v1/webhooks/${webhook}/deliveries`;
    const send = () => post(`/v1/webhooks/${webhook}/test`, undefined);
    const events = await times(5, send);
    const expected = await all(path, 'deliveries');
    assert.deepEqual(new Set(await all(path, 'deliveries', 'event_id')), new Set(events));
    await walks({ path, items: 'deliveries', idOf: ({ id }) => String(id), expected, add: send });
  });

  test('stations', async () => {
    const { stations: store } = world.backstage.storage;
    const collection = { id: newId('collection'), environment: 'production' as const, accountId: null };
    const [name, metric, unit, bounds] = ['buoys', 'level', 'm', [-40, 40, -40, 40] as const] as const;
    await store.create({ ...collection, name, metric, unit, bounds });
    let made = 0;
    const add = async (): Promise<void> => {
      const station = { key: `buoy ${made++}`, lng: -40, lat: 40 };
      await store.write(collection.id, [
        { station, timesMs: Float64Array.of(0), values: Float64Array.of(1) },
      ]);
    };
    for (let i = 0; i < 5; i++) await add();
    const path = '/v1/stations?bbox=-41,39,-39,41&metric=level';
    const { stations } = (await world.service.call(path, { key: world.key })).json();
    const expected = (stations as Item[]).map(({ id }) => String(id));
    assert.equal(expected.length, 5);
    assert.deepEqual(expected, byId(expected));
    await walks({ path, items: 'stations', idOf: ({ id }) => String(id), expected, add });
  });

  test('series, also of scenes at one moment; a value that arrives late in the past repeats nothing', async () => {
    const collection = collectionRecord({
      metric: 'nbr',
      grid: { ...world.collection.grid, transform: [30, 0.01, 0, 46.02, 0, -0.01] },
      bounds: [30, 46, 30.02, 46.02],
    });
    const days = ['01', '02', '02', '02', '05', '06', '06', '09'];
    const observations = days.map((day, i) => ({ time: `2026-04-${day}`, raw: 1000 + i, key: `scene-${i}` }));
    await putCollection(world.backstage, collection, observations);
    let late = 0;
    const list: List = {
      path: '/v1/historical?lat=46.01&lng=30.01&metric=nbr',
      items: 'series',
      idOf: ({ t, v }) => `${String(t)} ${String(v)}`,
      expected: days.map((day, i) => `2026-04-${day} ${(1000 + i) / 10_000}`),
      add: async () => {
        late++;
        const samples = new Int16Array(4).fill(late);
        const scene = { key: `late-${late}`, timeMs: Date.parse('2026-03-01') + late };
        await world.backstage.cube.append(collection.id, scene, samples);
      },
    };
    await walks(list);
  });

  test('since is by day for changes and inclusive, published_since is by the moment of publishing, status chooses', async () => {
    const { service, key, backstage, owner, collection } = world;
    const aoi = await putAoi(backstage.storage, owner);
    const [newest, middle, oldest] = await changesOf(aoi, ['2026-02-01', '2026-02-02', '2026-02-03']);
    const suspected = changeRecord(collection.id, {
      status: 'suspected',
      confirmedAt: null,
      detectedAt: '2026-02-02',
    });
    await backstage.storage.changes.insert(suspected);
    await backstage.storage.changes.link(suspected, [aoi]);
    const list = async (query: string): Promise<unknown[]> => {
      const answer = await service.call(`/v1/changes?aoi_id=${aoi.id}${query}`, { key });
      assert.equal(answer.status, 200, answer.text);
      return (answer.json()['changes'] as Item[]).map(({ id }) => id);
    };
    assert.deepEqual(await list(''), [newest, middle, oldest]);
    assert.deepEqual(await list('&since=2026-02-02'), [newest, middle]);
    assert.deepEqual(await list('&since=2026-02-02T23:59:59Z'), [newest, middle]);
    assert.deepEqual(await list('&since=2026-02-03T00:30:00%2B01:00'), [newest, middle]);
    assert.deepEqual(await list('&since=2026-02-04'), []);
    assert.deepEqual(await list('&status=suspected'), [suspected.id]);
    assert.equal((await list('&status=all')).length, 4);
    for (const status of ['rejected', 'recovered']) assert.deepEqual(await list(`&status=${status}`), []);
    const { db } = backstage.database;
    await db
      .updateTable('aoi_changes')
      .set({ published_at: new Date('2026-10-01T12:00:00Z') })
      .where('change_id', 'in', [newest!, oldest!])
      .execute();
    assert.deepEqual(await list('&published_since=2026-10-01T12:00:01Z'), [middle]);
    assert.deepEqual(await list('&published_since=2026-10-01T12:00:00Z'), [newest, middle, oldest]);
  });
});
