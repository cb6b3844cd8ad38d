import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { InstalledLayer } from '../app/layers/layer-shelf.ts';
import { addMadeLayer } from '../app/layers/add-layer.ts';
import { FolderCubeStore } from '../cube/folder-cube-store.ts';
import type { Grid } from '../geo/grid.ts';
import { FolderLayerShelf } from '../sources/layers/folder-layer-shelf.ts';
import { keptFiles } from './kept-files.ts';

const GRID: Grid = {
  crs: 'EPSG:4326',
  proj4: '',
  width: 2,
  height: 2,
  transform: [14, 0.01, 0, 46.02, 0, -0.01],
};
const SPEC = { width: 2, height: 2, sampleType: 'int16' } as const;

/**
 * Copies the files that a backup of a data folder contains. Calls `meanwhile` after the files of a cube are opened and
 * before they are read.
 */
async function copyFiles(from: string, to: string, meanwhile: () => Promise<void>): Promise<void> {
  let waiting: (() => Promise<void>) | undefined = meanwhile;
  for await (const { name, size, content } of keptFiles(from)) {
    await waiting?.();
    waiting = undefined;
    const path = join(to, name.slice('data/'.length));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    const copied = await open(path);
    assert.equal((await copied.stat()).size, size, name);
    await copied.close();
  }
}

test('a layer that is replaced during the backup is complete in the backup, and its new version is not in it', async (t) => {
  const [from, to] = await folders(t);
  const shelf = new FolderLayerShelf({ folder: join(from, 'layers'), catalogues: [] });
  const deps = { clock: { now: () => 0 }, shelf };
  const add = (value: number, replace: boolean) =>
    addMadeLayer(deps, {
      layer: 'test-depth',
      version: 'v1',
      from: 'made',
      replace,
      raster: { grid: GRID, samples: new Float32Array(4).fill(value) },
    });
  await add(1, false);
  await mkdir(join(from, 'layers', 'shipped'));
  await writeFile(join(from, 'layers', 'shipped', 'band.gwl'), 'made at a start');
  await copyFiles(from, to, async () => void (await add(2, true)));
  const copy = new FolderLayerShelf({ folder: join(to, 'layers'), catalogues: [] });
  for await (const { problem } of copy.check()) assert.equal(problem, null);
  const [{ pieces }] = (await copy.installed()) as [InstalledLayer];
  assert.deepEqual(
    await readdir(join(to, 'layers', 'files')),
    pieces.map(({ file }) => file),
  );
  const kept = (await readdir(join(to, 'layers'))).toSorted();
  assert.deepEqual(kept, ['catalogue.json', 'files'], 'without what a start makes of the shipped layers');
});

async function folders(t: { after(end: () => Promise<void>): void }): Promise<readonly [string, string]> {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-kept-'));
  t.after(() => rm(folder, { recursive: true }));
  return [join(folder, 'from'), join(folder, 'to')];
}

const append = (store: FolderCubeStore, i: number) =>
  store.append('one', { key: `scene-${i}`, timeMs: i }, new Int16Array(4).fill(i));

test('scenes that are appended while a cube is read are not in the backup, and all earlier scenes are complete', async (t) => {
  const [from, to] = await folders(t);
  const store = new FolderCubeStore(join(from, 'cubes'), { closeAt: 4 });
  await store.create('one', SPEC);
  for (let i = 0; i < 6; i++) await append(store, i);
  await copyFiles(from, to, async () => {
    // These scenes are appended to the log that is being copied. The log is then closed and deleted.
    for (let i = 6; i < 15; i++) await append(store, i);
  });
  await store.close();
  const copy = new FolderCubeStore(join(to, 'cubes'));
  t.after(() => copy.close());
  assert.deepEqual(await copy.check('one'), []);
  const { scenes, values } = await copy.readStrip('one', 0, 1);
  assert.deepEqual(
    scenes.map(({ key }) => key),
    ['scene-0', 'scene-1', 'scene-2', 'scene-3', 'scene-4', 'scene-5'],
  );
  assert.deepEqual([...values], [0, 1, 2, 3, 4, 5]);
});

test('an unfinished append may be cut off while a log is read; temporary files and locks are not backed up', async (t) => {
  const [from, to] = await folders(t);
  const store = new FolderCubeStore(join(from, 'cubes'));
  await store.create('one', SPEC);
  await append(store, 0);
  await store.close();
  const folder = join(from, 'cubes', 'one');
  const log = (await readdir(folder)).find((name) => name.endsWith('.log'))!;
  await writeFile(join(folder, log), Buffer.alloc(100_000, 7), { flag: 'a' });
  for (const draft of ['a.tmp', 'b.state-part']) await writeFile(join(folder, draft), 'half');
  const next = new FolderCubeStore(join(from, 'cubes'));
  await copyFiles(from, to, async () => void (await append(next, 1)));
  await next.close();
  assert.deepEqual(await readdir(join(to, 'cubes', 'one')), ['manifest.json', log].toSorted());
  const copy = new FolderCubeStore(join(to, 'cubes'));
  t.after(() => copy.close());
  assert.deepEqual([...(await copy.readStrip('one', 0, 1)).values], [0]);
});
