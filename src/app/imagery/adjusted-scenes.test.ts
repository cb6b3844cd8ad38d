import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sentinelScene } from '../../../test/fixtures/sentinel-scene.ts';
import { type StacServer, stacServer } from '../../../test/fixtures/stac-server.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import { StacSceneSource } from '../../sources/imagery/stac-scene-source.ts';
import { ingestScenes, type SceneIngest } from './ingest-scenes.ts';

const RAW = { green: 1000, red: 2000, nir: 6000, swir16: 3000, swir22: 1500, scl: 4 } as const;
const NOW = Date.UTC(2024, 6, 20);

describe('bands adjusted to those of Landsat 8 and 9', () => {
  let world: TestStorage;
  let server: StacServer;
  const cube = new MemoryCubeStore();
  before(async () => {
    [world, server] = [await testStorage(), await stacServer()];
    publish('S2A_1', '2024-06-01T10:00:00Z', { platform: 'sentinel-2a', constellation: 'sentinel-2' }, true);
    publish('S2B_1', '2024-06-06T10:00:00Z', { platform: 'sentinel-2b', constellation: 'sentinel-2' }, true);
    publish('LC09_1', '2024-06-11T10:00:00Z', { platform: 'landsat-9' }, false);
    publish('S2C_1', '2024-06-16T10:00:00Z', { platform: 'sentinel-2c', constellation: 'sentinel-2' }, true);
    publish('S2A_2', '2024-06-21T10:00:00Z', { platform: 'sentinel-2a', constellation: 'sentinel-2' }, false);
  });
  after(async () => {
    await world.close();
    await server[Symbol.asyncDispose]();
  });

  function publish(id: string, datetime: string, properties: Record<string, unknown>, narrow: boolean) {
    const { item, files } = sentinelScene(server.base, { id, datetime, raw: RAW, properties });
    const assets = item.assets as Record<string, { href: string }>;
    // The narrow band measures something else than the broad one, and has pixels of 20 m.
    const nir08 = { ...assets['swir16'], 'eo:bands': [{ common_name: 'nir08' }] };
    server.items.push({ ...item, assets: narrow ? { ...assets, nir08 } : assets });
    for (const [path, bytes] of files) server.files.set(path, bytes);
  }
  const ingest = (collection: string, over: Partial<SceneIngest> = {}) =>
    ingestScenes(
      { clock: { now: () => NOW }, storage: world.storage, cube, scenes: new StacSceneSource(server.reader) },
      {
        where: `${server.base}/v1/collections/s2`,
        collection,
        environment: 'production',
        accountId: null,
        bounds: [15.00003, 46.05324, 15.00074, 46.05355],
        fromMs: -Infinity,
        toMs: Infinity,
        maxCloudShare: 0.9,
        metrics: ['ndvi', 'ndmi'],
        ...over,
      },
      () => undefined,
    );
  const firstPixels = async (id: string) => {
    const { values } = await cube.readStrip(id, 0, 1);
    return [...values];
  };

  test('each scene has the lines of its satellite, on the narrow band, and its provenance names them', async () => {
    const { collections, left } = await ingest('adjusted', { isAdjusted: true });
    const [{ id }] = collections as [(typeof collections)[0]];
    // HLS: red .2 * .9765 + .0009, narrow near infrared .3 * .9983 - .0001; S2B: .9761, .001, .9966, 0.
    const ndvi = (red: number, nir: number) => Math.round(((nir - red) / (nir + red)) * 10_000);
    assert.deepEqual(await firstPixels(id), [
      ndvi(0.2 * 0.9765 + 0.0009, 0.3 * 0.9983 - 0.0001),
      ndvi(0.2 * 0.9761 + 0.001, 0.3 * 0.9966),
      ndvi(0.2, 0.6),
    ]);
    const readings = (await world.storage.collections.scenes(id)).map(({ reading }) => reading?.adjusted);
    assert.deepEqual(
      readings
        .map((adjusted) => `${adjusted?.to} ${adjusted?.name} ${adjusted?.lines.length}`)
        .toSorted((a, b) => a.localeCompare(b)),
      ['landsat-8 hls-sentinel-2a 5', 'landsat-8 hls-sentinel-2b 5', 'landsat-8 none 0'],
    );
    assert.deepEqual(
      left.map((one) => one.id),
      ['S2C_1', 'S2A_2'],
    );
    assert.match(left[0]!.reason, /expected a scene of Landsat 7, .*; got sentinel-2c/);
    assert.match(left[1]!.reason, /narrow near infrared band/);
  });

  test('a collection stays as it is: adjusted or not, never both', async () => {
    const again = await ingest('adjusted');
    assert.equal(again.added, 0);
    assert.equal(again.mixed, undefined);
    const plain = await ingest('plain');
    assert.deepEqual(plain.mixed, ['Landsat 8 and 9', 'Sentinel-2']);
    await assert.rejects(
      ingest('plain', { isAdjusted: true }),
      /--adjust: the collection plain has scenes without/,
    );
  });
});
