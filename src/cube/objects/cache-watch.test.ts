import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CacheWatch } from './cache-watch.ts';

test('on a disk short of space copies are looked at now and then, not at each use', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-watch-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status !== 0) {
    await rm(folder, { recursive: true });
    return t.skip('a small disk needs root and mount');
  }
  t.after(async () => {
    spawnSync('umount', [folder]);
    await rm(folder, { recursive: true, force: true });
  });
  await writeFile(join(folder, 'filler'), Buffer.alloc(900_000));
  // The watch measures time by this clock, which the test puts forward.
  const begun = performance.now();
  let aheadMs = 0;
  t.mock.method(performance, 'now', () => begun + aheadMs);
  const trims: number[] = [];
  const watch = new CacheWatch(folder, async (idleMs) => void trims.push(idleMs));
  for (let use = 0; use < 50; use++) await watch.used();
  assert.deepEqual(trims, [2_000]);
  aheadMs += 600;
  await watch.used();
  assert.deepEqual(trims, [2_000, 2_000]);
  await rm(join(folder, 'filler'));
  aheadMs += 600;
  await watch.used();
  assert.equal(trims.length, 2, 'there is space again');
});
