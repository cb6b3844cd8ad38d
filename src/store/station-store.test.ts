import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { anomalyRecord, collectionRecord, putAoi } from '../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import type { NewStationSeries, PointCollection } from '../app/series/station-store.ts';
import { newId } from '../base/ids.ts';
import { listStations } from '../app/stations/list-stations.ts';

const DAY_MS = 86_400_000;

function points(over: Partial<PointCollection> = {}): PointCollection {
  return {
    id: newId('collection'),
    environment: 'production',
    accountId: null,
    name: newId('collection'),
    metric: 'temperature',
    unit: 'C',
    bounds: [14, 46, 14, 46],
    ...over,
  };
}

/** Makes a series of observations on consecutive days with the given values. */
function days(
  key: string,
  first: number,
  values: readonly number[],
  place = { lng: 14, lat: 46 },
): NewStationSeries {
  return {
    station: { key, ...place },
    timesMs: Float64Array.from(values, (_, i) => (first + i) * DAY_MS),
    values: Float64Array.from(values),
  };
}

const range = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i);

describe('series at stations', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  /** Reads all observations of a collection, by station. */
  async function held(id: string): Promise<Record<string, readonly (readonly [number, number])[]>> {
    const { stations: store } = world.storage;
    const stations = await store.stations(id, [-180, -90, 180, 90]);
    const series = await store.read(id, stations, -Infinity, Infinity);
    return Object.fromEntries(
      series.map(({ station, timesMs, values }) => [
        station.key,
        Array.from(timesMs, (ms, i) => [ms / DAY_MS, values[i]!] as const),
      ]),
    );
  }

  test('are read back as written, in one row or in many', async () => {
    const { stations: store } = world.storage;
    const collection = points();
    await store.create(collection);
    const long = range(5000).map((i) => Math.sin(i));
    assert.equal(await store.write(collection.id, [days('a', 100, [1, 2.5, -3]), days('b', 0, long)]), 5003);
    const there = await held(collection.id);
    assert.deepEqual(there['a'], [
      [100, 1],
      [101, 2.5],
      [102, -3],
    ]);
    assert.deepEqual(
      there['b'],
      long.map((value, i) => [i, value]),
    );
    const [b] = await store.stationsNamed(collection.id, ['b', 'nobody']);
    const [part] = await store.read(collection.id, [b!], 1020 * DAY_MS, 1027 * DAY_MS);
    assert.deepEqual(
      [...part!.timesMs].map((ms) => ms / DAY_MS),
      range(7, 1020),
      'across two rows, its end left out',
    );
    assert.deepEqual(await store.check(collection.id), []);
    assert.deepEqual((await store.contents()).get(collection.id), {
      stations: 2,
      observations: 5003,
      firstMs: 0,
      lastMs: 4999 * DAY_MS,
      silentAfter: null,
    });
  });

  test('late, corrected and repeated observations are merged in any order of arrival', async () => {
    const { stations: store } = world.storage;
    const collection = points();
    await store.create(collection);
    const truth = new Map<number, number>();
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    for (let round = 0; round < 40; round++) {
      const first = random(6000);
      const values = range(1 + random(900)).map(() => random(5));
      const expected = values.filter((value, i) => truth.get(first + i) !== value).length;
      assert.equal(await store.write(collection.id, [days('a', first, values)]), expected, `round ${round}`);
      for (const [i, value] of values.entries()) truth.set(first + i, value);
    }
    const sorted = [...truth].toSorted(([a], [b]) => a - b);
    assert.deepEqual((await held(collection.id))['a'], sorted);
    assert.deepEqual(await store.check(collection.id), []);
    assert.equal(await store.write(collection.id, [days('a', sorted[0]![0], [sorted[0]![1]])]), 0, 'known');
  });

  test('invalid series are refused, and nothing of them is stored', async () => {
    const { stations: store } = world.storage;
    const collection = points();
    await store.create(collection);
    const good = days('good', 0, [1]);
    const turned = { ...days('bad', 0, [1, 2]), timesMs: Float64Array.of(2, 1) };
    await assert.rejects(store.write(collection.id, [good, turned]), /ascending times/);
    await assert.rejects(store.write(collection.id, [good, days('bad', 0, [Number.NaN])]), /finite/);
    await assert.rejects(store.write(collection.id, [good, good]), /one series a station/);
    await assert.rejects(store.write('col_none', [good]), /no collection of points/);
    assert.deepEqual(await held(collection.id), {});
  });

  test('stations are found in a box, also across the antimeridian', async () => {
    const { stations: store } = world.storage;
    const collection = points({ bounds: [179, -17, 179, -17] });
    await store.create(collection);
    await store.write(collection.id, [
      days('east', 0, [1], { lng: -179.5, lat: -17 }),
      days('west', 0, [1], { lng: 179.5, lat: -17 }),
      days('far', 0, [1], { lng: 178, lat: -17 }),
    ]);
    const keys = async (box: PointCollection['bounds']) =>
      (await store.stations(collection.id, box)).map(({ key }) => key);
    assert.deepEqual(await keys([179, -18, 181, -16]), ['east', 'west']);
    assert.deepEqual(await keys([-180, -18, -179, -16]), ['east']);
    assert.deepEqual(await keys([0, 0, 10, 10]), []);
    assert.deepEqual((await store.find(collection.id))?.bounds, [178, -17, 180.5, -17]);
    assert.deepEqual(
      (await store.covering(world.owner, 'temperature', [-179.7, -18, -179.4, -16])).map(({ id }) => id),
      [collection.id],
    );
  });

  test('a point collection is not listed as raster, and only its accounts can read it', async () => {
    const { storage, owner, others } = world;
    const [own, all] = [points({ accountId: owner.accountId, metric: 'gust' }), points({ metric: 'gust' })];
    const raster = collectionRecord({ metric: 'gust' });
    for (const collection of [own, all]) await storage.stations.create(collection);
    await storage.collections.create(raster);
    const seen = async (who: typeof owner) =>
      (await storage.stations.covering(who, 'gust', [14, 46, 14, 46])).map(({ id }) => id).toSorted();
    assert.deepEqual(await seen(owner), [own.id, all.id].toSorted());
    const [sandbox, stranger] = others;
    assert.deepEqual(await seen(sandbox!), []);
    assert.deepEqual(await seen(stranger!), [all.id]);
    assert.equal((await storage.stations.countByMetric(stranger!)).get('gust'), 1);
    assert.equal((await storage.collections.countByMetric(stranger!)).get('gust'), 1);
    assert.equal(await storage.collections.find(own.id), undefined);
    assert.equal(await storage.stations.find(raster.id), undefined);
    assert.deepEqual(await storage.stations.byName('production', owner.accountId, own.name), [own]);
    assert.ok((await storage.stations.list()).some(({ id }) => id === all.id));
    assert.ok((await storage.collections.list()).every(({ id }) => id !== all.id));
  });

  test('an owner’s stations are listed in pages, newest first, one per metric, filtered by box and metric', async () => {
    const { storage, owner, others } = world;
    const own = points({ accountId: owner.accountId, metric: 'level', unit: 'm' });
    const all = points({ metric: 'river_flow', unit: 'm3/s' });
    for (const collection of [own, all]) await storage.stations.create(collection);
    const place = { lng: 179.9, lat: 60 };
    await storage.stations.write(own.id, [days('mouth', 1, [2, 3], place)]);
    await storage.stations.write(all.id, [
      days('mouth', 1, [2], place),
      days('far', 1, [2], { lng: 179.9, lat: 61 }),
    ]);
    const read = async (
      who: typeof owner,
      bounds: PointCollection['bounds'] | undefined,
      metric?: string,
    ): Promise<string[]> => {
      const found: string[] = [];
      for (let after: readonly string[] | undefined; ;) {
        const page = await storage.stations.stationsOf(
          who,
          { bounds, metrics: metric === undefined ? undefined : [metric] },
          { limit: 1, after },
        );
        found.push(...page.items.map(({ key, metric: of }) => `${key} ${of}`));
        if (page.next === undefined) return found;
        after = page.next;
      }
    };
    const [sandbox, stranger] = others;
    const box = [179, 60, 181, 60.5] as const;
    assert.deepEqual(await read(owner, box), ['mouth river_flow', 'mouth level']);
    assert.deepEqual(await read(stranger!, box), ['mouth river_flow']);
    assert.deepEqual(await read(sandbox!, box), []);
    assert.deepEqual(await read(owner, undefined, 'level'), ['mouth level']);
    assert.deepEqual((await read(owner, [179, 59, 180, 62], 'river_flow')).toSorted(), [
      'far river_flow',
      'mouth river_flow',
    ]);
    assert.deepEqual(await read(owner, [-180, 60, -179, 61]), [], 'the other side of the antimeridian');
    const [station] = (
      await storage.stations.stationsOf(
        owner,
        { bounds: undefined, metrics: ['level', 'stage'] },
        { limit: 1, after: undefined },
      )
    ).items;
    const { id: _, ...told } = station!;
    assert.deepEqual(told, {
      key: 'mouth',
      ...place,
      collection: own.name,
      metric: 'level',
      unit: 'm',
      simulated: false,
      observations: 2,
      firstMs: DAY_MS,
      lastMs: 2 * DAY_MS,
    });
  });

  test('stations are found under all names of their metric', async () => {
    const { storage, owner } = world;
    const collection = points({ accountId: owner.accountId, metric: 'ndmi', unit: '1' });
    await storage.stations.create(collection);
    await storage.stations.write(collection.id, [days('leaf', 1, [0.2])]);
    const named = async (metric: string): Promise<readonly string[]> =>
      (await listStations({ storage }, owner, { metric }, { limit: 9, after: undefined })).items.map(
        ({ key, metric: of }) => `${key} ${of}`,
      );
    assert.deepEqual(await named('moisture'), ['leaf ndmi']);
    assert.deepEqual(await named('ndmi'), ['leaf ndmi']);
    assert.deepEqual(await named('ndvi'), []);
  });

  test('removing a collection deletes its stations, observations and anomalies', async () => {
    const { storage, owner, database } = world;
    const collection = points({ derivedFrom: ['temperature', 'wind'], metric: 'fwi' });
    await storage.stations.create(collection);
    await storage.stations.write(collection.id, [days('a', 0, [1])]);
    assert.deepEqual(await storage.stations.find(collection.id), collection);
    const aoi = await putAoi(storage, owner);
    await storage.anomalies.put([anomalyRecord(aoi, collection.id)]);
    await storage.stations.remove(collection.id);
    assert.equal(await storage.stations.find(collection.id), undefined);
    const { rows } = await sql<{
      left: number;
    }>`select (select count(*) from stations where collection_id = ${collection.id})
      + (select count(*) from anomalies where collection_id = ${collection.id}) as left`.execute(database.db);
    assert.equal(rows[0]!.left, 0);
  });

  test('a check names the station whose rows are damaged', async () => {
    const { storage, database } = world;
    const collection = points();
    await storage.stations.create(collection);
    await storage.stations.write(collection.id, [
      days('whole', 0, range(2000)),
      days('broken', 0, range(2000)),
    ]);
    const [broken] = await storage.stations.stationsNamed(collection.id, ['broken']);
    await sql`delete from station_series where station_id = ${broken!.id} and first_ms > 0`.execute(
      database.db,
    );
    assert.deepEqual(await storage.stations.check(collection.id), [
      'Station broken: 1024 observations are there of 2000',
    ]);
  });

  test('two concurrent writers lose no observations', async () => {
    const { stations: store } = world.storage;
    const collection = points();
    await store.create(collection);
    await Promise.all(
      range(8).map((i) =>
        store.write(collection.id, [
          days(
            'a',
            i,
            range(100).map((k) => i * 1000 + k),
          ),
        ]),
      ),
    );
    assert.equal((await held(collection.id))['a']!.length, 107);
    assert.deepEqual(await store.check(collection.id), []);
  });
});
