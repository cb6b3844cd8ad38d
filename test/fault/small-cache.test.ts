import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ObjectCubeStore } from '../../src/cube/objects/object-cube-store.ts';
import { noObjectServer, ObjectServer } from '../fixtures/object-server.ts';
import { uniform } from '../oracles/simulated-series.ts';

const EDGE = 1000; // 2 MB of samples in a scene
const CUBES = 14;

test('copies of cubes make room for others on a disk that has room for some of them', async (t) => {
  if (noObjectServer !== false) return t.skip(noObjectServer);
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-small-cache-'));
  const cache = join(folder, 'cache');
  await mkdir(cache);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', cache]);
  if (mounted.status !== 0) {
    await rm(folder, { recursive: true });
    return t.skip('a small disk needs root and mount');
  }
  const server = await ObjectServer.start(join(folder, 'objects'));
  const cubes = new ObjectCubeStore({ place: server.place, cache, cacheBytes: 20e9 });
  t.after(async () => {
    await cubes.close();
    await server.stop();
    spawnSync('umount', [cache]);
    await rm(folder, { recursive: true, force: true });
  });
  const sceneOf = (cube: number): Int16Array => {
    const next = uniform(cube);
    return Int16Array.from({ length: EDGE * EDGE }, () => Math.floor(next() * 60_000) - 30_000);
  };
  for (let cube = 0; cube < CUBES; cube++) {
    await cubes.create(`cube-${cube}`, { width: EDGE, height: EDGE, sampleType: 'int16' });
    await cubes.append(`cube-${cube}`, { key: 'a', timeMs: 0 }, sceneOf(cube));
  }
  for (let cube = 0; cube < CUBES; cube++) {
    const { values } = await cubes.readStrip(`cube-${cube}`, 0, EDGE);
    assert.deepEqual(Array.from(values), Array.from(sceneOf(cube).subarray(0, EDGE)));
  }
});
