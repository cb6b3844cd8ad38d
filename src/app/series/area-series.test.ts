import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import { bboxOf } from '../../geo/bbox.ts';
import type { Grid } from '../../geo/grid.ts';
import { areaSeries } from './area-series.ts';
import type { CubeStore } from './cube-store.ts';
import type { Aoi } from '../areas/aoi-store.ts';

/** Computes the mean of one scene over a box, and the number of pixels in the mean. */
async function meanOver(
  grid: Pick<Grid, 'width' | 'height' | 'transform'>,
  samples: readonly number[],
  [west, south, east, north]: readonly [number, number, number, number],
) {
  const collection = collectionRecord({
    grid: { crs: 'EPSG:4326', proj4: '', ...grid },
    sampleType: 'float32',
    scale: 1,
  });
  const cube = new MemoryCubeStore();
  await cube.create(collection.id, { ...grid, sampleType: 'float32' });
  await cube.append(collection.id, { key: 'a', timeMs: 0 }, Float32Array.from(samples));
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ] as [number, number][];
  const geometry = { type: 'Polygon' as const, coordinates: [ring] };
  const series = await areaSeries(cube, collection, { geometry, bounds: bboxOf(geometry) } as Aoi);
  return series && [series.pixelCount, series.values[0]];
}

const CELLS = { width: 2, height: 2, transform: [10, 1, 0, 51, 0, -1] } as const;

test('the mean of an area of few cells weights each cell by its part inside the area', async () => {
  assert.deepEqual(await meanOver(CELLS, [1, 5, 100, 100], [10.25, 50.25, 11.25, 50.75]), [2, 2]);
  assert.deepEqual(await meanOver(CELLS, [0, 4, 8, 12], [10.5, 49.5, 11.5, 50.5]), [4, 6]);
});

test('an area inside one cell has the value of the cell, however small; an area outside the grid has none', async () => {
  assert.deepEqual(await meanOver(CELLS, [1, 2, 3, 4], [11.3, 49.3, 11.6, 49.6]), [1, 4]);
  assert.deepEqual(await meanOver(CELLS, [1, 2, 3, 4], [11.001, 49.001, 11.002, 49.002]), [1, 4]);
  assert.equal(await meanOver(CELLS, [1, 2, 3, 4], [20, 49, 21, 50]), undefined);
});

test('the mean is NaN when more than half of the area was not visible', async () => {
  const nan = Number.NaN;
  assert.deepEqual(await meanOver(CELLS, [nan, 5, 0, 0], [10.75, 50.25, 11.75, 50.75]), [2, 5]);
  assert.deepEqual(await meanOver(CELLS, [nan, 5, 0, 0], [10.25, 50.25, 11.25, 50.75]), [2, nan]);
});

test('in an area of many pixels those with their centre inside count equally', async () => {
  const fine = { width: 10, height: 10, transform: [10, 0.1, 0, 51, 0, -0.1] } as const;
  const samples = Array.from({ length: 100 }, (_, i) => i % 10);
  assert.deepEqual(await meanOver(fine, samples, [10.06, 50.04, 10.56, 50.96]), [50, 3]);
});

test('a grid with longitudes from 0 to 360 can be read west of Greenwich', async () => {
  const globe = { width: 8, height: 2, transform: [0, 45, 0, 90, 0, -90] } as const;
  const samples = Array.from({ length: 16 }, (_, i) => i);
  assert.deepEqual(await meanOver(globe, samples, [-100, 40, -95, 45]), [1, 5]);
  assert.deepEqual(await meanOver(globe, samples, [-11.25, 10, 33.75, 20]), [2, 1.75]);
});

test('the read starts again when scenes are replaced, added or removed during it', async () => {
  // The grid is wide enough for the pixels of the area to be read from the cube in two parts.
  const grid = { width: 200, height: 4, transform: [10, 0.01, 0, 51, 0, -0.01] } as const;
  const collection = collectionRecord({
    grid: { crs: 'EPSG:4326', proj4: '', ...grid },
    sampleType: 'float32',
    scale: 1,
  });
  const geometry = {
    type: 'Polygon' as const,
    coordinates: [
      [
        [10, 50.96],
        [10.1, 50.96],
        [10.1, 51],
        [10, 51],
        [10, 50.96],
      ] as [number, number][],
    ],
  };
  const scene = (value: number) => new Float32Array(800).fill(value);
  for (const [before, after] of [
    [['a'], ['a']],
    [
      ['a', 'b'],
      ['b', 'c'],
    ],
    [[], ['a']],
  ] as const) {
    const store = new MemoryCubeStore();
    await store.create(collection.id, { ...grid, sampleType: 'float32' });
    for (const key of before) await store.append(collection.id, { key, timeMs: 0 }, scene(1));
    let reads = 0;
    const cube = {
      readStrip: async (id: string, from: number, to: number) => {
        const strip = await store.readStrip(id, from, to);
        if (++reads === 1) {
          await store.removeScenes(id, before);
          for (const key of after) await store.append(id, { key, timeMs: 0 }, scene(5));
        }
        return strip;
      },
    } as unknown as CubeStore;
    const { values } = (await areaSeries(cube, collection, { geometry, bounds: bboxOf(geometry) } as Aoi))!;
    assert.ok(reads > 2, `${reads}`);
    assert.deepEqual(
      [...values],
      after.map(() => 5),
    );
  }
});
