import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const STORE = new URL('../../src/cube/folder-cube-store.ts', import.meta.url).href;

/**
 * Program that appends scenes to a cube on a small disk until an append fails, three times. The first append fails
 * because the scene does not fit, the second because a full log cannot be closed on the full disk. Then another file is
 * deleted, and scenes are appended until the disk is full again.
 */
const FILL = `
  import { statfsSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
  import { FolderCubeStore } from ${JSON.stringify(STORE)};
  const disk = process.argv[2];
  writeFileSync(disk + '/other', Buffer.alloc(1_500_000, 1));
  const open = () => new FolderCubeStore(disk + '/cubes', { closeAt: 4 });
  let store = open();
  await store.create('c', { width: 200, height: 200, sampleType: 'int16' });
  const acknowledged = [];
  const refusals = [];
  const fill = async () => {
    for (let i = 0; i < 200; i++) {
      const key = 'k' + acknowledged.length;
      const samples = new Int16Array(40_000).map((_, p) => (p * 7919 + acknowledged.length * 104_729) % 30_000);
      try {
        const { sha256 } = await store.append('c', { key, timeMs: acknowledged.length }, samples);
        acknowledged.push([key, sha256]);
      } catch (error) {
        refusals.push({ name: error.name, code: error.code, message: error.message });
        return;
      }
    }
  };
  const look = async () => {
    await store.close();
    store = open();
    const { scenes } = await store.readStrip('c', 0, 40_000);
    return { scenes: scenes.map(({ key, sha256 }) => [key, sha256]), damage: await store.check('c') };
  };
  await fill();
  const first = { acknowledged: acknowledged.length, ...(await look()) };
  await fill();
  rmSync(disk + '/other');
  await fill();
  const last = { acknowledged: acknowledged.length, ...(await look()) };
  await store.close();
  process.stdout.write(JSON.stringify({ refusals, acknowledged, first, last }));
`;

interface Told {
  readonly refusals: readonly {
    readonly name: string;
    readonly code: string;
    readonly message: string;
  }[];
  readonly acknowledged: readonly (readonly [string, string])[];
  readonly first: {
    readonly acknowledged: number;
    readonly scenes: readonly unknown[];
    readonly damage: readonly string[];
  };
  readonly last: Told['first'];
}

test('on a full disk (a tmpfs of 4 MB) a scene is refused by the file and the reason, what was acknowledged stays whole, and with room it goes on', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-full-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const inside = (command: string) =>
    spawnSync('unshare', ['-rm', 'sh', '-c', `mount -t tmpfs -o size=4m none ${folder} && ${command}`], {
      encoding: 'utf8',
      input: FILL,
    });
  if (inside('true').status !== 0) {
    t.skip('skipped: this system lets nobody mount a small disk (unshare -rm)');
    return;
  }
  const run = inside(`"${process.execPath}" --input-type=module - "${folder}"`);
  assert.equal(run.status, 0, run.stderr);
  const told = JSON.parse(run.stdout) as Told;
  for (const { code, message } of told.refusals) {
    assert.equal(code, 'ENOSPC', message);
    assert.match(message, /cubes\/c\/.*ENOSPC/);
  }
  assert.equal(told.refusals.length, 3);
  assert.ok(told.first.acknowledged >= 8);
  assert.ok(told.last.acknowledged > told.first.acknowledged);
  assert.deepEqual(told.first.scenes, told.acknowledged.slice(0, told.first.acknowledged));
  assert.deepEqual(told.last.scenes, told.acknowledged);
  assert.deepEqual([...told.first.damage, ...told.last.damage], []);
});
