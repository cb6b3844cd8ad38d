import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.ts';
import { ANSWER_UNIT_BYTES, PAGE_BYTES } from '../../src/contract/limits.ts';
import { anomalyRecord, changeRecord, collectionRecord } from '../fixtures/records.ts';
import { type SecuredApp, securedApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';

const AREAS = 12;
const VERTICES = 5_000;

/** A ring of many positions at full precision, some 200 kB of JSON. */
const ring = Array.from({ length: VERTICES }, (_, i) => {
  const turn = (i / VERTICES) * 2 * Math.PI;
  return [10 + Math.cos(turn) / 3, 40 + Math.sin(turn) / 3] as [number, number];
});
const geometry = { type: 'Polygon' as const, coordinates: [[...ring, ring[0]!]] };
/** A square ring with its west and its south at `at`. */
const square = (at: number): [number, number][] => [
  [at, at],
  [at + 1, at],
  [at + 1, at + 1],
  [at, at + 1],
  [at, at],
];

/** More of a page than this can only be one more item. */
const ITEM_BYTES = JSON.stringify(geometry).length + 4_000;

describe('a page of large items ends early, with its cursor', () => {
  let world: TestStorage;
  let app: SecuredApp;
  let key: string;
  const aois: string[] = [];
  const changes: string[] = [];
  const anomalies: string[] = [];
  const events: string[] = [];
  before(async () => {
    world = await testStorage();
    app = await securedApp(world);
    key = await app.key();
    const { storage, owner } = world;
    const collection = collectionRecord({ environment: owner.environment, accountId: owner.accountId });
    await storage.collections.create(collection);
    for (let i = 0; i < AREAS; i++) {
      const aoi = { ...owner, id: newId('aoi'), name: `"geometry":null ${i}`, geometry, areaM2: 1 };
      await storage.aois.create({ ...aoi, bounds: [9, 39, 11, 41] });
      aois.unshift(aoi.id);
      const change = changeRecord(collection.id, {
        geometry,
        environment: owner.environment,
        objectKey: `${i}`,
      });
      await storage.changes.insert(change);
      await storage.changes.link(change, [{ ...owner, id: aois.at(-1)! }]);
      changes.push(change.id);
      const anomaly = anomalyRecord(aoi, collection.id, {
        startedAt: new Date(Date.UTC(2026, 0, 1 + i)),
        detectedAt: new Date(Date.UTC(2026, 0, 2 + i)),
      });
      await storage.subscriptions.create({
        ...owner,
        id: newId('subscription'),
        aoiId: aoi.id,
        perils: [anomaly.peril],
        status: 'active',
      });
      await storage.anomalies.put([anomaly]);
      anomalies.unshift(anomaly.id);
    }
    for (let i = 0; i < 120; i++)
      events.push(await storage.events.emit(owner, 'webhook.test', { text: 'x'.repeat(19_000) }));
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await world.close();
  });

  /** Walks through all pages. @returns the items, and the size of each page but the last */
  async function walk(url: string, items: string): Promise<{ all: { id: string }[]; bytes: number[] }> {
    const all: { id: string }[] = [];
    const bytes: number[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const answer = await app.call({ method: 'GET', url: `${url}${cursor && `&cursor=${cursor}`}`, key });
      assert.equal(answer.status, 200, answer.text);
      const body = answer.json() as Record<string, unknown> & { next_cursor?: string };
      all.push(...(body[items] as { id: string }[]));
      bytes.push(answer.bytes.length);
      cursor = body.next_cursor;
    }
    return { all, bytes };
  }

  for (const [what, url, items, ids] of [
    ['areas', '/v1/aois?limit=1000', 'aois', () => aois],
    ['areas as GeoJSON', '/v1/aois?f=geojson', 'features', () => aois],
    [
      'changes as GeoJSON',
      '/v1/changes?f=geojson&status=all',
      'features',
      () => changes.toSorted().toReversed(),
    ],
    ['anomalies as GeoJSON', '/v1/anomalies?f=geojson', 'features', () => anomalies],
    ['events', '/v1/events?limit=1000', 'events', () => events],
    ['events, newest first', '/v1/events?order=desc', 'events', () => events.toReversed()],
  ] as const)
    test(what, async () => {
      const of = what.startsWith('changes') ? `&aoi_id=${aois.at(-1)!}` : '';
      const { all, bytes } = await walk(`${url}${of}`, items);
      assert.deepEqual(
        all.map(({ id }) => id),
        ids(),
      );
      assert.ok(bytes.length > 1, 'there is more than a page');
      for (const size of bytes) assert.ok(size < PAGE_BYTES + ITEM_BYTES, `a page of ${size} bytes`);
      for (const size of bytes.slice(0, -1)) assert.ok(size > PAGE_BYTES / 4, `a page of ${size} bytes`);
      const drawn = all[0] as { id: string; geometry?: unknown };
      if (!what.startsWith('events')) assert.deepEqual(drawn.geometry, geometry);
    });

  test('pages with few bytes hold as many items as asked for', async () => {
    const url = `/v1/changes?status=all&aoi_id=${aois.at(-1)!}`;
    const answer = await app.call({ method: 'GET', url, key });
    assert.equal((answer.json()['changes'] as unknown[]).length, AREAS, 'this list has no geometries');
  });

  test('a page and a new area cost units by their size', async () => {
    const limited = await app.key({ rateLimit: 10_000 });
    const leftAfter = async (call: Parameters<SecuredApp['call']>[0]): Promise<number> => {
      const answer = await app.call({ key: limited, ...call });
      assert.ok(answer.status < 300, answer.text);
      return Number(answer.headers['x-ratelimit-remaining']);
    };
    const begin = await leftAfter({ method: 'GET', url: '/v1/models' });
    const page = await app.call({ method: 'GET', url: '/v1/aois', key: limited });
    const afterPage = Number(page.headers['x-ratelimit-remaining']);
    const modelUnits = 1;
    assert.equal(begin - afterPage, modelUnits + Math.floor(page.bytes.length / ANSWER_UNIT_BYTES));
    const body = { name: 'large', geometry };
    const made = await leftAfter({ method: 'POST', url: '/v1/aois', payload: body });
    const size = JSON.stringify(body).length;
    // One for the call, one per 500 vertices, one per 64 KiB of the body and per 32 KiB of the answer.
    const least = 1 + VERTICES / 500 + Math.floor(size / 65_536) + Math.floor(size / ANSWER_UNIT_BYTES);
    assert.ok(afterPage - made >= least && afterPage - made <= least + 2, `${afterPage - made} units`);
  });

  test('the stored size of an area counts the positions of every kind of geometry', async () => {
    const { rows } = await sql<{ positions: number }>`
      select distinct positions from aois order by 1`.execute(world.database.db);
    assert.deepEqual(rows, [{ positions: VERTICES + 1 }]);
    const multi = { type: 'MultiPolygon', coordinates: [[square(0)], [square(20)], [square(30)]] };
    const answer = await app.call({
      method: 'POST',
      url: '/v1/aois',
      key,
      payload: { name: 'two', geometry: multi },
    });
    assert.equal(answer.status, 201, answer.text);
    const stored = await sql<{ positions: number }>`
      select positions from aois where id = ${String(answer.json()['id'])}`.execute(world.database.db);
    assert.equal(stored.rows[0]!.positions, 15);
  });
});
