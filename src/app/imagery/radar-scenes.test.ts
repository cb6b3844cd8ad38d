import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sentinelScene } from '../../../test/fixtures/sentinel-scene.ts';
import { type StacServer, stacServer } from '../../../test/fixtures/stac-server.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import { StacSceneSource } from '../../sources/imagery/stac-scene-source.ts';
import { ingestScenes, type SceneIngest } from './ingest-scenes.ts';

const NOW = Date.UTC(2024, 6, 20);
const SIDE = 32; // pixels of 10 m
const NODATA = -32_768;

describe('radar scenes in a collection of indices', () => {
  let world: TestStorage;
  let server: StacServer;
  const cube = new MemoryCubeStore();
  before(async () => {
    [world, server] = [await testStorage(), await stacServer()];
    const raw = { green: 1000, red: 2000, nir: 6000, swir16: 3000, swir22: 1500, scl: 4 };
    const { item, files } = sentinelScene(server.base, {
      id: 'S2A_1',
      datetime: '2024-06-01T10:00:00Z',
      raw,
    });
    server.items.push(item);
    for (const [path, bytes] of files) server.files.set(path, bytes);
    // Power of .05 is -13.01 dB, of .02 is -16.99 dB; every second pixel is half as strong, every other half as weak.
    publish('A', '2024-06-02T05:40:00Z', 98, { vv: 0.05, vh: 0.02 });
    publish('B', '2024-06-07T17:10:00Z', 171, { vv: 0.04, vh: 0.01 });
    publish('C', '2024-06-14T05:40:00Z', 98, { vv: -13, vh: -17 }); // decibels although it is said to be power
  });
  after(async () => {
    await world.close();
    await server[Symbol.asyncDispose]();
  });

  function publish(name: string, datetime: string, orbit: number, power: Readonly<Record<string, number>>) {
    const assets = Object.fromEntries(
      Object.entries(power).map(([polarisation, mean]) => {
        const path = `/files/${name}/iw-${polarisation}.rtc.tiff`;
        const band = Array.from({ length: SIDE * SIDE }, (_, i) => {
          const [row, col] = [Math.floor(i / SIDE), i % SIDE];
          return row < 2 && col < 2 ? NODATA : mean * ((row + col) % 2 === 0 ? 0.5 : 1.5);
        });
        const keys = { 1024: 1, 1025: 1, 3072: 32633 };
        server.files.set(
          path,
          tiffFixture({
            width: SIDE,
            height: SIDE,
            bands: [band],
            kind: 'float32',
            tile: 16,
            origin: [500_000, 5_100_000],
            pixel: [10, 10],
            keys,
          }),
        );
        return [
          polarisation,
          { href: `${server.base}${path}`, type: 'image/tiff', 'raster:bands': [{ nodata: NODATA }] },
        ];
      }),
    );
    const [lng, lat] = [15.0, 46.05];
    server.items.push({
      type: 'Feature',
      stac_version: '1.0.0',
      id: `S1A_IW_GRDH_1SDV_${name}_rtc`,
      collection: 'sentinel-1-rtc',
      bbox: [lng, lat, lng + 0.01, lat + 0.01],
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [lng, lat],
            [lng + 0.01, lat],
            [lng + 0.01, lat + 0.01],
            [lng, lat + 0.01],
            [lng, lat],
          ],
        ],
      },
      properties: {
        datetime,
        platform: 'SENTINEL-1A',
        'sar:polarizations': ['VV', 'VH'],
        'sar:product_type': 'GRD',
        'sat:orbit_state': 'descending',
        'sat:relative_orbit': orbit,
      },
      assets,
    });
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
        metrics: undefined,
        ...over,
      },
      () => undefined,
    );

  test('each orbit is a metric of its own on the grid of the collection, in decibels of averaged power', async () => {
    const { collections, passes, added, left } = await ingest('mixed');
    assert.deepEqual([passes, added], [4, 3]);
    assert.deepEqual(
      left.map(({ id }) => id),
      ['S1A_IW_GRDH_1SDV_C_rtc'],
    );
    assert.match(
      left[0]!.reason,
      /expected linear power, as its metadata says; 100 % of its samples are negative/,
    );
    const radar = collections.filter(({ metric }) => /orbit/.test(metric));
    assert.deepEqual(
      radar
        .map(({ metric, unit, scale, grid }) => `${metric} ${unit} ${scale} ${grid.transform[1]}`)
        .toSorted((a, b) => a.localeCompare(b)),
      [
        'vh_orbit_171 dB 0.01 20',
        'vh_orbit_98 dB 0.01 20',
        'vv_orbit_171 dB 0.01 20',
        'vv_orbit_98 dB 0.01 20',
      ],
    );
    const at = async (metric: string, pixel: number): Promise<number[]> => {
      const { id } = radar.find((one) => one.metric === metric)!;
      return [...(await cube.readStrip(id, pixel, pixel + 1)).values];
    };
    // The box begins at the second row of pixels of 20 m, whose neighbours have no data in their first column and row.
    const last = collections[0]!.grid.width * collections[0]!.grid.height - 1;
    assert.deepEqual(await at('vv_orbit_98', last), [-1301]);
    assert.deepEqual(await at('vh_orbit_98', last), [-1699]);
    assert.deepEqual(await at('vh_orbit_171', last), [-2000]);
    const [scene] = await world.storage.collections.scenes(
      radar.find(({ metric }) => metric === 'vh_orbit_98')!.id,
    );
    assert.equal(scene!.key, 'sentinel-1a_2024-06-02_98');
    assert.deepEqual(scene!.reading, {
      nodata: null,
      mask: null,
      radar: { unit: 'power', look_weights: [1, 1, 1] },
    });
    assert.equal((await ingest('mixed')).added, 0); // nothing is read twice
  });

  test('--metrics selects polarisations; radar alone has its own grid, and nodata stays nodata', async () => {
    const { collections } = await ingest('radar', { metrics: ['vh'] });
    assert.deepEqual(
      collections.map(({ metric }) => metric).toSorted((a, b) => a.localeCompare(b)),
      ['vh_orbit_171', 'vh_orbit_98'],
    );
    const [{ grid, id }] = collections as [(typeof collections)[0]];
    assert.equal(grid.transform[1], 10);
    const { values } = await cube.readStrip(id, 0, grid.width * grid.height);
    const isNone = (row: number, col: number) => Number.isNaN(values[row * grid.width + col]!);
    const [west, north] = [(grid.transform[0] - 500_000) / 10, (5_100_000 - grid.transform[3]) / 10];
    for (let row = 0; row < grid.height; row++)
      for (let col = 0; col < grid.width; col++)
        assert.equal(isNone(row, col), row + north < 2 && col + west < 2, `${row} ${col}`);
  });
});
