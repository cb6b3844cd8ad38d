import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { newId } from '../../base/ids.ts';
import { monitorChanges, monitorCollection } from './monitor-collection.ts';
import type { ChangeRecord } from './change-store.ts';
import type { Collection } from '../series/collection-store.ts';

const SIDE = 16; // side of the grid [pixels]
const SCENES = 92; // one every 16 days: four years
const BREAK = 69; // number of scenes before the clearing

/** A scene of a forest with a clearing of 4 x 4 pixels. A different quarter of the pixels is clouded in each scene. */
function samplesOf(scene: number): Int16Array {
  return Int16Array.from({ length: SIDE * SIDE }, (_, pixel) => {
    const [row, col] = [Math.floor(pixel / SIDE), pixel % SIDE];
    if ((pixel * 31 + scene * 17) % 4 === 0) return -32_768; // missing
    const isCleared = scene >= BREAK && row >= 6 && row < 10 && col >= 6 && col < 10;
    const noise = ((pixel * 7919 + scene * 104_729) % 601) - 300;
    const season = Math.round(800 * Math.sin((2 * Math.PI * scene * 16) / 365.25));
    return 7000 + noise + season - (isCleared ? 3500 : 0);
  });
}

describe('scenes that arrive late', () => {
  let world: TestStorage;
  let folder: string;
  let cube: FolderCubeStore;
  let made = 0;

  before(async () => {
    world = await testStorage();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-late-'));
    cube = new FolderCubeStore(folder);
  });
  after(async () => {
    await cube.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function forestCollection(): Promise<Collection> {
    const collection = collectionRecord({
      id: newId('collection'),
      name: `forest-${(made += 1)}`,
      pixelAreaM2: 900,
      grid: {
        ...collectionRecord().grid,
        width: SIDE,
        height: SIDE,
        transform: [14, 0.0003, 0, 46.02, 0, -0.0003],
      },
    });
    await world.storage.collections.create(collection);
    await cube.create(collection.id, { width: SIDE, height: SIDE, sampleType: 'int16' });
    return collection;
  }

  test('during another ingest the search waits until no more scenes arrive, and then covers all of them', async () => {
    const collection = await forestCollection();
    for (let i = 0; i < SCENES - 8; i++) await putScene(collection, i);
    let next = SCENES - 8;
    let pauses = 0;
    const arrive = async (): Promise<void> => {
      if (pauses < 3 && next < SCENES) await putScene(collection, next++);
    };
    const { storage } = world;
    const collections = {
      ...storage.collections,
      // The monitor calls this right after it has listed the scenes, so a scene that arrives now is not searched.
      async monitoredAs(id: string) {
        await arrive();
        return storage.collections.monitoredAs(id);
      },
    };
    const pause = async (): Promise<void> => {
      pauses += 1;
      await arrive();
    };
    const report = await monitorChanges(
      { storage: { ...storage, collections }, cube, version: '0' },
      collection,
      {
        progress: () => undefined,
        pause,
      },
    );
    assert.deepEqual([report.ran, report.confirmed, next, pauses], [true, 1, SCENES - 5, 3]);
  });

  async function putScene({ id }: Collection, index: number): Promise<void> {
    const key = `scene-${index}`;
    const timeMs = Date.UTC(2016, 0, 4) + index * 16 * DAY_MS;
    const { sha256 } = await cube.append(id, { key, timeMs }, samplesOf(index));
    const href = `stack.tif#band=${index + 1}`;
    const scene = {
      id: newId('scene'),
      key,
      href,
      observedAt: new Date(timeMs),
      sha256,
      clearFraction: 0.75,
    };
    await world.storage.collections.putScenes(id, [scene]);
  }

  /** The content of a change without ids and digests, which differ between collections. */
  const contentOf = (change: ChangeRecord) => ({
    type: change.type,
    status: change.status,
    firstAnomalyAt: change.firstAnomalyAt,
    detectedAt: change.detectedAt,
    confidence: change.confidence,
    areaM2: change.areaM2,
    geometry: change.geometry,
    evidence: change.provenance.evidence,
  });

  async function currentChanges(collection: Collection): Promise<ReturnType<typeof contentOf>[]> {
    await monitorCollection({ storage: world.storage, cube, version: '9.9.9' }, collection, () => undefined);
    const changes = await world.storage.changes.ofCollection(collection.id);
    return changes.filter(({ status }) => status !== 'rejected').map(contentOf);
  }

  test('late scenes in any order lead to the same changes as scenes in order', async () => {
    const ordered = await forestCollection();
    for (let scene = 0; scene < SCENES; scene++) await putScene(ordered, scene);
    const expected = await currentChanges(ordered);
    assert.deepEqual(
      expected.map(({ type, status }) => [type, status]),
      [['vegetation_loss', 'confirmed']],
    );

    // First ingests two thirds of the scenes, latest first. The remaining third arrives late and must correct every
    // change found here.
    const late = await forestCollection();
    const isLate = (scene: number): boolean => scene % 3 === 1;
    for (let scene = SCENES - 1; scene >= 0; scene--) if (!isLate(scene)) await putScene(late, scene);
    await currentChanges(late);
    // 37 and the number of scenes have no common divisor: the loop visits each scene once, in scattered order.
    for (let i = 0; i < SCENES; i++) {
      const scene = (i * 37) % SCENES;
      if (isLate(scene)) await putScene(late, scene);
    }
    assert.deepEqual(await currentChanges(late), expected);
  });
});
