import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FolderCubeStore } from './folder-cube-store.ts';
import { STATE_NAME } from './state-file.ts';

const SPEC = { width: 4, height: 2, sampleType: 'int16' } as const;
let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'groundwatch-state-'));
});
after(async () => {
  await rm(root, { recursive: true });
});

const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text));
const text = (part: Uint8Array): string => Buffer.from(part).toString();

async function save(store: FolderCubeStore, heading: string, part: string): Promise<void> {
  const writer = await store.writeState('c', 100, 'it');
  await writer.add('first', bytes(part));
  await writer.add('second', bytes(`${part} again`));
  await writer.commit(heading);
}

test('a state can be opened when it is committed, and stays until the next one is committed', async () => {
  const store = new FolderCubeStore(root);
  await store.create('c', SPEC);
  assert.equal(await store.openState('c'), undefined);
  await save(store, 'one', 'of one');
  const one = (await store.openState('c'))!;
  assert.equal(one.heading, 'one');
  assert.equal(text(await one.part('second')), 'of one again');
  await assert.rejects(one.part('third'), { message: 'the saved state has no part third' });
  const given = await store.writeState('c', 100, 'it');
  await given.add('first', bytes('given up'));
  await given.discard();
  await save(store, 'two', 'of two');
  // A reader of the old state can still read all of it.
  assert.equal(text(await one.part('first')), 'of one');
  await one.close();
  const two = (await store.openState('c'))!;
  assert.equal(two.heading, 'two');
  assert.equal(text(await two.part('first')), 'of two');
  await two.close();
  await assert.rejects(store.writeState('no such cube', 100, 'it'), { name: 'NotFound' });
  await store.remove('c');
  assert.equal(await store.openState('c'), undefined);
});

test('a commit that failed after the file was closed can be tried again', async () => {
  const store = new FolderCubeStore(root);
  await store.create('again', SPEC);
  const path = join(store.folderOf('again'), STATE_NAME);
  const writer = await store.writeState('again', 100, 'it');
  await writer.add('first', bytes('whole'));
  await mkdir(path); // stands in for a folder that has no space for a name
  await assert.rejects(writer.commit('it'), { syscall: 'rename' });
  await rm(path, { recursive: true });
  await writer.commit('it');
  const state = (await store.openState('again'))!;
  assert.equal(text(await state.part('first')), 'whole');
  await state.close();
});

test('a state that was truncated anywhere, or whose index was altered, is ignored', async () => {
  const store = new FolderCubeStore(root);
  await store.create('c', SPEC);
  await save(store, 'whole', 'of it');
  const path = join(root, 'c', 'monitoring.state');
  const whole = await readFile(path);
  for (let length = 0; length < whole.length; length++) {
    await writeFile(path, whole.subarray(0, length));
    assert.equal(await store.openState('c'), undefined, `${length} of ${whole.length} bytes`);
  }
  const altered = Buffer.from(whole);
  altered[altered.indexOf('whole')]! ^= 1;
  await writeFile(path, altered);
  assert.equal(await store.openState('c'), undefined);
  await store.remove('c');
});

test('an unfinished state of a crashed process is deleted a day later', async () => {
  const store = new FolderCubeStore(root);
  await store.create('c', SPEC);
  const left = join(root, 'c', 'left.state-part');
  const fresh = join(root, 'c', 'fresh.state-part');
  await writeFile(left, 'half');
  await writeFile(fresh, 'half');
  const longAgo = new Date(Date.now() - 2 * 86_400_000);
  await utimes(left, longAgo, longAgo);
  await save(store, 'whole', 'of it');
  const names = await readdir(join(root, 'c'));
  assert.ok(!names.includes('left.state-part'));
  assert.ok(names.includes('fresh.state-part'));
  await store.remove('c');
});

test('a state that would fill the disk is refused', async () => {
  const store = new FolderCubeStore(root);
  await store.create('c', SPEC);
  await assert.rejects(store.writeState('c', 1e18, 'it'), /would take too much of the free disk space$/);
  assert.ok(!(await readdir(join(root, 'c'))).some((name) => name.endsWith('.state-part')));
  await store.remove('c');
});
