import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type TestStorage, testStorage } from '../../../test/fixtures/storage.ts';
import { ingestScenes, type SceneIngest } from '../../app/imagery/ingest-scenes.ts';
import type { FoundScene } from '../../app/imagery/scene-source.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import { SceneFolder } from './scene-folder.ts';
import { StacSceneSource } from './stac-scene-source.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';

const ALL = { bounds: undefined, fromMs: -Infinity, toMs: Infinity };
const UTM_18N = { 1024: 1, 1025: 1, 3072: 32618 } as const;
const CLEAR = 21_824; // value of QA_PIXEL for a clear pixel
const CLOUD = 22_280;
const NEW_YORK = fileURLToPath(new URL('../../../../shared/data/landsat8-newyork', import.meta.url));
const absent = existsSync(NEW_YORK) ? false : '../shared/data/landsat8-newyork is not here';
/** Reads only local files, so it needs no network reader. */
const source = new SceneFolder(new StacSceneSource(undefined as never));
const NOW = Date.UTC(2026, 0, 1);

describe('a folder of downloaded scenes', () => {
  let folder: string;
  let world: TestStorage;
  let cube: MemoryCubeStore;
  let names = 0;
  const folders: string[] = [];
  before(async () => {
    world = await testStorage();
  });
  after(async () => {
    await world.close();
    for (const one of folders) await rm(one, { recursive: true });
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-scenes-'));
    folders.push(folder);
    cube = new MemoryCubeStore();
    names += 1;
  });

  const put = async (path: string, bytes: string | Buffer): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  };
  /** 2 x 2 pixels of 30 m; `east` moves the scene by whole pixels. */
  const band = (samples: readonly number[], east = 0): Buffer =>
    tiffFixture({
      width: 2,
      height: 2,
      bands: [samples],
      kind: 'uint16',
      origin: [583_000 + 30 * east, 4_510_000],
      pixel: [30, 30],
      keys: UTM_18N,
    });
  /**
   * Writes a scene with reflectance .1 in red and .3 in near infrared, so NDVI is .5; the raw value 0 is the fill
   * value.
   */
  const landsat = async (
    id: string,
    { qa = [CLEAR, CLEAR, CLEAR, CLEAR], nir = [18_182, 18_182, 18_182, 0], east = 0 } = {},
  ): Promise<void> => {
    await put(`${id}/${id}_SR_B4.TIF`, band([10_909, 10_909, 10_909, 10_909], east));
    await put(`${id}/${id}_SR_B5.TIF`, band(nir, east));
    await put(`${id}/${id}_QA_PIXEL.TIF`, band(qa, east));
  };
  const search = async (query: Partial<typeof ALL> = {}): Promise<readonly FoundScene[]> => {
    const found: FoundScene[] = [];
    for await (const scene of source.search(folder, { ...ALL, ...query })) found.push(scene);
    return found;
  };
  const ingest = (over: Partial<SceneIngest> = {}) =>
    ingestScenes(
      { clock: { now: () => NOW }, storage: world.storage, cube, scenes: source },
      {
        where: folder,
        collection: `folder-${names}`,
        environment: 'production',
        accountId: null,
        bounds: undefined,
        fromMs: -Infinity,
        toMs: Infinity,
        maxCloudShare: 0.9,
        metrics: undefined,
        ...over,
      },
      () => undefined,
    );
  const valuesOf = async (id: string, pixels: number): Promise<readonly (readonly number[])[]> => {
    const { scenes, values } = await cube.readStrip(id, 0, pixels);
    return scenes.map((_, t) =>
      Array.from({ length: pixels }, (_, p) => Math.round(values[p * scenes.length + t]!) / 1e4),
    );
  };

  test('a scene that was processed again replaces the former one; a former one replaces nothing', async () => {
    const [former, later] = ['20200823', '20261001'].map((made) => `LC08_L2SP_014031_20200106_${made}_02_T1`);
    const become = async (id: string, raw: number): Promise<readonly number[]> => {
      await rm(folder, { recursive: true });
      await landsat(id, { nir: [raw, raw, raw, 0] });
      const { added, collections } = await ingest();
      return [added, (await valuesOf(collections[0]!.id, 4))[0]![0]!];
    };
    assert.deepEqual(await become(former!, 18_182), [1, 0.5]);
    assert.deepEqual(await become(later!, 14_545), [1, 0.3333]);
    assert.deepEqual(await become(former!, 18_182), [0, 0.3333]);
  });

  test('two frames of one pass become one scene on a grid that covers both; cloud and fill are missing', async () => {
    await landsat('LC08_L2SP_014031_20200106_20200823_02_T1', { qa: [CLEAR, CLOUD, CLEAR, CLEAR] });
    await landsat('LC08_L2SP_014032_20200106_20200823_02_T1', { east: 2 });
    await landsat('LC08_L2SP_014031_20200122_20200823_02_T1');
    const { collections, passes, added, left } = await ingest();
    assert.deepEqual([passes, added, left], [2, 2, []]);
    const [{ id, grid, metric }] = collections as [(typeof collections)[number]];
    assert.deepEqual([metric, grid.width, grid.height], ['ndvi', 4, 2]);
    const scenes = await cube.scenes(id);
    assert.deepEqual(
      scenes.map(({ key }) => key),
      ['landsat-8_2020-01-06_14', 'landsat-8_2020-01-22_14'],
    );
    const MISSING = Number.NaN;
    assert.deepEqual(await valuesOf(id, 8), [
      [0.5, MISSING, 0.5, 0.5, 0.5, MISSING, 0.5, MISSING],
      [0.5, 0.5, MISSING, MISSING, 0.5, MISSING, MISSING, MISSING],
    ]);
    assert.equal((await ingest()).added, 0);
  });

  test('of several versions of a frame the later one is used, and level 2 before level 1', async () => {
    await landsat('LC08_L2SP_014031_20200106_20200823_02_T1');
    await landsat('LC08_L2SP_014031_20200106_20200107_02_RT');
    await put('LC08_L1TP_014031_20200106_20200823_02_T1_B4.TIF', band([1, 1, 1, 1]));
    const found = await search();
    assert.deepEqual(
      found.map((scene) => (scene.ok ? scene.item.id : scene)),
      ['LC08_L2SP_014031_20200106_20200823_02_T1'],
    );
  });

  test('the metadata file gives the time, the cloud share, and scale and offset of a thematic mapper', async () => {
    const id = 'LT05_L1TP_227068_19900607_20170130_01_T1';
    await put(`${id}_B3.TIF`, band([50, 50, 50, 50]));
    await put(`${id}_B4.TIF`, band([90, 90, 90, 90]));
    await put(`${id}_BQA.TIF`, band([672, 672, 672, 672]));
    const [lacking] = await search();
    assert.equal(lacking!.ok, false);
    assert.match(lacking!.ok ? '' : lacking!.reason, /_MTL\.txt/);
    const lines = [
      'GROUP = L1_METADATA_FILE',
      '    DATE_ACQUIRED = 1990-06-07',
      '    SCENE_CENTER_TIME = "13:25:53.9400190Z"',
      '    CLOUD_COVER = 12.00',
      '    REFLECTANCE_MULT_BAND_3 = 2.2300E-03',
      '    REFLECTANCE_ADD_BAND_3 = -0.005143',
      '    REFLECTANCE_MULT_BAND_4 = 2.7000E-03',
      '    REFLECTANCE_ADD_BAND_4 = -0.007338',
      'END',
    ];
    await put(`${id}_MTL.txt`, lines.join('\n'));
    const [scene] = await search();
    assert.ok(scene?.ok);
    const { item } = scene;
    assert.equal(new Date(item.timeMs).toISOString(), '1990-06-07T13:25:53.940Z');
    assert.equal(item.cloudShare, 0.12);
    assert.deepEqual([item.bands.red!.scale, item.bands.nir!.offset], [0.00223, -0.007338]);
    assert.equal(item.bands.green, undefined);
  });

  test('unusable scenes are reported with the reason', async () => {
    await put('LC08_L2SP_014031_20200106_20200823_02_T1_SR_B4.TIF', band([1, 1, 1, 1]));
    await put('LC08_L2SP_014031_20200122_20200823_02_T1_QA_PIXEL.TIF', band([1, 1, 1, 1]));
    await put('LC08_L2SP_014031_20200207_20200823_02_T1_SR_B4.TIF', 'no TIFF');
    await put('LC08_L2SP_014031_20200207_20200823_02_T1_QA_PIXEL.TIF', band([1, 1, 1, 1]));
    const reasons = (await search()).map((scene) => (scene.ok ? scene.item.id : scene.reason));
    assert.match(reasons[0]!, /quality band/);
    assert.match(reasons[1]!, /expected GeoTIFFs or JPEG 2000 files of green, red/);
    assert.match(reasons[2]!, /SR_B4\.TIF.*TIFF/);
    await assert.rejects(ingest({ where: join(folder, 'nowhere') }), /nowhere cannot be read/);
    await assert.rejects(
      ingest({ where: join(folder, 'LC08_L2SP_014031_20200207_20200823_02_T1_SR_B4.TIF') }),
      /expected a folder of scenes or a ZIP archive, got a file/,
    );
  });

  test('for a folder without scenes the message says what is expected', async () => {
    await put('readme.txt', 'nothing');
    await assert.rejects(
      ingest(),
      /expected scenes of HLS from Sentinel-2, .* Landsat 8 and 9, .* found none. Images of others, .* ingest stack/,
    );
  });

  test('level 1C of Sentinel-2 is read where it is asked for, with its mask of cloud, cirrus and snow', async () => {
    const product = 'S2A_MSIL1C_20220816T154911_N0400_R054_T18TWL_20220816T192600';
    const granule = `${product}.SAFE/GRANULE/L1C_T18TWL_A000001_20220816T154911`;
    // Reflectance .1 and .3: raw (r + .1) * 10,000, from baseline 04.00 on.
    for (const [name, raw] of [
      ['B04', 2000],
      ['B08', 4000],
    ] as const)
      await put(`${granule}/IMG_DATA/T18TWL_20220816T154911_${name}.tif`, band([raw, raw, raw, raw]));
    const mask = tiffFixture({
      width: 2,
      height: 2,
      bands: [
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
      ],
      kind: 'uint8',
      origin: [583_000, 4_510_000],
      pixel: [30, 30],
      keys: UTM_18N,
    });
    await put(`${granule}/QI_DATA/MSK_CLASSI_B00.tif`, mask);
    await put(
      `${product}.SAFE/MTD_MSIL1C.xml`,
      '<QUANTIFICATION_VALUE unit="none">10000</QUANTIFICATION_VALUE><RADIO_ADD_OFFSET band_id="3">-1000</RADIO_ADD_OFFSET><Cloud_Coverage_Assessment>50.0</Cloud_Coverage_Assessment>',
    );
    await assert.rejects(ingest(), /level 1C is reflectance at the top.*--level-1c/);
    const { collections, left } = await ingest({ takesLevel1: true });
    assert.deepEqual(left, []);
    const [ndvi] = collections as [(typeof collections)[number]];
    const missing = Number.NaN;
    assert.deepEqual(await valuesOf(ndvi.id, 4), [[0.5, missing, missing, missing]]);
    const [scene] = await world.storage.collections.scenes(ndvi.id);
    assert.match(scene!.key, /^sentinel-2a-l1c_2022-08-16_54/);
    assert.equal(scene!.reading?.mask?.encoding, 'sentinel-2-classification');
  });

  test('level 1C of Sentinel-2 is refused with its reason, and so is an archive that is damaged', async () => {
    const product = 'S2A_MSIL1C_20200816T154911_N0209_R054_T18TWL_20200816T192600';
    await put(`${product}.SAFE/GRANULE/L1C_T18TWL/IMG_DATA/T18TWL_20200816T154911_B08.jp2`, 'x');
    await assert.rejects(ingest(), new RegExp(`found none. ${product}: level 1C is reflectance at the top`));
    await landsat('LC08_L2SP_014031_20200106_20200823_02_T1');
    await put('broken.zip', 'no archive');
    const left = (await search()).flatMap((scene) => (scene.ok ? [] : [`${scene.id}: ${scene.reason}`]));
    assert.match(left[0]!, new RegExp(`^${product}: level 1C`));
    assert.match(left[1]!, /^broken\.zip: .*is no ZIP archive/);
  });

  test('scenes are selected by box and time', async () => {
    await landsat('LC08_L2SP_014031_20200106_20200823_02_T1');
    await landsat('LC08_L2SP_014031_20200122_20200823_02_T1');
    const ids = async (query: object): Promise<number> => (await search(query)).length;
    assert.equal(await ids({ fromMs: Date.UTC(2020, 0, 7) }), 1);
    assert.equal(await ids({ bounds: [-74.02, 40.73, -74, 40.75] }), 2);
    assert.equal(await ids({ bounds: [10, 40, 11, 41] }), 0);
  });

  test(
    'New York 2018, eleven Landsat 8 scenes of two rows (gdalcubes L8NY18): nine passes; fill and cloud are no data',
    { skip: absent },
    async () => {
      const { collections, passes, added, left } = await ingest({ where: NEW_YORK });
      assert.deepEqual([passes, added, left], [9, 9, []]);
      assert.deepEqual(
        collections.map(({ metric }) => metric).toSorted(),
        ['mndwi', 'ndbi', 'ndmi', 'ndvi'], // no burn ratio, because band 7 is not among the files
      );
      const ndvi = collections.find(({ metric }) => metric === 'ndvi')!;
      const pixels = ndvi.grid.width * ndvi.grid.height;
      const scenes = await cube.scenes(ndvi.id);
      assert.deepEqual(
        scenes.map(({ key }) => key.slice('landsat-8_'.length)),
        [
          '2018-01-06_14',
          '2018-03-11_14',
          '2018-04-28_14',
          '2018-05-30_14',
          '2018-06-15_14',
          '2018-09-03_14',
          '2018-10-05_14',
          '2018-11-22_14',
          '2018-12-08_14',
        ],
      );
      const values = await valuesOf(ndvi.id, pixels);
      const seen = values.map((scene) => scene.filter((value) => value > -1.5));
      for (const [t, scene] of seen.entries()) {
        assert.ok(
          scene.length < pixels,
          `${scenes[t]!.key}: the corners of the grid lie outside every scene`,
        );
        for (const value of scene) assert.ok(Math.abs(value) <= 1);
      }
      const mean = (scene: readonly number[]): number =>
        scene.reduce((sum, value) => sum + value, 0) / scene.length;
      // Woods and fields of the Hudson valley are green in June and bare in January.
      assert.ok(mean(seen[4]!) > mean(seen[0]!) + 0.15, `${mean(seen[4]!)} after ${mean(seen[0]!)}`);
    },
  );
});
