import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderCubeStore } from './folder-cube-store.ts';

const PIXELS = 64;

test('a removed scene is gone at once, from the segments after the next closing, and can be appended again', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-removal-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  let store = new FolderCubeStore(root, { closeAt: 4 });
  const other = new FolderCubeStore(root, { closeAt: 4 });
  t.after(() => Promise.all([store.close(), other.close()]));
  await store.create('c', { width: 8, height: 8, sampleType: 'int16' });
  const add = (key: string, value: number) =>
    store.append('c', { key, timeMs: Number(key.slice(1)) }, new Int16Array(PIXELS).fill(value));
  for (let i = 0; i < 9; i++) await add(`k${i}`, i);
  await store.close();
  store = new FolderCubeStore(root, { closeAt: 4 });
  const segmentKeys = (): string[] =>
    readdirSync(join(root, 'c'))
      .filter((name) => name.endsWith('.gws'))
      .flatMap((name) => [...readFileSync(join(root, 'c', name), 'latin1').matchAll(/"key":"(k\d+)"/g)])
      .map(([, key]) => key!);

  assert.deepEqual(await store.removeScenes('c', ['k1', 'k8', 'none', 'k1']), ['k1', 'k8']);
  assert.deepEqual(await store.removeScenes('c', ['k1']), []);
  for (const reader of [store, other]) {
    assert.deepEqual([...(await reader.readStrip('c', 3, 4)).values], [0, 2, 3, 4, 5, 6, 7]);
  }
  await add('k8', 80);
  assert.deepEqual([...(await other.readStrip('c', 3, 4)).values], [0, 2, 3, 4, 5, 6, 7, 80]);
  assert.ok(segmentKeys().includes('k1'));
  // The log is full. The next append seals it. When it is closed, the removed scene is deleted from the old segment.
  await add('k9', 9);
  await store.close();
  assert.deepEqual(segmentKeys().toSorted(), ['k0', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8']);
  const again = new FolderCubeStore(root, { closeAt: 4 });
  t.after(() => again.close());
  assert.deepEqual([...(await again.readStrip('c', 3, 4)).values], [0, 2, 3, 4, 5, 6, 7, 80, 9]);
  assert.deepEqual(
    (await again.scenes('c')).map(({ key }) => key),
    ['k0', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9'],
  );
  await again.append('c', { key: 'k1', timeMs: 1 }, new Int16Array(PIXELS).fill(11));
  assert.deepEqual([...(await again.readStrip('c', 3, 4)).values], [0, 11, 2, 3, 4, 5, 6, 7, 80, 9]);
});
