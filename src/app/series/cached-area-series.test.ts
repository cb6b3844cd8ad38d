import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import { cachedAreaSeries } from './cached-area-series.ts';
import type { Aoi } from '../areas/aoi-store.ts';

const AOI = {
  id: 'aoi_1',
  bounds: [14, 46, 14.02, 46.02],
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [14, 46],
        [14.02, 46],
        [14.02, 46.02],
        [14, 46.02],
        [14, 46],
      ],
    ],
  },
} as unknown as Aoi;

test('the mean is updated when scenes change, and is undefined before the cube is created and after it is removed', async () => {
  const cube = new MemoryCubeStore();
  const collection = collectionRecord({ scale: 1 });
  const values = async () => (await cachedAreaSeries(cube, collection, AOI))?.values;
  assert.equal(await values(), undefined);
  await cube.create(collection.id, { width: 2, height: 2, sampleType: 'int16' });
  const put = (value: number) =>
    cube.append(collection.id, { key: 's', timeMs: 0 }, new Int16Array(4).fill(value));
  await put(3);
  assert.deepEqual(await values(), Float64Array.of(3));
  await put(4);
  assert.deepEqual(await values(), Float64Array.of(4));
  await cube.remove(collection.id);
  assert.equal(await values(), undefined);
});
