import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectionRecord } from '../../../../test/fixtures/records.ts';
import { MemoryCubeStore } from '../../../../test/fakes/memory-cube.ts';
import type { CollectionMetric, CollectionStack } from '../collection-stack.ts';
import { observedPixels } from './observed-pixels.ts';

const GONE = -32_768; // stored value of a pixel that was not observed

test('a pixel counts when any scene of any metric observed it', async () => {
  const cube = new MemoryCubeStore();
  const grid = { ...collectionRecord().grid, width: 3, height: 2 };
  const metric = async (id: string, scenes: readonly (readonly number[])[]): Promise<CollectionMetric> => {
    await cube.create(id, { width: 3, height: 2, sampleType: 'int16' });
    for (const [t, samples] of scenes.entries())
      await cube.append(id, { key: `s${t}`, timeMs: t }, Int16Array.from(samples));
    return { collection: { ...collectionRecord(), id, grid }, scenes: await cube.scenes(id) };
  };
  const ndvi = await metric('a', [
    [GONE, 1, GONE, GONE, GONE, GONE],
    [GONE, 2, GONE, GONE, 5, GONE],
  ]);
  const nbr = await metric('b', [[0, GONE, GONE, GONE, 7, GONE]]);
  const empty = await metric('c', []);
  const count = (...stack: CollectionStack) => observedPixels({ cube }, stack);
  assert.equal(await count(ndvi), 2);
  assert.equal(await count(empty, ndvi, nbr), 3);
  assert.equal(await count(empty), 0);
});
