import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { adviceOnLog, logTail } from './postmaster.ts';
import { checkLimits } from './process-limits.ts';

/** The limits of a process as Linux writes them. */
const limitsOf = (fileSize: string, openFiles: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units     
Max cpu time              unlimited            unlimited            seconds   
Max file size             ${fileSize.padEnd(20)} unlimited            bytes     
Max open files            ${openFiles.padEnd(20)} 1048576              files     
`;

test('limits under which the database server would end again and again are refused with what to do', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'gw-limits-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'limits');
  const check = async (fileSize: string, openFiles: string): Promise<void> => {
    await writeFile(file, limitsOf(fileSize, openFiles));
    await checkLimits(file);
  };
  await check('unlimited', '256');
  await check('1073741824', 'unlimited');
  await assert.rejects(check('1048576', '1024'), /files may have 1048576 bytes here.*ulimit -f unlimited/);
  await assert.rejects(check('unlimited', '64'), /64 files and connections open here.*ulimit -n 4096/);
  await checkLimits(join(folder, 'missing')); // another system
  await checkLimits();
});

test('the end of a log leaves out who connected too early', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'gw-log-'));
  t.after(() => rm(folder, { recursive: true }));
  const logFile = join(folder, 'server.log');
  const early = '2026-11-30 11:22:20.865 UTC [13718] FATAL:  the database system is in recovery mode\n';
  await writeFile(logFile, `LOG:  server process was terminated by signal 25\n${early.repeat(50)}`);
  assert.equal(await logTail({ logFile }), 'LOG:  server process was terminated by signal 25');
});

test('a small /dev/shm is named, since the log speaks of a full device', () => {
  const log =
    'FATAL:  could not resize shared memory segment "/PostgreSQL.7" to 1048576 bytes: No space left on device';
  assert.match(adviceOnLog(log), /^\n\/dev\/shm is too small: .*--shm-size=64m/);
  assert.equal(adviceOnLog('FATAL:  could not open file'), '');
});
