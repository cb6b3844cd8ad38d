import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import { type CollectionTarget, CollectionWriter } from './collection-writer.ts';
import { newId } from '../../base/ids.ts';

describe('two processes that create the same collection at the same time', () => {
  let world: TestStorage;
  const cube = new MemoryCubeStore();
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  const deps = () => ({ storage: world.storage, cube });
  const target = (name: string, over: Partial<CollectionTarget> = {}): CollectionTarget => {
    const { grid, scale, offset, sampleType, metric, environment } = collectionRecord();
    return { name, metric, environment, accountId: null, grid, scale, offset, sampleType, ...over };
  };
  const write = async (writer: CollectionWriter, t: number): Promise<void> => {
    const scene = {
      key: `s${t}`,
      timeMs: t * 86_400_000,
      href: 'ndvi.tif',
      reading: { nodata: null, mask: null },
    };
    await writer.write(scene, new Int16Array(4).fill(100 * t), 4);
  };

  test('end with one collection that contains the scenes of both', async () => {
    const name = newId('collection');
    // Both writers are opened before either of them writes, so neither finds an existing collection.
    const [one, other] = [
      await CollectionWriter.open(deps(), target(name)),
      await CollectionWriter.open(deps(), target(name)),
    ];
    for (const t of [1, 2]) await write(one, t);
    for (const t of [2, 3]) await write(other, t);
    for (const writer of [one, other]) await writer.finish();
    const members = await world.storage.collections.byName('production', null, name);
    assert.deepEqual(
      members.map(({ id }) => id),
      [one.collection.id],
    );
    assert.equal(other.collection.id, one.collection.id);
    assert.deepEqual([one.added, other.added], [2, 1]);
    const keys = ['s1', 's2', 's3'];
    assert.deepEqual(
      (await world.storage.collections.scenes(one.collection.id)).map(({ key }) => key),
      keys,
    );
    assert.deepEqual(
      (await cube.scenes(one.collection.id)).map(({ key }) => key),
      keys,
    );
  });

  test('the slower one is refused when its scenes do not match the collection', async () => {
    const name = newId('collection');
    const one = await CollectionWriter.open(deps(), target(name));
    const other = await CollectionWriter.open(deps(), target(name, { scale: 0.5 }));
    await write(one, 1);
    await assert.rejects(write(other, 1), {
      name: 'InvalidInput',
      message: /the scale 0\.0001, this stack 0\.5/,
    });
    assert.equal((await cube.scenes(one.collection.id)).length, 1);
  });

  test('the slower one is refused when the other one created a point collection', async () => {
    const name = newId('collection');
    const writer = await CollectionWriter.open(deps(), target(name));
    const { metric, environment, bounds } = collectionRecord();
    const points = { id: newId('collection'), environment, accountId: null, name, metric, unit: '1', bounds };
    assert.equal(await world.storage.stations.create(points), true);
    await assert.rejects(write(writer, 1), { name: 'InvalidInput', message: /has ndvi at stations/ });
    assert.equal(await world.storage.stations.create({ ...points, id: newId('collection') }), false);
  });
});
