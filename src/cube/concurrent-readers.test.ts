import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as breathe } from 'node:timers/promises';
import { FolderCubeStore } from './folder-cube-store.ts';

const SPEC = { width: 70, height: 50, sampleType: 'int16' } as const;
const PIXELS = SPEC.width * SPEC.height;
const APPENDS = 120;

/**
 * Program that appends, replaces and removes scenes. Sample `p` of version `v` of scene `k<n>` is
 * `n * 100 + v * 10 + p % 7`.
 */
const WRITER = `
  import { FolderCubeStore } from ${JSON.stringify(new URL('folder-cube-store.ts', import.meta.url).href)};
  const store = new FolderCubeStore(process.argv[1], { closeAt: 4 });
  for (let i = 0; i < ${APPENDS}; i++) {
    const [n, v] = [(i * 7) % 40, Math.floor(i / 40)];
    if (i % 11 === 5) await store.removeScenes('c', ['k' + ((i * 3) % 40)]);
    const samples = new Int16Array(${PIXELS}).map((_, p) => n * 100 + v * 10 + (p % 7));
    await store.append('c', { key: 'k' + n, timeMs: n }, samples);
  }
  await store.close();
`;

test('while another process writes and closes logs, a reader always sees complete scenes in order of time', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'groundwatch-readers-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const store = new FolderCubeStore(path, { cacheBytes: 100_000 });
  t.after(() => store.close());
  await store.create('c', SPEC);
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, path], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  const sizes = new Set<number>();
  for (let round = 0; child.exitCode === null && child.signalCode === null; round++) {
    const from = (round * 613) % (PIXELS - 300);
    const { scenes, values } = await store.readStrip('c', from, from + 300);
    sizes.add(scenes.length);
    for (const [k, { key, timeMs }] of scenes.entries()) {
      assert.ok(k === 0 || scenes[k - 1]!.timeMs < timeMs);
      const n = Number(key.slice(1));
      const first = values[k]! - (from % 7);
      assert.ok([0, 10, 20].includes(first - n * 100), `${key} holds ${first}`);
      for (let p = 0; p < 300; p++) assert.equal(values[p * scenes.length + k], first + ((from + p) % 7));
    }
    await breathe();
  }
  assert.deepEqual(await ended, [0, null]);
  assert.ok(sizes.size > 10, `only ${sizes.size} states were seen`);
  assert.deepEqual(await store.check('c'), []);
});
