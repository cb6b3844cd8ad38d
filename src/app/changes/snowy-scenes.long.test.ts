import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { DAY_MS } from '../../base/time.ts';
import { newId } from '../../base/ids.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { PixelSet } from '../../raster/pixel-set.ts';
import { pixelsInRuns } from '../../raster/pixel-runs.ts';
import { CollectionWriter } from '../imagery/collection-writer.ts';
import { checkCollection, removeCollection } from '../imagery/manage-collections.ts';
import type { Collection } from '../series/collection-store.ts';
import { snowCubeId, snowScenes } from '../series/snow-cube.ts';
import { monitorCollection } from './monitor-collection.ts';
import { removeScenes } from './remove-scenes.ts';

const SIDE = 16; // side of the grid [pixels]
const STEP_DAYS = 8;
const SCENES = 200; // more than four years
const BREAK = 150; // number of scenes before the clearing
const SNOWY_COLUMN = 8; // in the columns from this on, four of five scenes show snow
const MISSING = -32_768;
const reading = { nodata: null, mask: null };

/** A forest with a clearing of 4 x 4 pixels, of which the two eastern columns are seldom without snow. */
function sceneOf(scene: number) {
  const snow = new PixelSet(SIDE * SIDE);
  const samples = Int16Array.from({ length: SIDE * SIDE }, (_, pixel) => {
    const [row, col] = [Math.floor(pixel / SIDE), pixel % SIDE];
    if (col >= SNOWY_COLUMN && scene % 5 !== 0) {
      snow.add(pixel);
      return MISSING;
    }
    const isCleared = scene >= BREAK && row >= 6 && row < 10 && col >= 6 && col < 10;
    const noise = ((pixel * 7919 + scene * 104_729) % 601) - 300;
    const season = Math.round(800 * Math.sin((2 * Math.PI * scene * STEP_DAYS) / 365.25));
    return 7000 + noise + season - (isCleared ? 3500 : 0);
  });
  return { samples, snow, clear: samples.filter((sample) => sample !== MISSING).length };
}

describe('pixels with persistent snow', () => {
  let world: TestStorage;
  let folder: string;
  let cube: FolderCubeStore;
  before(async () => {
    world = await testStorage();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-snow-'));
    cube = new FolderCubeStore(folder);
  });
  after(async () => {
    await cube.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });
  const deps = () => ({ storage: world.storage, cube, version: '9.9.9' });

  /** Writes scenes to a collection, by default with what their masks tell about snow. */
  async function ingest(name: string, scenes: Iterable<number>, tellsSnow = true): Promise<Collection> {
    const { scale, offset, sampleType, metric, environment, grid: whole } = collectionRecord();
    const transform = [14, 0.0003, 0, 46.02, 0, -0.0003] as const;
    const grid = { ...whole, width: SIDE, height: SIDE, transform };
    const target = { name, metric, environment, accountId: null, grid, scale, offset, sampleType };
    const writer = await CollectionWriter.open(deps(), target);
    for (const scene of scenes) {
      const { samples, snow, clear } = sceneOf(scene);
      const timeMs = Date.UTC(2016, 0, 4) + scene * STEP_DAYS * DAY_MS;
      const told = tellsSnow ? snow : undefined;
      await writer.write({ key: `s${scene}`, timeMs, href: 'stack.tif', reading }, samples, clear, {
        snow: told,
      });
    }
    await writer.finish();
    return writer.collection;
  }
  const inOrder = Array.from({ length: SCENES }, (_, scene) => scene);
  /** Searches a collection. @returns the columns of the pixels of each standing change */
  async function columnsOf(collection: Collection): Promise<number[][]> {
    await monitorCollection(deps(), collection, () => undefined);
    const changes = await world.storage.changes.ofCollection(collection.id);
    return changes
      .filter(({ status }) => status !== 'rejected')
      .map(({ provenance }) =>
        Array.from({ length: SIDE }, (_, col) => col).filter((col) => {
          const column = Uint32Array.from({ length: SIDE }, (_, row) => row * SIDE + col);
          return pixelsInRuns(column, provenance.pixels.runs) > 0;
        }),
      );
  }

  test('belong to no change; without their snow being known, they do', async () => {
    const unknown = await ingest(newId('collection'), inOrder, false);
    assert.deepEqual(await columnsOf(unknown), [[6, 7, 8, 9]]);
    assert.deepEqual(await snowScenes(cube, unknown.id), []);
    const known = await ingest(newId('collection'), inOrder);
    assert.deepEqual(await columnsOf(known), [[6, 7]]);
  });

  test('are refused the same when the snow becomes known later, and when scenes arrive late', async () => {
    const { name, id } = await ingest(newId('collection'), inOrder, false);
    assert.deepEqual(await columnsOf({ ...collectionRecord(), name, id }), [[6, 7, 8, 9]]);
    const again = await ingest(name, inOrder); // the same samples: only the snow is new
    assert.equal(again.id, id);
    assert.deepEqual(await columnsOf(again), [[6, 7]]);
    const late = await ingest(
      newId('collection'),
      inOrder.filter((scene) => scene % 3 !== 1),
    );
    await columnsOf(late);
    await ingest(late.name, inOrder.filter((scene) => scene % 3 === 1).toReversed());
    assert.deepEqual(await columnsOf(late), [[6, 7]]);
  });

  test('snow is replaced and removed with its scene, checked with its collection and deleted with it', async () => {
    const collection = await ingest(newId('collection'), [1, 2, 5]);
    const keys = async () => (await snowScenes(cube, collection.id)).map(({ key }) => key);
    assert.deepEqual(await keys(), ['s1', 's2'], 'scene 5 shows no snow');
    const { name, metric, environment, accountId, grid, scale, offset, sampleType } = collection;
    const target = { name, metric, environment, accountId, grid, scale, offset, sampleType };
    const writer = await CollectionWriter.open(deps(), target);
    const scene = {
      key: 's1',
      timeMs: Date.UTC(2016, 0, 4) + STEP_DAYS * DAY_MS,
      href: 'corrected.tif',
      reading,
    };
    await writer.write(scene, new Int16Array(SIDE * SIDE).fill(7000), SIDE * SIDE, {
      snow: new PixelSet(SIDE * SIDE),
    });
    await writer.finish();
    assert.deepEqual(await keys(), ['s2']);
    assert.deepEqual((await checkCollection(deps(), collection)).damage, []);
    await removeScenes(deps(), collection, ['s2'], () => undefined);
    assert.deepEqual(await keys(), []);
    await removeCollection(deps(), collection);
    await assert.rejects(cube.scenes(snowCubeId(collection.id)), { name: 'NotFound' });
  });

  test('snow of scenes that are held back until the first observation is kept', async () => {
    const name = newId('collection');
    const { environment, metric, scale, offset, sampleType, grid } = collectionRecord();
    const target = { name, metric, environment, accountId: null, grid, scale, offset, sampleType };
    const writer = await CollectionWriter.open(deps(), target);
    const snow = new PixelSet(4);
    snow.add(2);
    const none = new Int16Array(4).fill(MISSING);
    await writer.write({ key: 'winter', timeMs: 0, href: '', reading }, none, 0, { snow });
    await writer.write({ key: 'summer', timeMs: DAY_MS, href: '', reading }, Int16Array.of(1, 2, 3, 4), 4);
    const { scenes, values } = await cube.readStrip(snowCubeId(writer.collection.id), 0, 4);
    assert.deepEqual(
      scenes.map(({ key }) => key),
      ['winter'],
    );
    assert.deepEqual([...values], [Number.NaN, Number.NaN, 1, Number.NaN]);
  });
});
