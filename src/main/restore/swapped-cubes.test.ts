import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SwappedCubes } from './swapped-cubes.ts';

test('cubes are swapped, and put back when the rows cannot be written', async (t) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'groundwatch-swapped-'));
  t.after(() => rm(dataFolder, { recursive: true }));
  const stage = join(dataFolder, 'stage');
  const put = async (folder: string, text: string): Promise<void> => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'log'), text);
  };
  const read = (name: string): Promise<string> =>
    readFile(join(dataFolder, 'cubes', name, 'log'), 'utf8').catch(() => 'none');
  await put(join(dataFolder, 'cubes/a'), 'a now');
  await put(join(dataFolder, 'cubes/other'), 'other');
  for (const name of ['a', 'b']) await put(join(stage, 'cubes', name), `${name} then`);
  const cubes = new SwappedCubes({ dataFolder, objects: undefined }, stage);
  await cubes.swap();
  assert.deepEqual([...cubes.names].toSorted(), ['a', 'b']);
  assert.deepEqual([await read('a'), await read('b'), await read('other')], ['a then', 'b then', 'other']);
  await cubes.undo();
  assert.deepEqual([await read('a'), await read('b'), await read('other')], ['a now', 'none', 'other']);
  assert.deepEqual(cubes.names, []);
  await cubes.swap();
  cubes.settle();
  await cubes.undo();
  assert.deepEqual([await read('a'), await read('b')], ['a then', 'b then']);
});
