import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { NotFound } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { heldMetrics, listMetrics } from './list-metrics.ts';
import type { CubeStore } from './cube-store.ts';
import { readSeries } from './read-series.ts';

const CLOCK = { now: () => Date.UTC(2026, 0, 1) };

describe('the series at a place', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  /** Collections whose pixels have no value. The pixels of all other collections have the value 0.25 on one day. */
  const masked = new Set<string>();
  const missing = new Set<string>();
  const cube = {
    readStrip: (id: string) =>
      missing.has(id)
        ? Promise.reject(new NotFound(`there is no cube ${id}`))
        : Promise.resolve({
            scenes: [{ key: 's', timeMs: 86_400_000, sha256: '' }],
            values: Float32Array.of(masked.has(id) ? Number.NaN : 2500),
          }),
  } as unknown as CubeStore;

  const read = async (lat: number, lng: number, metric: string): Promise<number[]> => {
    const deps = { storage: world.storage, cube, clock: CLOCK };
    const series = await readSeries(deps, world.owner, { lat, lng, metric, from: undefined, to: undefined });
    return [...series.values];
  };

  async function station(metric: string, lng: number, lat: number, value: number): Promise<void> {
    const collection = {
      id: newId('collection'),
      environment: 'production',
      accountId: null,
      name: newId('collection'),
      metric,
      unit: '1',
      bounds: [lng, lat, lng, lat],
    } as const;
    await world.storage.stations.create(collection);
    await world.storage.stations.write(collection.id, [
      { station: { key: 'S', lng, lat }, timesMs: Float64Array.of(1), values: Float64Array.of(value) },
    ]);
  }

  test('comes from the pixel that contains it, or from a station closer than half the pixel edge', async () => {
    // The collection has pixels of about 930 m, around latitude 46.01 and longitude 14.01.
    await world.storage.collections.create(collectionRecord({ metric: 'ndvi' }));
    await station('ndvi', 14.005, 46.005, 0.5);
    assert.deepEqual(await read(46.005, 14.005, 'ndvi'), [0.5], 'at the station');
    assert.deepEqual(await read(46.005, 14.008, 'ndvi'), [0.5], '230 m away');
    assert.deepEqual(await read(46.005, 14.013, 'ndvi'), [0.25], '620 m away, more than half the pixel edge');
    assert.deepEqual(
      await read(45.998, 14.005, 'ndvi'),
      [0.5],
      'off the pixels, within the reach of a kilometre',
    );
    assert.deepEqual(await read(45.99, 14.005, 'ndvi'), []);
  });

  test('does not come from a pixel without any observation', async () => {
    const sea = collectionRecord({ metric: 'temperature' });
    await world.storage.collections.create(sea);
    await station('temperature', 14.005, 46.02, 11);
    assert.deepEqual(await read(46.005, 14.005, 'temperature'), [0.25]);
    masked.add(sea.id);
    assert.deepEqual(await read(46.005, 14.005, 'temperature'), [11], '1.7 km away');
  });

  test('does not come from a collection whose cube is missing', async () => {
    const made = collectionRecord({ metric: 'snow_depth' });
    await world.storage.collections.create(made);
    missing.add(made.id);
    assert.deepEqual(await read(46.005, 14.005, 'snow_depth'), []);
    await station('snow_depth', 14.005, 46.005, 3);
    assert.deepEqual(await read(46.005, 14.005, 'snow_depth'), [3]);
  });

  test('comes from the nearest of several stations', async () => {
    await station('gust', 20, 50, 1);
    await station('gust', 20.3, 50, 2);
    assert.deepEqual(await read(50, 20.1, 'gust'), [1]);
    assert.deepEqual(await read(50, 20.2, 'gust'), [2]);
    assert.deepEqual(await read(50, -179.9, 'gust'), []);
    await station('gust', 179.9, 10, 3);
    assert.deepEqual(await read(10, -180, 'gust'), [3], 'across the antimeridian');
  });

  test('of moisture includes data ingested as ndmi; error messages list the metrics of the user too', async () => {
    await station('ndmi', 30, 10, 0.3);
    await station('leaf_wetness', 30, 10, 7);
    assert.deepEqual(await read(10, 30, 'moisture'), [0.3]);
    assert.deepEqual(await read(10, 30, 'ndmi'), [0.3]);
    assert.deepEqual(await read(10, 30, 'leaf_wetness'), [7]);
    const listed = await listMetrics(world, world.owner);
    const counted = (key: string): number | undefined =>
      listed.find((metric) => metric.key === key)?.collections;
    assert.deepEqual([counted('moisture'), counted('ndmi'), counted('leaf_wetness')], [1, 1, 1]);
    assert.equal(
      (await heldMetrics(world, world.owner)).get('ndvi'),
      2,
      'one raster and one point collection',
    );
    await assert.rejects(read(10, 30, 'nobody'), /metric: expected one of .*leaf_wetness.*got "nobody"/);
  });
});
