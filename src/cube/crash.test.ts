import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash } from 'node:crypto';
import { FolderCubeStore } from './folder-cube-store.ts';

const SPEC = { width: 300, height: 200, sampleType: 'int16' } as const;
const PIXELS = SPEC.width * SPEC.height;
const KILLS = 12;

/** Program that appends scenes until it is killed. When a scene is stored, it prints the scene's number and digest. */
const APPEND_LOOP = `
  import { writeSync } from 'node:fs';
  import { FolderCubeStore } from ${JSON.stringify(new URL('folder-cube-store.ts', import.meta.url).href)};
  const store = new FolderCubeStore(process.argv[1], { closeAt: 4 });
  for (let i = Number(process.argv[2]); ; i++) {
    const samples = new Int16Array(${PIXELS}).map((_, p) => p * 31 + i * 7);
    const { sha256 } = await store.append('c', { key: 'k' + i, timeMs: i }, samples);
    writeSync(1, i + ' ' + sha256 + '\\n');
  }
`;

test(`after ${KILLS} kills (-9) of a process that appends and closes logs, every acknowledged scene exists with its digest`, async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'groundwatch-crash-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const first = new FolderCubeStore(path);
  await first.create('c', SPEC);
  await first.close();
  const acknowledged = new Map<string, string>();
  for (let kill = 0; kill < KILLS; kill++) {
    const start = kill * 1000;
    const child = spawn(process.execPath, ['--input-type=module', '-e', APPEND_LOOP, path, String(start)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(child.stdout, 'data');
    await sleep(Math.random() * 40);
    child.kill('SIGKILL');
    await once(child, 'close');
    for (const line of output.split('\n').slice(0, -1)) {
      const [i, sha256] = line.split(' ');
      acknowledged.set(`k${i}`, sha256!);
    }
  }
  const store = new FolderCubeStore(path, { closeAt: 4 });
  t.after(() => store.close());
  const { scenes, values } = await store.readStrip('c', 0, PIXELS);
  const stored = new Map(scenes.map((scene, i) => [scene.key, { scene, i }]));
  assert.ok(acknowledged.size >= KILLS);
  for (const [key, sha256] of acknowledged) {
    assert.equal(stored.get(key)?.scene.sha256, sha256, `scene ${key} was acknowledged`);
  }
  // A scene that was not acknowledged is either complete or absent.
  for (const { scene, i } of stored.values()) {
    const samples = new Int16Array(PIXELS);
    for (let p = 0; p < PIXELS; p++) {
      const value = values[p * scenes.length + i]!;
      samples[p] = Number.isNaN(value) ? -32768 : value;
    }
    assert.equal(hash('sha256', Buffer.from(samples.buffer)), scene.sha256, `the samples of ${scene.key}`);
  }
  // The next writer deletes files that the killed writers left.
  await store.append('c', { key: 'last', timeMs: 1e9 }, new Int16Array(PIXELS));
  await store.close();
  const names = readdirSync(join(path, 'c'));
  assert.deepEqual(
    names.filter((name) => name.endsWith('.tmp') || name.endsWith('.lock')),
    [],
  );
  assert.equal(names.filter((name) => name.endsWith('.log')).length, 1);
});
