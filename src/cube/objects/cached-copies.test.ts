import assert from 'node:assert/strict';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import { FolderCubeStore } from '../folder-cube-store.ts';
import { PART_SUFFIX } from '../state-file.ts';
import { clearCopy, copiesIn, makeRoom, MARK } from './cached-copies.ts';
import { MANIFEST_NAME } from '../manifest.ts';
import { ObjectCubeStore } from './object-cube-store.ts';

const SCENE = Int16Array.from({ length: 40 * 30 }, (_, pixel) => (pixel * 31) % 9000);

test('what a killed writer of a state left keeps its copy for a minute, and others are deleted instead', async (t) => {
  if (noObjectServer !== false) return t.skip(noObjectServer);
  const root = await mkdtemp(join(tmpdir(), 'groundwatch-left-part-'));
  const server = await ObjectServer.start(join(root, 'objects'));
  const opened: ObjectCubeStore[] = [];
  const node = (cacheBytes: number): ObjectCubeStore => {
    const store = new ObjectCubeStore({ place: server.place, cache: join(root, 'left'), cacheBytes });
    opened.push(store);
    return store;
  };
  t.after(async () => {
    for (const each of opened) await each.close();
    await server.stop();
    await rm(root, { recursive: true, force: true });
  });

  const one = node(1e9);
  for (const [name, scenes] of [
    ['left', 12],
    ['other', 10],
  ] as const) {
    await one.create(name, { width: 40, height: 30, sampleType: 'int16' });
    for (let i = 0; i < scenes; i++) await one.append(name, { key: `s${i}`, timeMs: i * 86_400_000 }, SCENE);
  }
  const bytesOf = async (cube: string): Promise<number> => {
    const copies = await copiesIn(join(root, 'left'));
    return copies.find(({ name }) => name === basename(folderOf(cube)))!.bytes;
  };
  const folderOf = (cube: string): string => new FolderCubeStore(join(root, 'left')).folderOf(cube);
  const part = join(folderOf('left'), `a${PART_SUFFIX}`);
  writeFileSync(part, 'half of a state');
  const touch = (path: string, ageMs: number): void => {
    const time = new Date(Date.now() - ageMs);
    utimesSync(path, time, time);
  };
  for (const file of readdirSync(folderOf('left'))) touch(join(folderOf('left'), file), 30_000);
  const [before, after] = [await bytesOf('left'), await bytesOf('other')];
  assert.ok(before > after);
  await node(before).trim(0);
  assert.equal(await bytesOf('left'), before);
  assert.ok((await bytesOf('other')) < after);
  touch(part, 120_000);
  await node(0).trim(0);
  assert.ok((await bytesOf('left')) < before);
  assert.ok(!existsSync(part));
});

test('a deletion that stops half way leaves nothing that is taken for a copy', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'groundwatch-half-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  // A folder in the copy cannot be deleted like a file: there the deletion stops.
  for (let i = 0; i < 20; i++) await mkdir(join(root, `folder-${i}`));
  for (const name of ['log', MARK, MANIFEST_NAME]) await writeFile(join(root, name), 'content');
  await assert.rejects(clearCopy(root), { code: 'ERR_FS_EISDIR' });
  assert.deepEqual([existsSync(join(root, MARK)), existsSync(join(root, MANIFEST_NAME))], [false, false]);
});

test('where the system refuses to write although blocks are free, a quarter of the copies goes', async (t) => {
  const cache = await mkdtemp(join(tmpdir(), 'groundwatch-quota-'));
  t.after(() => rm(cache, { recursive: true, force: true }));
  for (let i = 0; i < 8; i++) {
    await mkdir(join(cache, `c${i}`));
    await writeFile(join(cache, `c${i}`, 'log'), Buffer.alloc(1000));
    utimesSync(join(cache, `c${i}`, 'log'), i + 1, i + 1);
  }
  const left = async (): Promise<string[]> =>
    (await copiesIn(cache)).filter(({ bytes }) => bytes > 0).map(({ name }) => name);
  await makeRoom({ cache, cacheBytes: Infinity });
  assert.equal((await left()).length, 8);
  await makeRoom({ cache, cacheBytes: Infinity }, true);
  assert.deepEqual(await left(), ['c2', 'c3', 'c4', 'c5', 'c6', 'c7']);
});
