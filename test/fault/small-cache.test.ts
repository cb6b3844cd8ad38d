import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, utimesSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ObjectCubeStore, type ObjectCubesAt } from '../../src/cube/objects/object-cube-store.ts';
import { CACHE, makeRoomForStart } from '../../src/main/objects/cubes.ts';
import { noObjectServer, ObjectServer } from '../fixtures/object-server.ts';
import { uniform } from '../oracles/simulated-series.ts';

const EDGE = 1000; // 2 MB of samples in a scene
const CUBES = 14;
const SPEC = { width: EDGE, height: EDGE, sampleType: 'int16' } as const;
const STATE_BYTES = 1_000_000;

function sceneOf(cube: number): Int16Array {
  const next = uniform(cube);
  return Int16Array.from({ length: EDGE * EDGE }, () => Math.floor(next() * 60_000) - 30_000);
}

/** Cubes in objects, with copies on an empty disk of 16 MiB. Skips the test where there can be none. */
async function onSmallDisk(
  t: TestContext,
): Promise<{ readonly cubes: ObjectCubeStore; readonly at: ObjectCubesAt } | undefined> {
  if (noObjectServer !== false) {
    t.skip(noObjectServer);
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-small-cache-'));
  const cache = join(folder, CACHE);
  await mkdir(cache);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', cache]);
  if (mounted.status !== 0) {
    await rm(folder, { recursive: true });
    t.skip('a small disk needs root and mount');
    return undefined;
  }
  const server = await ObjectServer.start(join(folder, 'objects'));
  const at = { place: server.place, cache, cacheBytes: 20e9 };
  const cubes = new ObjectCubeStore(at);
  t.after(async () => {
    await cubes.close();
    await server.stop();
    spawnSync('umount', [cache]);
    await rm(folder, { recursive: true, force: true });
  });
  return { cubes, at };
}

/** Fills a disk to its last byte by a file that was last written two minutes ago. */
async function fill(path: string): Promise<void> {
  const file = openSync(path, 'w');
  for (let size = 2 ** 20; size >= 1;)
    try {
      writeSync(file, Buffer.alloc(size));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
      size /= 2;
    }
  closeSync(file);
  const time = Date.now() / 1000 - 120;
  utimesSync(path, time, time);
  assert.equal((await statfs(path)).bavail, 0);
}

test('copies of cubes make room for others on a disk that has room for some of them', async (t) => {
  const disk = await onSmallDisk(t);
  if (disk === undefined) return;
  const { cubes } = disk;
  for (let cube = 0; cube < CUBES; cube++) {
    await cubes.create(`cube-${cube}`, SPEC);
    await cubes.append(`cube-${cube}`, { key: 'a', timeMs: 0 }, sceneOf(cube));
  }
  for (let cube = 0; cube < CUBES; cube++) {
    const { values } = await cubes.readStrip(`cube-${cube}`, 0, EDGE);
    assert.deepEqual(Array.from(values), Array.from(sceneOf(cube).subarray(0, EDGE)));
  }
});

for (const [left, pathOf] of [
  ['a state that a killed writer left', (cube: string) => join(cube, 'left.state-part')],
  ['an unfinished file of a copy', (cube: string) => join(cube, 'left.tmp')],
  ['a copy that no cube belongs to', (cube: string) => join(cube, '../stray/left.log')],
] as const)
  test(`a disk without a free byte gets room from ${left}`, async (t) => {
    const disk = await onSmallDisk(t);
    if (disk === undefined) return;
    const { cubes, at } = disk;
    await cubes.create('kept', SPEC);
    await cubes.append('kept', { key: 'a', timeMs: 0 }, sceneOf(0));
    const [name] = await readdir(at.cache);
    await mkdir(join(at.cache, 'stray'));
    const full = (): Promise<void> => fill(pathOf(join(at.cache, name!)));

    await full();
    await cubes.create('other', { width: 10, height: 10, sampleType: 'int16' });
    await full();
    await cubes.append('kept', { key: 'b', timeMs: 1 }, sceneOf(1));
    await full();
    const writer = await cubes.writeState('kept', STATE_BYTES, 'a test');
    await writer.add('part', new Uint8Array(STATE_BYTES).fill(7));
    await writer.commit('of a and b');
    await full();
    const state = await cubes.openState('kept');
    assert.equal((await state!.part('part'))[STATE_BYTES - 1], 7);
    await state!.close();
    await full();
    const unit = await cubes.writeUnit('kept', 'search', 'unit');
    await unit.add('part', new Uint8Array(STATE_BYTES).fill(8));
    await unit.commit('one unit');
    await full();
    const found = await cubes.openUnit('kept', 'search', 'unit');
    assert.equal((await found!.part('part'))[0], 8);
    await found!.close();
    await full();
    await makeRoomForStart({
      dataFolder: dirname(at.cache),
      objects: { ...at.place, cacheBytes: at.cacheBytes },
      objectsFrom: undefined,
    });
    const { bavail, blocks } = await statfs(at.cache);
    assert.ok(bavail >= blocks / 4, `${bavail} of ${blocks} blocks are free`);
    assert.deepEqual(
      (await cubes.scenes('kept')).map(({ key }) => key),
      ['a', 'b'],
    );
    await full();
    await cubes.remove('kept');
    assert.deepEqual(await cubes.check('other'), []);
  });

test('a disk that something else fills is named, and used again when it has room', async (t) => {
  const disk = await onSmallDisk(t);
  if (disk === undefined) return;
  const { cubes, at } = disk;
  await cubes.create('kept', SPEC);
  await cubes.append('kept', { key: 'a', timeMs: 0 }, sceneOf(0));
  const [name] = await readdir(at.cache);
  await rm(join(at.cache, name!), { recursive: true });
  const filler = join(at.cache, 'filler');
  await fill(filler);
  await assert.rejects(cubes.readStrip('kept', 0, EDGE), {
    name: 'WriteFailed',
    code: 'ENOSPC',
    message: new RegExp(`${CACHE} cannot be written: ENOSPC`),
  });
  await rm(filler);
  const { values } = await cubes.readStrip('kept', 0, EDGE);
  assert.deepEqual(Array.from(values), Array.from(sceneOf(0).subarray(0, EDGE)));
});
