import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { FolderCubeStore } from './folder-cube-store.ts';
import { closeSealedLogs } from './log-closing.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'groundwatch-closing-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('large logs are closed in a thread while scenes are appended, and large reads in a thread equal small ones', async (t) => {
  const path = folder(t);
  const spec = { width: 1200, height: 900, sampleType: 'int16' } as const;
  const pixels = spec.width * spec.height;
  const sample = (scene: number, pixel: number): number => ((pixel * 31 + scene * 7919) % 60_000) - 30_000;
  const store = new FolderCubeStore(path, { closeAt: 2 });
  t.after(() => store.close());
  await store.create('c', spec);
  // A log of two scenes has 4.3 MB, so it is closed in a thread. The last log stays open.
  for (let i = 0; i < 5; i++) {
    const samples = new Int16Array(pixels);
    for (let p = 0; p < pixels; p++) samples[p] = sample(i, p);
    await store.append('c', { key: `k${i}`, timeMs: i }, samples);
  }
  const { values } = await store.readStrip('c', 0, pixels);
  assert.equal(values.length, pixels * 5);
  for (let p = 0; p < pixels; p += 997) {
    for (let i = 0; i < 5; i++) assert.equal(values[p * 5 + i], sample(i, p));
    if (p % 99_700 === 0) {
      const strip = await store.readStrip('c', p, p + 1);
      assert.deepEqual(strip.values, values.slice(p * 5, p * 5 + 5));
    }
  }
  await store.close();
  assert.equal(readdirSync(join(path, 'c')).filter((name) => name.endsWith('.gws')).length, 2);
  assert.deepEqual((await store.readStrip('c', 0, pixels)).values, values);
});

test('if a log cannot be closed, the append that waits for it fails and names the file; later scenes are kept', async (t) => {
  const path = folder(t);
  const store = new FolderCubeStore(path, { closeAt: 2 });
  t.after(() => store.close());
  await store.create('c', { width: 8, height: 8, sampleType: 'int16' });
  const add = (i: number) => store.append('c', { key: `k${i}`, timeMs: i }, new Int16Array(64).fill(i));
  await add(0);
  await add(1);
  const log = join(path, 'c', 'open-000001.log');
  const bytes = readFileSync(log);
  bytes[bytes.length - 3]! ^= 2;
  writeFileSync(log, bytes);
  // After these appends two logs are sealed and the open log is full, so the next append must wait.
  for (let i = 2; i < 6; i++) await add(i);
  await assert.rejects(add(6), /open-000001\.log is damaged/);
  assert.ok(readdirSync(join(path, 'c')).every((name) => !name.endsWith('.gws')));
  assert.equal((await store.scenes('c')).length, 6);
  await store.repair('c', { width: 8, height: 8, sampleType: 'int16' });
  for (let i = 0; i < 8; i++) await add(i);
  await store.close();
  assert.deepEqual([...(await store.readStrip('c', 9, 10)).values], [0, 1, 2, 3, 4, 5, 6, 7]);
});

test('a log whose closing was interrupted by a crash is closed once, also by several processes at the same time', async (t) => {
  const path = folder(t);
  const store = new FolderCubeStore(path, { closeAt: 4 });
  await store.create('c', { width: 8, height: 8, sampleType: 'int16' });
  for (let i = 0; i < 4; i++)
    await store.append('c', { key: `k${i}`, timeMs: i }, new Int16Array(64).fill(i));
  await store.close();
  const cube = join(path, 'c');
  const before = readFileSync(join(cube, 'manifest.json'));
  const log = readFileSync(join(cube, 'open-000001.log'));
  await store.append('c', { key: 'k4', timeMs: 4 }, new Int16Array(64).fill(4));
  await store.close();
  // Restores the state after a crash in which the segment was written, but not the new manifest.
  for (const name of readdirSync(cube)) rmSync(join(cube, name));
  writeFileSync(join(cube, 'manifest.json'), before);
  writeFileSync(join(cube, 'open-000001.log'), log);
  writeFileSync(join(cube, 'segment-000003.gws'), 'left');
  const again = new FolderCubeStore(path, { closeAt: 4 });
  await again.append('c', { key: 'k4', timeMs: 4 }, new Int16Array(64).fill(4));
  await Promise.all([closeSealedLogs(cube, 5000), closeSealedLogs(cube, 5000), again.close()]);
  assert.deepEqual([...(await again.readStrip('c', 0, 1)).values], [0, 1, 2, 3, 4]);
  await again.close();
  assert.deepEqual(readdirSync(cube).toSorted(), ['manifest.json', 'open-000002.log', 'segment-000003.gws']);
});
