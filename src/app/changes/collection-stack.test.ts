import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import {
  metricGroups,
  readCollectionStack,
  sharedScenes,
  type CollectionMetric,
} from './collection-stack.ts';
import { NotFound } from '../../base/errors.ts';
import type { CubeStore } from '../series/cube-store.ts';
import type { CollectionStore, Scene } from '../series/collection-store.ts';

function metric(key: string, timesMs: readonly number[]): CollectionMetric {
  return {
    collection: collectionRecord({ metric: key }),
    scenes: timesMs.map((timeMs, i) => ({ key: `${key}-${i}`, timeMs, sha256: '' })),
  };
}

test('metrics of the same property form a group, together with the water metrics', () => {
  const [ndvi, vv, mndwi, nbr, displacement] = ['ndvi', 'vv', 'mndwi', 'nbr', 'displacement'].map((key) =>
    metric(key, [1]),
  ) as [CollectionMetric, CollectionMetric, CollectionMetric, CollectionMetric, CollectionMetric];
  const groups = metricGroups([ndvi, vv, mndwi, nbr, displacement, metric('rain', [1]), metric('evi', [])]);
  assert.deepEqual(
    groups.map((group) => group.map(({ collection }) => collection.metric)),
    [['ndvi', 'nbr', 'mndwi'], ['vv', 'mndwi'], ['mndwi'], ['displacement']],
  );
});

test('scenes at the same time become one moment for all metrics', () => {
  const shared = sharedScenes([metric('ndvi', [10, 20, 30]), metric('nbr', [5, 20, 40])]);
  assert.deepEqual(shared, [
    { timeMs: 5, turn: 0, at: [-1, 0] },
    { timeMs: 10, turn: 0, at: [0, -1] },
    { timeMs: 20, turn: 0, at: [1, 1] },
    { timeMs: 30, turn: 0, at: [2, -1] },
    { timeMs: 40, turn: 0, at: [-1, 2] },
  ]);
});

test('several scenes at the same time keep their order and are paired with those of other metrics', () => {
  const shared = sharedScenes([metric('ndvi', [10, 20, 20]), metric('nbr', [20, 20, 30])]);
  assert.deepEqual(
    shared.map(({ timeMs, at }) => [timeMs, ...at]),
    [
      [10, 0, -1],
      [20, 1, 0],
      [20, 2, 1],
      [30, -1, 2],
    ],
  );
});

test('a collection without a cube is empty only if it has no recorded scenes', async () => {
  const collection = collectionRecord();
  const stack = (recorded: readonly Scene[]) => {
    const collections = {
      byName: () => Promise.resolve([collection]),
      scenes: () => Promise.resolve(recorded),
    } as unknown as CollectionStore;
    const cube = {
      scenes: () => Promise.reject(new NotFound('there is no cube')),
    } as unknown as CubeStore;
    return readCollectionStack({ storage: { collections }, cube }, collection);
  };
  assert.deepEqual(await stack([]), [{ collection, scenes: [] }]);
  // If a lost cube counted as empty, all changes found in it would be rejected.
  await assert.rejects(stack([{ key: 's' } as Scene]), { name: 'NotFound' });
});
