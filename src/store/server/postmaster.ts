import { execFile, spawn } from 'node:child_process';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { openSync, closeSync, constants } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { errorCode } from '../connection/error-code.ts';
import { programFile, type PostgresBinaries } from './postgres-binaries.ts';
import type { PostgresHome } from './postgres-home.ts';
import { launchOptions } from './postgres-user.ts';
import { isAlive, newFolderName } from './unfinished-folder.ts';

const run = promisify(execFile);

/** Maximum size of the server log [bytes]. A larger log is renamed at the next start and replaces the older one. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;
/** Interval at which we check whether a server has ended [ms]. */
const STOP_POLL_MS = 10;

/** Contents of a server's file postmaster.pid. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Folder of the server's socket; empty when it listens on TCP only. */
  readonly socketFolder: string;
}

/** A server that this process started. */
export interface PostmasterChild {
  /** Whether the server process has ended, for example because another process had just started a server. */
  ended(): boolean;
}

/**
 * Server settings. With these sizes, the service and the database together use less than 250 MB PSS. The settings for
 * durability are PostgreSQL's defaults. They are set explicitly so that no configuration file can weaken them.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  cluster_name: 'groundwatch',
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '60',
  superuser_reserved_connections: '3',
  shared_buffers: '32MB',
  huge_pages: 'off',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  effective_cache_size: '256MB',
  wal_buffers: '1MB',
  min_wal_size: '32MB',
  max_wal_size: '256MB',
  max_wal_senders: '0',
  max_replication_slots: '0',
  max_logical_replication_workers: '0',
  io_method: 'sync', // a small database needs no pool of I/O processes
  autovacuum: 'on',
  autovacuum_max_workers: '2',
  autovacuum_worker_slots: '2',
  max_worker_processes: '2',
  max_parallel_workers: '2',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '1',
  jit: 'off', // compilation would take longer than our statements
};

/** Reads postmaster.pid; undefined when it is missing. The process that it describes may no longer exist. */
export async function readPostmaster(clusterFolder: string): Promise<Postmaster | undefined> {
  let text: string;
  try {
    text = await readFile(join(clusterFolder, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  // Lines: pid, data folder, start time, port, socket folder, listen address, ... They are added while the server
  // starts.
  const [pid = '', , , port = '', socketFolder = ''] = text.split('\n');
  return { pid: Math.abs(Number(pid)), port: Number(port), socketFolder };
}

/** Whether a process is the server of a cluster. A process id may have been reused by another program. */
export async function isPostmasterOf(pid: number, clusterFolder: string): Promise<boolean> {
  if (pid === 0 || !isAlive(pid)) return false;
  if (process.platform === 'win32') return true; // on Windows, PostgreSQL itself detects a reused process id
  // Checks the command line, since /proc/PID/cwd of another user is not readable in most containers, even for root.
  const command =
    process.platform === 'linux'
      ? readFile(`/proc/${pid}/cmdline`, 'utf8').then((text) => text.replaceAll('\0', ' '))
      : run('ps', ['-o', 'command=', '-p', String(pid)]).then(({ stdout }) => stdout);
  // If the process has just ended or is a zombie, its command line is missing or empty, and this returns false.
  return (await command.catch(() => '')).includes(` -D ${clusterFolder} `);
}

/**
 * Removes a postmaster.pid whose process id now belongs to another program (in a new container, ids start again at 1).
 * PostgreSQL would mistake that program for a server and refuse to start. If no process has this id, the file is kept.
 */
export async function removeStrangersLock(clusterFolder: string, pid: number): Promise<void> {
  if (!isAlive(pid)) return;
  const lock = join(clusterFolder, 'postmaster.pid');
  const aside = newFolderName(lock);
  await rename(lock, aside).catch(() => undefined);
  // If another process started a server in the meantime, the file belongs to the new server and is put back.
  const taken = await readFile(aside, 'utf8').catch(() => undefined);
  if (taken === undefined) return;
  if (Number.parseInt(taken, 10) === pid) await rm(aside);
  else await rename(aside, lock);
}

/** Starts the server in a new session, so that a Ctrl-C in the terminal does not stop the server. */
export async function spawnPostmaster(
  home: PostgresHome,
  binaries: PostgresBinaries,
  listen: { readonly socketFolder: string; readonly tcpPort: number | undefined },
  settings: Readonly<Record<string, string>>,
): Promise<PostmasterChild> {
  await setAsideLargeLog(home.logFile);
  const all: Record<string, string> = { ...SETTINGS, ...settings };
  if (listen.tcpPort === undefined) {
    all['listen_addresses'] = '';
    all['unix_socket_directories'] = `"${listen.socketFolder.replaceAll('"', '""')}"`;
    all['unix_socket_permissions'] = '0700';
    all['port'] = '5432';
  } else {
    all['listen_addresses'] = '127.0.0.1';
    all['unix_socket_directories'] = '';
    all['port'] = String(listen.tcpPort);
  }
  const log = openSync(
    home.logFile,
    constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0),
    0o600,
  );
  try {
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(programFile(binaries, 'postgres'), ['-D', home.clusterFolder, ...args], {
      ...launchOptions(home.user),
      detached: true,
      stdio: ['ignore', log, log],
    });
    let ended = false;
    child.once('exit', () => (ended = true));
    child.once('error', () => (ended = true));
    child.unref();
    return { ended: () => ended };
  } finally {
    closeSync(log);
  }
}

/**
 * Stops a server with PostgreSQL's fast shutdown and waits for its end.
 *
 * @returns false when it is still running after `timeoutMs`.
 */
export async function stopPostmaster(
  home: PostgresHome,
  binaries: PostgresBinaries,
  pid: number,
  timeoutMs: number,
): Promise<boolean> {
  if (process.platform === 'win32') {
    await run(
      programFile(binaries, 'pg_ctl'),
      ['stop', '-D', home.clusterFolder, '-m', 'fast', '-w', '-t', String(Math.ceil(timeoutMs / 1000))],
      launchOptions(home.user),
    );
    return true;
  }
  if (!(await isPostmasterOf(pid, home.clusterFolder))) return true;
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
  const deadline = performance.now() + timeoutMs;
  while (await isPostmasterOf(pid, home.clusterFolder)) {
    if (performance.now() > deadline) return false;
    await sleep(STOP_POLL_MS);
  }
  return true;
}

/** Matches the lines of a log that say only that somebody connected too early. */
const TOO_EARLY =
  /FATAL: +the database system is (?:starting up|in recovery mode|not yet accepting connections)/;

/** Returns the last lines of the server's log that say what it did, for error messages. */
export async function logTail(home: Pick<PostgresHome, 'logFile'>): Promise<string> {
  const text = await readFile(home.logFile, 'utf8').catch(() => '');
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => !TOO_EARLY.test(line))
    .slice(-5)
    .join('\n');
}

/** What to do about the reason at the end of a server's log, as a line; empty when the log says enough. */
export function adviceOnLog(log: string): string {
  return log.includes('could not resize shared memory segment')
    ? '\n/dev/shm is too small: give it 64 MB (docker run --shm-size=64m; in Kubernetes an emptyDir of medium Memory there).'
    : '';
}

async function setAsideLargeLog(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await rename(path, `${path}.1`);
}
