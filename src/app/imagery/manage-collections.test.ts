import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import { WRITER_LOCK, WriterLock } from '../../cube/writer-lock.ts';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { exportStack } from './export-stack.ts';
import { newId } from '../../base/ids.ts';
import {
  checkCollection,
  collectionNamed,
  collectionsNamed,
  listCollections,
  removeCollection,
} from './manage-collections.ts';
import { removeScenes } from '../changes/remove-scenes.ts';
import type { Samples } from '../series/cube-store.ts';
import type { Collection } from '../series/collection-store.ts';
import { DAY_MS } from '../../base/time.ts';

describe('management of raster collections', () => {
  let world: TestStorage;
  const cube = new MemoryCubeStore();
  const deps = () => ({ storage: world.storage, cube, version: '0.0.0' });

  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  /** A collection of 2 x 2 pixels with five scenes. Pixel p of scene t has the value 10 t + p. */
  const ingested = async (over: Partial<Collection> = {}): Promise<Collection> => {
    const collection = collectionRecord({ metric: 'gauge', ...over });
    const { storage } = world;
    await storage.collections.create(collection);
    await cube.create(collection.id, { width: 2, height: 2, sampleType: 'int16' });
    for (let t = 0; t < 5; t++) {
      const samples = new Int16Array([10 * t, 10 * t + 1, -32_768, 10 * t + 3]);
      const { sha256 } = await cube.append(collection.id, { key: `s${t}`, timeMs: t * DAY_MS }, samples);
      const observedAt = new Date(t * DAY_MS);
      await storage.collections.putScenes(collection.id, [
        { id: newId('scene'), key: `s${t}`, href: '', observedAt, sha256, clearFraction: 0.75 },
      ]);
    }
    return collection;
  };
  const nameOf = ({ environment, accountId, name }: Collection, metric?: string) => ({
    environment,
    accountId,
    name,
    metric,
  });

  test('a private collection that is looked for without its account is not found, with the option to give', async () => {
    const { accountId } = world.owner;
    const { name, environment } = await ingested({ accountId });
    await assert.rejects(
      collectionsNamed(deps(), { environment, accountId: null, name, metric: undefined }),
      {
        name: 'NotFound',
        message:
          /that all accounts read \(--account names the one that has its own\): see groundwatch collections list$/,
      },
    );
    const found = await collectionsNamed(deps(), { environment, accountId, name, metric: undefined });
    assert.equal(found.length, 1);
  });

  test('a name finds all its metrics; the error for an ambiguous name lists them', async () => {
    const first = await ingested();
    const second = await ingested({ name: first.name, metric: 'moisture' });
    assert.deepEqual(await collectionsNamed(deps(), nameOf(first)), [first, second]);
    assert.deepEqual(await collectionNamed(deps(), nameOf(first, 'moisture')), second);
    await assert.rejects(collectionNamed(deps(), nameOf(first)), {
      name: 'InvalidInput',
      message: /expected one of gauge, moisture/,
    });
    await assert.rejects(collectionNamed(deps(), nameOf(first, 'ndvi')), {
      name: 'NotFound',
      message: /holds no ndvi, but gauge, moisture/,
    });
    await assert.rejects(collectionNamed(deps(), { ...nameOf(first), name: 'nowhere' }), {
      name: 'NotFound',
    });
    const listed = (await listCollections(deps())).find(({ collection }) => collection.id === first.id);
    assert.deepEqual(listed, { collection: first, scenes: 5, firstMs: 0, lastMs: 4 * DAY_MS });
  });

  test('removing scenes deletes them from the store and the database; unknown scenes are refused first', async () => {
    const collection = await ingested();
    const nothing = () => undefined;
    await assert.rejects(removeScenes(deps(), collection, ['s1', 's9'], nothing), {
      name: 'NotFound',
      message: /no scene "s9"; its keys, the field key of .*\/scenes, are such as s4$/,
    });
    await assert.rejects(removeScenes(deps(), collection, ['s'], nothing), {
      message: /no scene "s"; it has s0, s1, s2, s3, s4$/,
    });
    assert.equal((await cube.scenes(collection.id)).length, 5);
    await removeScenes(deps(), collection, ['s1', 's3'], nothing);
    const left = ['s0', 's2', 's4'];
    assert.deepEqual(
      (await cube.scenes(collection.id)).map(({ key }) => key),
      left,
    );
    assert.deepEqual(
      (await world.storage.collections.scenes(collection.id)).map(({ key }) => key),
      left,
    );
    assert.deepEqual(await checkCollection(deps(), collection), { damage: [], missing: [] });
  });

  test('a check reports recorded scenes whose pixels are lost or changed', async () => {
    const collection = await ingested();
    await cube.removeScenes(collection.id, ['s0']);
    await cube.append(collection.id, { key: 's2', timeMs: 2 * DAY_MS }, new Int16Array(4));
    assert.deepEqual(await checkCollection(deps(), collection), { damage: [], missing: ['s0', 's2'] });
  });

  test('a check does not report scenes that are added or removed meanwhile', async () => {
    const collection = await ingested();
    const { storage } = world;
    const put = async (key: string): Promise<void> => {
      const samples = new Int16Array(4).fill(7);
      const { sha256 } = await cube.append(collection.id, { key, timeMs: 9 * DAY_MS }, samples);
      const scene = { key, href: '', observedAt: new Date(9 * DAY_MS), sha256, clearFraction: 1 };
      await storage.collections.putScenes(collection.id, [{ id: newId('scene'), ...scene }]);
    };
    const cut = async (key: string): Promise<void> => {
      await cube.removeScenes(collection.id, [key]);
      await storage.collections.removeScenes(collection.id, [key]);
    };
    /** Wraps a function that reads scenes. The first call adds the scene `comes` and removes `goes` after reading. */
    const meanwhile = <T>(look: (id: string) => Promise<T>, comes: string, goes: string) => {
      let isFirst = true;
      return async (id: string): Promise<T> => {
        const found = await look(id);
        if (isFirst) for (const change of [() => put(comes), () => cut(goes)]) await change();
        isFirst = false;
        return found;
      };
    };
    const collections = {
      ...storage.collections,
      scenes: meanwhile((id) => storage.collections.scenes(id), 'new-1', 's1'),
    };
    const scenes = meanwhile((id) => cube.scenes(id), 'new-2', 's2');
    const stored = { check: () => cube.check(), scenes } as unknown as typeof cube;
    const { missing } = await checkCollection(
      { storage: { ...storage, collections }, cube: stored },
      collection,
    );
    assert.deepEqual(missing, []);
  });

  test('removing a collection deletes its scenes, and can be repeated', async () => {
    const collection = await ingested();
    await removeCollection(deps(), collection);
    assert.equal(await world.storage.collections.find(collection.id), undefined);
    assert.deepEqual(await world.storage.collections.scenes(collection.id), []);
    await assert.rejects(cube.scenes(collection.id), { name: 'NotFound' });
    await removeCollection(deps(), collection);
  });

  test('two processes can remove a collection at the same time', async (t) => {
    const collection = await ingested();
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-removed-'));
    t.after(() => rm(folder, { recursive: true }));
    const [one, other] = [new FolderCubeStore(folder), new FolderCubeStore(folder)];
    await one.create(collection.id, { width: 2, height: 2, sampleType: 'int16' });
    // A writer blocks both removals until both have found the cube.
    const lock = await WriterLock.take(join(folder, collection.id), WRITER_LOCK, 1000);
    const removals = [one, other].map((store) => removeCollection({ ...deps(), cube: store }, collection));
    await new Promise((resolve) => setImmediate(resolve));
    lock.release();
    await Promise.all(removals);
    assert.equal(await world.storage.collections.find(collection.id), undefined);
    for (const store of [one, other]) await store.close();
  });

  test('an export contains the scenes of the requested time with unchanged samples', async () => {
    const collection = await ingested();
    const written: number[][] = [[], []];
    let layout: unknown;
    const stackWriter = {
      async write(
        _path: string,
        asked: { readonly rowsAtOnce: number; readonly bands: unknown },
        rows: (first: number, last: number) => Promise<readonly Samples[]>,
      ) {
        layout = asked.bands;
        for (let row = 0; row < 2; row++) {
          for (const [b, samples] of (await rows(row, row + 1)).entries()) written[b]!.push(...samples);
        }
      },
      writeDates: async () => undefined,
    };
    const task = { collection, valuesPath: 'v', datesPath: 'd', fromMs: DAY_MS, toMs: 3 * DAY_MS };
    assert.equal(await exportStack({ cube, stackWriter }, task, () => undefined), 2);
    assert.deepEqual(written, [
      [10, 11, -32_768, 13],
      [20, 21, -32_768, 23],
    ]);
    assert.deepEqual(layout, [
      { band: 1, timeMs: DAY_MS, scene: 's1' },
      { band: 2, timeMs: 2 * DAY_MS, scene: 's2' },
    ]);
    await assert.rejects(
      exportStack({ cube, stackWriter }, { ...task, fromMs: 9 * DAY_MS }, () => undefined),
      /no scene in the time asked for; it has 5 from 1970-01-01 to 1970-01-05/,
    );
  });
});
