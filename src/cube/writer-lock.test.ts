import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  lutimesSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { WRITER_LOCK, WriterLock } from './writer-lock.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'groundwatch-lock-'));
  t.after(() => {
    spawnSync('umount', [path]); // if a disk is mounted there
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

/** Returns the id of a process that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

test('one holder at a time; the next one waits for the release, or fails and names the holder', async (t) => {
  const path = folder(t);
  const first = await WriterLock.take(path, WRITER_LOCK, 1000);
  await assert.rejects(WriterLock.take(path, WRITER_LOCK, 20), {
    name: 'UpstreamUnavailable',
    message: new RegExp(`written by process ${process.pid} `),
  });
  const second = WriterLock.take(path, WRITER_LOCK, 5000);
  first.release();
  (await second).release();
  assert.equal(existsSync(join(path, 'writer.lock')), false);
});

test('many concurrent callers get the lock one after another', async (t) => {
  const path = folder(t);
  let holders = 0;
  const turns = Array.from({ length: 8 }, async () => {
    const lock = await WriterLock.take(path, WRITER_LOCK, 5000);
    assert.equal(++holders, 1);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    holders--;
    lock.release();
  });
  await Promise.all(turns);
});

test('a lock of a process that has ended, or whose id is another process now, is taken over', async (t) => {
  const path = folder(t);
  const file = join(path, 'writer.lock');
  const host = hostname();
  const stale = [{ pid: endedProcess(), started: null, host }];
  // Where the system reports start times, a lock with the id of this process and another start time is stale too.
  if (existsSync('/proc/self/stat')) stale.push({ pid: process.pid, started: '1' as unknown as null, host });
  for (const holder of stale) {
    writeFileSync(file, JSON.stringify(holder));
    const lock = await WriterLock.take(path, WRITER_LOCK, 1000);
    assert.equal((JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number }).pid, process.pid);
    lock.release();
  }
});

test('a lock of another machine is valid until its file was not touched for two minutes', async (t) => {
  const path = folder(t);
  const file = join(path, 'writer.lock');
  writeFileSync(file, JSON.stringify({ pid: 1, started: null, host: `not-${hostname()}` }));
  await assert.rejects(WriterLock.take(path, WRITER_LOCK, 20), { name: 'UpstreamUnavailable' });
  const silent = new Date(Date.now() - 121_000);
  utimesSync(file, silent, silent);
  (await WriterLock.take(path, WRITER_LOCK, 1000)).release();
});

test('a holder touches its lock file for as long as it holds the lock', async (t) => {
  const path = folder(t);
  const file = join(path, 'writer.lock');
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lock = await WriterLock.take(path, WRITER_LOCK, 1000);
  const silent = new Date(Date.now() - 100_000);
  utimesSync(file, silent, silent);
  t.mock.timers.tick(30_000);
  assert.ok(Date.now() - statSync(file).mtimeMs < 60_000);
  rmSync(file); // as when the folder is removed
  t.mock.timers.tick(30_000);
  lock.release();
});

test('a release never removes the lock of another holder in a folder that was created again', async (t) => {
  const path = folder(t);
  const file = join(path, 'writer.lock');
  const mine = await WriterLock.take(path, WRITER_LOCK, 1000);
  rmSync(file);
  const others = await WriterLock.take(path, WRITER_LOCK, 1000);
  mine.release();
  assert.equal(existsSync(file), true);
  others.release();
  assert.equal(existsSync(file), false);
});

test('a guard file that a crash left is removed', async (t) => {
  const path = folder(t);
  writeFileSync(
    join(path, 'writer.lock'),
    JSON.stringify({ pid: endedProcess(), started: null, host: hostname() }),
  );
  const guard = join(path, 'writer.lock.guard');
  writeFileSync(guard, '');
  const old = new Date(Date.now() - 11_000);
  utimesSync(guard, old, old);
  (await WriterLock.take(path, WRITER_LOCK, 1000)).release();
  assert.equal(existsSync(guard), false);
});

test('on a disk without a free byte a lock is a link, which others respect, take over and do not release', async (t) => {
  const path = folder(t);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path]);
  if (mounted.status !== 0) return t.skip('a small disk needs root and mount');
  assert.throws(() => writeFileSync(join(path, 'filler'), new Uint8Array(2 ** 17)), { code: 'ENOSPC' });
  const file = join(path, 'writer.lock');
  const first = await WriterLock.take(path, WRITER_LOCK, 1000);
  const text = readlinkSync(file);
  assert.ok(Buffer.byteLength(text) < 60, text);
  assert.equal(WriterLock.tryTake(path, WRITER_LOCK), null);
  rmSync(join(path, 'filler'));
  await assert.rejects(WriterLock.take(path, WRITER_LOCK, 20), {
    message: new RegExp(`written by process ${process.pid} on ${hostname()}`),
  });
  first.touch();
  assert.ok(Date.now() - lstatSync(file).mtimeMs < 5000);
  first.release();
  assert.equal(lstatSync(file, { throwIfNoEntry: false }), undefined);

  // Links of a process that has ended, and of another machine.
  const [id, , , host] = text.split(':');
  symlinkSync([id, endedProcess(), '', host].join(':'), file);
  const second = await WriterLock.take(path, WRITER_LOCK, 1000);
  rmSync(file);
  symlinkSync([id, process.pid, '', 'elsewhere'].join(':'), file);
  second.release();
  await assert.rejects(WriterLock.take(path, WRITER_LOCK, 20), { message: /on another machine$/ });
  const silent = new Date(Date.now() - 121_000);
  lutimesSync(file, silent, silent);
  (await WriterLock.take(path, WRITER_LOCK, 1000)).release();
});
