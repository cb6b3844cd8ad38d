import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isPostmasterOf } from '../../src/store/server/postmaster.ts';
import { PROGRAM } from '../fixtures/program.ts';

const POLL_MS = 10; // time between checks of the pid file; creating the database of a command takes much longer

// This test takes seconds, because it starts a real database server and checks that the server does not keep running.
test('a command that is interrupted ends as by its signal and leaves no database server behind', async (t) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'groundwatch-interrupted-')));
  await chmod(folder, 0o755); // PostgreSQL runs as another user when the tests run as root
  t.after(() => rm(folder, { recursive: true, force: true }));
  const cluster = join(folder, 'data/postgres/server/cluster');
  const pidFile = join(cluster, 'postmaster.pid');
  const child = spawn(process.execPath, [PROGRAM, 'accounts', 'list'], {
    env: { ...process.env, GROUNDWATCH_DATA: join(folder, 'data'), DATABASE_URL: undefined },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'close');
  let pid = Number.NaN;
  while (Number.isNaN(pid) && child.exitCode === null) {
    await pause(POLL_MS);
    pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  }
  assert.ok(await isPostmasterOf(pid, cluster), said);
  child.kill('SIGINT');
  assert.deepEqual(await ended, [130, null], said); // 128 + 2 (SIGINT)
  // Its process id can exist for a moment longer, until the system has collected the ended process.
  assert.equal(await isPostmasterOf(pid, cluster), false);
  assert.doesNotMatch(said, /groundwatch accounts list:/);
});
