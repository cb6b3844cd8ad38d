// Long file: all cases of an ingest share one storage and one catalogue.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sentinelScene, type SentinelScene } from '../../../test/fixtures/sentinel-scene.ts';
import { type StacServer, stacServer } from '../../../test/fixtures/stac-server.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import { StacSceneSource } from '../../sources/imagery/stac-scene-source.ts';
import { snowCubeId } from '../series/snow-cube.ts';
import { ingestScenes, type SceneIngest } from './ingest-scenes.ts';

const NONE = Number.NaN;
const NOW = Date.UTC(2024, 6, 20, 12);
/**
 * Raw values that result in NDVI (6000 - 2000) / 8000 = .5, NDMI (6000 - 3000) / 9000 = 1/3 and
 * MNDWI (1000 - 3000) / 4000 = -.5.
 */
const RAW = { green: 1000, red: 2000, nir: 6000, swir16: 3000, swir22: 1500, scl: 4 } as const;
/** Box of the first 3 columns and 2 rows of a scene, in pixels of 20 m. */
const BOX = [15.00003, 46.05324, 15.00074, 46.05355] as const;

describe('ingest of scenes from a STAC catalogue', () => {
  let world: TestStorage;
  let server: StacServer;
  let cube: MemoryCubeStore;
  let names = 0;
  before(async () => {
    world = await testStorage();
  });
  after(async () => {
    await world.close();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await server?.[Symbol.asyncDispose]();
    server = await stacServer();
    cube = new MemoryCubeStore();
  });

  const publish = (scene: SentinelScene): void => {
    const { item, files } = sentinelScene(server.base, scene);
    server.items.push(item);
    for (const [path, bytes] of files) server.files.set(path, bytes);
  };
  const ingest = (over: Partial<SceneIngest> = {}) =>
    ingestScenes(
      { clock: { now: () => NOW }, storage: world.storage, cube, scenes: new StacSceneSource(server.reader) },
      {
        where: `${server.base}/v1/collections/s2`,
        collection: `scenes-${names}`,
        environment: 'production',
        accountId: null,
        bounds: BOX,
        fromMs: -Infinity,
        toMs: Infinity,
        maxCloudShare: 0.9,
        metrics: ['ndvi', 'ndmi'],
        ...over,
      },
      () => undefined,
    );
  const fresh = (): void => void (names += 1);
  const ndviOf = async (metric = 'ndvi'): Promise<readonly (readonly number[])[]> => {
    const members = await world.storage.collections.byName('production', null, `scenes-${names}`);
    const { id, grid } = members.find((member) => member.metric === metric)!;
    const pixels = grid.width * grid.height;
    const { scenes, values } = await cube.readStrip(id, 0, pixels);
    return scenes.map((_, t) =>
      Array.from({ length: pixels }, (_, p) => values[p * scenes.length + t]! * 1e-4).map((value) =>
        Number(value.toFixed(4)),
      ),
    );
  };

  test('a pass that is there under the id of before 1.4.0 keeps it, and a new one has the orbit of its product', async () => {
    fresh();
    const product = { 's2:product_uri': 'S2A_MSIL2A_20240601T100031_N0510_R122_T33TVM_20240601T160000.SAFE' };
    const scene = (day: number, place: number, named: object): void =>
      publish({
        id: `S2A_${day}_${place}`,
        datetime: `2024-06-0${day}T10:00:0${place}Z`,
        raw: RAW,
        properties: { 'sat:relative_orbit': undefined, ...named },
      });
    const keys = async () => {
      const [member] = await world.storage.collections.byName('production', null, `scenes-${names}`);
      return (await world.storage.collections.scenes(member!.id)).map(({ key }) => key);
    };
    scene(1, 0, {});
    assert.equal((await ingest()).added, 1);
    assert.deepEqual(await keys(), ['sentinel-2a_2024-06-01']);
    server.items.length = 0;
    scene(1, 0, product);
    scene(2, 0, product);
    assert.equal((await ingest()).added, 1);
    assert.deepEqual(await keys(), ['sentinel-2a_2024-06-01', 'sentinel-2a_2024-06-02_122']);
    // A second scene of the first pass is published late: the pass is read again, under its id.
    scene(1, 1, product);
    assert.equal((await ingest()).added, 0);
    assert.deepEqual(await keys(), ['sentinel-2a_2024-06-01', 'sentinel-2a_2024-06-02_122']);
    assert.equal((await ingest()).added, 0);
  });

  test('reads every page of the search, and writes all indices for the pixels of the box', async () => {
    fresh();
    for (const day of [3, 1, 2])
      publish({ id: `S2A_${day}`, datetime: `2024-06-0${day}T10:00:00.123456Z`, raw: RAW });
    const report = await ingest({ metrics: undefined });
    assert.deepEqual([report.passes, report.added, report.left], [3, 3, []]);
    assert.deepEqual(report.collections.map(({ metric }) => metric).toSorted(), [
      'mndwi',
      'nbr',
      'ndbi',
      'ndmi',
      'ndvi',
    ]);
    const [{ id, grid }] = report.collections as [(typeof report.collections)[0]];
    assert.deepEqual([grid.width, grid.height, grid.crs], [3, 2, 'EPSG:32633']);
    assert.deepEqual(grid.transform.slice(1, 3).concat(grid.transform[5]), [20, 0, -20]);
    const days = (await cube.scenes(id)).map(({ key, timeMs }) => [key, new Date(timeMs).toISOString()]);
    assert.deepEqual(days[0], ['sentinel-2a_2024-06-01_79', '2024-06-01T10:00:00.123Z']);
    const [recorded] = await world.storage.collections.scenes(id);
    assert.deepEqual(recorded!.reading, {
      nodata: null,
      mask: { encoding: 'sentinel-2-scl' },
      computed: true,
    });
    assert.deepEqual((await ndviOf())[0], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    assert.deepEqual(
      (await ndviOf('ndmi'))[2],
      Array.from({ length: 6 }, () => 0.3333),
    );
    assert.deepEqual(
      (await ndviOf('mndwi'))[1],
      Array.from({ length: 6 }, () => -0.5),
    );
    assert.ok(server.asked.some((line) => /items\?.*bbox=15\.00003%2C46\.05324/.test(line)));
  });

  test('masks cloud, shadow and snow by the scene classification, but not water', async () => {
    fresh();
    publish({ id: 'a', datetime: '2024-06-01T10:00:00Z', raw: RAW, scl: { 0: 9, 1: 3, 2: 6, 16: 11 } });
    await ingest();
    assert.deepEqual(await ndviOf(), [[NONE, NONE, 0.5, NONE, 0.5, 0.5]]);
  });

  test('stores where a pass shows snow and in none of its scenes the ground', async () => {
    fresh();
    publish({ id: 'west', datetime: '2024-06-01T10:00:00Z', raw: RAW, scl: { 0: 11, 1: 11, 2: 9 } });
    publish({ id: 'east', datetime: '2024-06-01T10:00:14Z', raw: RAW, scl: { 0: 9, 2: 11, 17: 11 } });
    publish({ id: 'clear', datetime: '2024-06-06T10:00:00Z', raw: RAW });
    const { collections } = await ingest();
    assert.deepEqual((await ndviOf())[0], [NONE, 0.5, NONE, 0.5, 0.5, 0.5]);
    for (const { id } of collections) {
      const { scenes, values } = await cube.readStrip(snowCubeId(id), 0, 6);
      assert.deepEqual(
        scenes.map(({ key }) => key),
        ['sentinel-2a_2024-06-01_79'],
      );
      assert.deepEqual([...values], [1, NONE, 1, NONE, NONE, NONE]);
    }
  });

  test('a repeated ingest reads only new scenes', async () => {
    fresh();
    publish({ id: 'a', datetime: '2024-06-01T10:00:00Z', raw: RAW });
    await ingest();
    server.asked.length = 0;
    assert.equal((await ingest({ bounds: undefined, metrics: undefined })).added, 0);
    assert.deepEqual(
      server.asked.filter((line) => line.includes('/files/')),
      [],
    );
    publish({ id: 'b', datetime: '2024-06-06T10:00:00Z', raw: { ...RAW, nir: 3000 } });
    assert.equal((await ingest({ bounds: undefined, metrics: undefined })).added, 1);
    assert.equal(
      server.asked.some((line) => line.includes('/files/a/')),
      false,
    );
    assert.deepEqual((await ndviOf())[1], [0.2, 0.2, 0.2, 0.2, 0.2, 0.2]);
  });

  test('merges neighbouring scenes of one pass; the first one that shows the ground counts', async () => {
    fresh();
    const clouded = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [i, i % 16 === 0 ? 9 : 4]));
    publish({ id: 'west', datetime: '2024-06-01T10:00:00Z', raw: RAW, scl: clouded });
    publish({ id: 'east', datetime: '2024-06-01T10:00:14Z', raw: { ...RAW, nir: 3000 } });
    const report = await ingest();
    assert.deepEqual([report.passes, report.added], [1, 1]);
    assert.deepEqual(await ndviOf(), [[0.2, 0.5, 0.5, 0.2, 0.5, 0.5]]);
  });

  test('adds a scene that is published later to its pass', async () => {
    fresh();
    const clouded = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [i, i % 16 === 0 ? 9 : 4]));
    publish({ id: 'east', datetime: '2024-06-01T10:00:14Z', raw: RAW, scl: clouded });
    await ingest();
    assert.deepEqual(
      (await ndviOf()).map((scene) => scene.map(Number.isNaN)),
      [[true, false, false, true, false, false]],
    );
    publish({ id: 'west', datetime: '2024-06-01T10:00:00Z', raw: { ...RAW, nir: 3000 } });
    assert.equal((await ingest()).passes, 1);
    assert.deepEqual(await ndviOf(), [[0.2, 0.2, 0.2, 0.2, 0.2, 0.2]]);
    server.asked.length = 0;
    assert.equal((await ingest()).added, 0);
    assert.equal(server.asked.filter((line) => line.includes('/files/')).length, 0);
  });

  test('does not apply an offset that is already applied to the pixels, even if the catalogue declares it', async () => {
    fresh();
    const shifted = (id: string, day: number, raw: number, properties = {}): void => {
      publish({
        id,
        datetime: `2024-06-0${day}T10:00:00Z`,
        raw: { ...RAW, red: raw, nir: raw * 3 },
        properties,
      });
      const assets = server.items.at(-1)!['assets'] as Record<string, Record<string, unknown>>;
      for (const name of ['red', 'nir'])
        assets[name]!['raster:bands'] = [{ nodata: 0, scale: 1e-4, offset: -0.1 }];
    };
    shifted('declared', 1, 1500); // NDVI (.35 - .05) / .4
    shifted('applied', 2, 1500, { 'earthsearch:boa_offset_applied': true }); // NDVI (.45 - .15) / .6
    shifted('mistaken', 3, 500); // NDVI (.15 - .05) / .2, without the declared offset: with it, red would be -.05
    await ingest();
    assert.deepEqual(
      (await ndviOf()).map(([first]) => first),
      [0.75, 0.5, 0.5],
    );
  });

  test('skips and reports cloudy scenes and malformed items; ignores scenes outside the time', async () => {
    fresh();
    publish({ id: 'good', datetime: '2024-06-01T10:00:00Z', raw: RAW });
    publish({
      id: 'cloudy',
      datetime: '2024-06-02T10:00:00Z',
      raw: RAW,
      properties: { 'eo:cloud_cover': 97 },
    });
    publish({ id: 'undated', datetime: 'yesterday', raw: RAW });
    publish({ id: 'late', datetime: '2024-07-02T10:00:00Z', raw: RAW });
    publish({ id: 'blind', datetime: '2024-06-03T10:00:00Z', raw: RAW });
    delete (server.items.at(-1)!['assets'] as Record<string, unknown>)['scl'];
    const report = await ingest({ toMs: Date.UTC(2024, 6, 1) });
    assert.equal(report.added, 1);
    assert.deepEqual(report.left.map(({ id }) => id).toSorted(), ['blind', 'cloudy', 'undated']);
    assert.match(
      report.left.find(({ id }) => id === 'undated')!.reason,
      /properties\.datetime: expected an RFC 3339/,
    );
    assert.match(report.left.find(({ id }) => id === 'blind')!.reason, /expected a quality band/);
    assert.match(report.left.find(({ id }) => id === 'cloudy')!.reason, /97 % cloud/);
  });

  test('skips scenes dated in the future by name; up to a day ahead may be the clock', async () => {
    fresh();
    publish({ id: 'good', datetime: '2024-06-01T10:00:00Z', raw: RAW });
    publish({ id: 'ahead', datetime: '2024-07-21T12:00:00Z', raw: RAW });
    publish({ id: 'future', datetime: '2024-07-21T12:00:01Z', raw: RAW });
    publish({ id: 'typo', datetime: '2204-06-01T10:00:00Z', raw: RAW });
    const report = await ingest();
    assert.equal(report.added, 2);
    const expected = 'in the future; expected at most 2024-07-21T12:00:00.000Z';
    assert.deepEqual(report.left, [
      { id: 'future', reason: `dated 2024-07-21T12:00:01.000Z, ${expected}`, future: true },
      { id: 'typo', reason: `dated 2204-06-01T10:00:00.000Z, ${expected}`, future: true },
    ]);
  });

  test('retries failed requests; a missing file affects only its scene', async () => {
    fresh();
    publish({ id: 'a', datetime: '2024-06-01T10:00:00Z', raw: RAW });
    publish({ id: 'b', datetime: '2024-06-02T10:00:00Z', raw: RAW });
    publish({ id: 'c', datetime: '2024-06-03T10:00:00Z', raw: RAW });
    server.interrupt('/files/a/red.tif', (response) => void response.writeHead(503).end());
    server.interrupt('/files/a/nir.tif', (response) => void response.destroy());
    server.interrupt(
      '/v1/collections/s2/items',
      (response) => void response.writeHead(429, { 'retry-after': '0' }).end(),
    );
    server.files.set('/moved/red.tif', server.files.get('/files/c/red.tif')!);
    server.interrupt(
      '/files/c/red.tif',
      (response) => void response.writeHead(302, { location: '/moved/red.tif' }).end(),
    );
    server.files.delete('/files/b/nir.tif');
    const report = await ingest();
    assert.equal(report.added, 2);
    assert.deepEqual(
      report.left.map(({ id }) => id),
      ['b'],
    );
    assert.match(report.left[0]!.reason, /nir\.tif: the server answered 404: no such thing/);
  });

  test('skips a scene with a damaged file, and writes nothing of it', async () => {
    fresh();
    publish({ id: 'a', datetime: '2024-06-01T10:00:00Z', raw: RAW });
    publish({ id: 'b', datetime: '2024-06-02T10:00:00Z', raw: RAW });
    const whole = server.files.get('/files/b/swir16.tif')!;
    server.files.set('/files/b/swir16.tif', whole.subarray(0, whole.length - 200));
    const report = await ingest({ metrics: ['ndvi', 'ndmi'] });
    assert.equal(report.added, 1);
    assert.match(report.left[0]!.reason, /swir16\.tif/);
    assert.equal((await ndviOf()).length, 1);
  });

  test('refuses addresses that are not catalogues or must not be read', async () => {
    fresh();
    await assert.rejects(ingest({ where: `${server.base}/v1` }), /Its collections: .*collections\/s2/);
    await assert.rejects(ingest({ where: `${server.base}/nothing` }), /the server answered 404/);
    await assert.rejects(ingest({ where: 'http://localhost/stac' }), /expected an https address/);
    await assert.rejects(ingest({ where: '/no/such/item.json' }), /cannot be read/);
    await assert.rejects(ingest({ where: 'https://10.1.2.3/v1' }), /GROUNDWATCH_SOURCE_ALLOW/);
    await assert.rejects(ingest({ bounds: undefined }), /--bbox: expected the area of a new collection/);
    assert.deepEqual(await world.storage.collections.byName('production', null, `scenes-${names}`), []);
  });
});
