import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderCubeStore } from './folder-cube-store.ts';

test('an array of the caller is filled if it fits, whatever it held, and else is left alone', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'groundwatch-strip-'));
  const cube = new FolderCubeStore(root, { closeAt: 2 });
  t.after(async () => {
    await cube.close();
    await rm(root, { recursive: true });
  });
  await cube.create('c', { width: 4, height: 1, sampleType: 'int16' });
  // The first two scenes become a segment; the last one stays in the log. -32768 is a missing sample.
  for (const [t2, values] of [
    [1, -32_768, 3, 4],
    [5, 6, 7, 8],
    [9, 10, -32_768, 12],
  ].entries())
    await cube.append('c', { key: String(t2), timeMs: t2 }, Int16Array.from(values));
  const expected = [Number.NaN, 6, 10, 3, 7, Number.NaN];
  const fitting = new Float32Array(6).fill(77);
  const { values } = await cube.readStrip('c', 1, 3, fitting);
  assert.equal(values, fitting);
  assert.deepEqual([...values], expected);
  for (const other of [new Float32Array(5).fill(77), new Float64Array(6).fill(77)]) {
    const read = await cube.readStrip('c', 1, 3, other);
    assert.deepEqual([...read.values], expected);
    assert.ok(other.every((value) => value === 77));
  }
});

test('samples of an int16 cube are read as they are stored, from segments and logs', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'groundwatch-samples-'));
  const cube = new FolderCubeStore(root, { closeAt: 2 });
  t.after(async () => {
    await cube.close();
    await rm(root, { recursive: true });
  });
  await cube.create('c', { width: 4, height: 1, sampleType: 'int16' });
  for (const [t2, values] of [
    [1, -32_768, 32_767, 4],
    [5, -1, 255, 256],
    [9, 10, -32_768, -32_767],
  ].entries())
    await cube.append('c', { key: String(t2), timeMs: t2 }, Int16Array.from(values));
  await cube.settle('c');
  const into = new Int16Array(9).fill(77);
  const scenes = await cube.readSamples('c', 1, 4, into);
  assert.deepEqual(scenes, await cube.scenes('c'));
  assert.deepEqual([...into], [-32_768, -1, 10, 32_767, 255, -32_768, 4, 256, -32_767]);
  const other = new Int16Array(8).fill(77);
  await cube.readSamples('c', 1, 4, other);
  assert.ok(other.every((value) => value === 77));
  await assert.rejects(cube.readSamples('c', 1, 5, into), RangeError);
  await cube.create('f', { width: 4, height: 1, sampleType: 'float32' });
  await assert.rejects(cube.readSamples('f', 0, 4, into), RangeError);
});
