import assert from 'node:assert/strict';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import { FolderCubeStore } from '../folder-cube-store.ts';
import { PART_SUFFIX } from '../state-file.ts';
import { copiesIn } from './cached-copies.ts';
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
