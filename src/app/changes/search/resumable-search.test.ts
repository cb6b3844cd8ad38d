import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderCubeStore } from '../../../cube/folder-cube-store.ts';
import type { ChangeTask } from './change-task.ts';
import { openCubes } from './open-cubes.ts';
import { ResumableSearch } from './resumable-search.ts';
import { ScenesChanged } from './scenes-changed.ts';

/** A task of one metric whose stack has a number of scenes. */
function taskOf(scenes: number): ChangeTask {
  const names = Array.from({ length: scenes }, (_, t) => `scene ${t}`);
  return {
    spec: {
      width: 2,
      height: 2,
      pixelAreaM2: 100,
      metric: 'ndvi',
      timesMs: Float64Array.from(names.keys()),
    },
    series: [
      {
        metric: 'ndvi',
        cubeId: 'ndvi',
        sampleType: 'int16',
        scale: 1e-4,
        offset: 0,
        digests: names,
        at: Int32Array.from(names.keys()),
      },
    ],
    groups: [[0]],
    basis: { about: 'a test', moments: names },
  };
}

test('a search that failed after its state was settled is gone on with, and one that failed before is not', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-settled-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = new FolderCubeStore(folder);
  t.after(() => store.close());
  await store.create('ndvi', { width: 2, height: 2, sampleType: 'int16' });
  const cubes = await openCubes(store.address);
  t.after(() => cubes.close());

  const failing = (isSettled: boolean): Promise<unknown> =>
    new ResumableSearch(cubes, taskOf(20)).run(async (state) => {
      assert.equal(state.since, 0);
      await state.keep('strip 0', Uint8Array.of(1, 2, 3));
      if (isSettled) assert.deepEqual([await state.settle(), await state.settle()], [true, true]);
      throw new ScenesChanged();
    });
  const nextSince = (): Promise<number> =>
    new ResumableSearch(cubes, taskOf(21)).run(({ since }) => Promise.resolve(since));

  await assert.rejects(failing(false), ScenesChanged);
  assert.equal(await nextSince(), 0);
  await assert.rejects(failing(true), ScenesChanged);
  assert.equal(await nextSince(), 20);
});
