import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderCubeStore, openCubes } from './folder-cube-store.ts';

/** Seven frames of 2,048 samples, the last of them short: a block has four. */
const WIDTH = 128;
const HEIGHT = 100;
const PIXELS = WIDTH * HEIGHT;

function scene(t: number): Int16Array {
  return Int16Array.from({ length: PIXELS }, (_, p) => ((p * 31 + t * 977) % 20_000) - 10_000);
}

test('a reader without a cache reads what was written, in any order, while scenes come and go', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'groundwatch-frames-'));
  const cube = new FolderCubeStore(root);
  const reader = openCubes(root);
  t.after(async () => {
    await reader.close();
    await cube.close();
    await rm(root, { recursive: true });
  });
  await cube.create('c', { width: WIDTH, height: HEIGHT, sampleType: 'int16' });
  const live = new Set<number>();
  const add = async (time: number): Promise<void> => {
    await cube.append('c', { key: String(time), timeMs: time }, scene(time));
    live.add(time);
  };
  const agrees = async (from: number, to: number): Promise<void> => {
    const { values } = await reader.readStrip('c', from, to);
    const scenes = [...live].map(scene);
    const expected = Array.from({ length: to - from }, (_, p) => scenes.map((its) => its[from + p]!)).flat();
    assert.equal(values.length, expected.length);
    const wrong = expected.findIndex((value, i) => value !== values[i]);
    assert.equal(wrong, -1, `pixels ${from} to ${to} of ${scenes.length} scenes`);
  };
  for (const time of [1, 2, 3]) await add(time);
  for (const [from, to] of [
    [0, PIXELS],
    [12_700, PIXELS],
    [2047, 2050],
    [8190, 8300],
    [0, 5],
  ] as const)
    await agrees(from, to);
  await add(4);
  await agrees(3, 7); // the block of the frame was read before the scene came
  await cube.removeScenes('c', ['2']);
  live.delete(2);
  await agrees(4, 9);
  await agrees(8000, 9000);
});
