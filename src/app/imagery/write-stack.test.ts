import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import { DAY_MS } from '../../base/time.ts';
import { newId } from '../../base/ids.ts';
import type { BandDate, RasterStack } from './raster-stack.ts';
import { writeStack } from './write-stack.ts';

describe('bands that are checked before anything is written', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  /** Writes a stack whose band `b` has the value 1000 (b + 1). @returns first value by scene, and the bands read */
  async function written(
    width: number,
    height: number,
    days: readonly number[],
  ): Promise<{ readonly values: readonly number[]; readonly reads: readonly number[] }> {
    const cube = new MemoryCubeStore();
    const record = collectionRecord();
    const reads: number[] = [];
    const values: RasterStack = {
      grid: { ...record.grid, width, height },
      bandCount: days.length,
      sampleType: 'int16',
      nodata: null,
      scale: 1e-4,
      offset: 0,
      sha256: '',
      readBand: async (band) => {
        reads.push(band);
        return new Int16Array(width * height).fill(1000 * (band + 1));
      },
      close: async () => undefined,
    };
    const dates = days.map((day, b): BandDate => ({
      band: b + 1,
      timeMs: day * DAY_MS,
      scene: `day-${day}`,
    }));
    const { collection } = await writeStack(
      { clock: { now: () => 400 * DAY_MS }, storage: world.storage, cube },
      {
        collection: newId('collection'),
        metric: 'ndvi',
        environment: record.environment,
        accountId: null,
        valuesPath: 'ndvi.tif',
      },
      values,
      undefined,
      dates,
      () => undefined,
    );
    const strip = await cube.readStrip(collection.id, 0, 1);
    return { values: [...strip.values], reads };
  }

  test('are read once, and written with their own dates', async () => {
    const { values, reads } = await written(2, 2, [30, 10, 20]);
    assert.deepEqual(values, [2000, 3000, 1000]);
    assert.deepEqual(reads, [0, 1, 2]);
  });

  test('are read again from 64 MiB on', async () => {
    const { values, reads } = await written(4096, 5000, [20, 10]);
    assert.deepEqual(values, [2000, 1000]);
    assert.deepEqual(reads, [0, 1, 1]);
  });
});
