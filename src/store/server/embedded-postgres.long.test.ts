// Long file: all tests start real servers through the same helpers, and many tests share one stopped cluster.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { makeDataFolder } from '../../main/data-folder.ts';
import { UpstreamUnavailable } from '../../base/errors.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres, type ServerLog } from './embedded-postgres.ts';
import { isPostmasterOf } from './postmaster.ts';
import { isAlive } from './unfinished-folder.ts';
import { testProcess } from '../../../test/fixtures/program.ts';

const log: ServerLog = { info: () => undefined, warn: () => undefined };
const root = process.getuid?.() === 0;
const holder = testProcess('test/fixtures/postgres-holder.ts');

const held: EmbeddedPostgres[] = [];
let stopped: Promise<string> | undefined;

after(async () => {
  if (stopped !== undefined) await rm(await stopped, { recursive: true });
});

/** Creates a folder that the server's user can reach. After the test, stops its servers and deletes the folder. */
async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await makeFolder();
  t.after(async () => {
    await stopHeld();
    await rm(folder, { recursive: true });
  });
  return folder;
}

/** Returns a folder with a cluster whose server is stopped. Tests share it, since creating a cluster takes a second. */
async function stoppedCluster(t: TestContext): Promise<string> {
  t.after(stopHeld);
  stopped ??= makeFolder().then(async (folder) => {
    await (await start(folder)).stop();
    return folder;
  });
  return stopped;
}

async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gw-pg-')));
  await chmod(folder, 0o755);
  return folder;
}

async function stopHeld(): Promise<void> {
  await Promise.all(held.splice(0).map((share) => share.stop()));
}

/** Takes a share of the server. The share is returned at the end of the test. */
async function start(dataFolder: string, warnings: string[] = []): Promise<EmbeddedPostgres> {
  const share = await startEmbeddedPostgres({
    dataFolder,
    log: { info: () => undefined, warn: (message) => warnings.push(message) },
    settings: { fsync: 'off' },
  });
  held.push(share);
  return share;
}

/** Starts a process that holds a share until its standard input ends. */
async function startHolder(
  t: TestContext,
  dataFolder: string,
): Promise<{ child: ChildProcess; pid: number }> {
  const child = spawn(process.execPath, [holder, dataFolder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, pid: Number(line.toString()) };
}

async function release({ child }: { child: ChildProcess }): Promise<void> {
  const ended = once(child, 'exit');
  child.stdin?.end();
  assert.deepEqual(await ended, [0, null]);
}

async function query(share: EmbeddedPostgres, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client(share.connection);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

function clusterOf(dataFolder: string): string {
  return join(dataFolder, 'postgres', 'server', 'cluster');
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, 'waited for 60 s');
    await sleep(10);
  }
}

test('starts on an empty folder, stops, starts again with the same rows, and leaves no process', async (t) => {
  const folder = await emptyFolder(t);
  const first = await start(folder);
  await query(first, 'create table kept as select 42 as answer');
  assert.deepEqual(
    await query(
      first,
      `select current_setting('listen_addresses') as listen, current_setting('full_page_writes') as pages,
              current_setting('synchronous_commit') as commit, current_setting('data_checksums') as checksums,
              current_setting('server_encoding') as encoding, upper('é') as upper,
              (select count(*)::int from pg_hba_file_rules where auth_method <> 'scram-sha-256') as open`,
    ),
    [{ listen: '', pages: 'on', commit: 'on', checksums: 'on', encoding: 'UTF8', upper: 'É', open: 0 }],
  );
  await first.stop();
  await first.stop();
  // The server removes its lock file shortly before its process ends.
  await until(() => !isAlive(first.pid));
  const second = await start(folder);
  assert.notEqual(second.pid, first.pid);
  assert.deepEqual(await query(second, 'select answer from kept'), [{ answer: 42 }]);
  await second.stop();
  assert.deepEqual(
    (await readdir(join(folder, 'postgres'))).filter((name) => name.includes('.new-')),
    [],
  );
});

test('durability is on unless settings override it, and the password file is private', async (t) => {
  const folder = await stoppedCluster(t);
  const share = await startEmbeddedPostgres({ dataFolder: folder, log });
  held.push(share);
  assert.deepEqual(await query(share, `select current_setting('fsync') as fsync`), [{ fsync: 'on' }]);
  const server = join(folder, 'postgres', 'server');
  assert.equal((await stat(join(server, 'password'))).mode & 0o777, 0o600);
  assert.equal((await stat(join(server, 'cluster'))).mode & 0o077, 0);
  assert.equal((await stat(share.connection.host)).mode & 0o077, 0);
  const wrong = new Client({ ...share.connection, password: 'wrong' });
  await assert.rejects(wrong.connect(), { code: '28P01' });
});

test('the last of several processes stops the server', async (t) => {
  const folder = await stoppedCluster(t);
  const other = await startHolder(t, folder);
  const ours = await start(folder);
  assert.equal(ours.pid, other.pid);
  await release(other);
  assert.deepEqual(await query(ours, 'select 1 as one'), [{ one: 1 }]);
  await ours.stop();
  await until(async () => !(await isPostmasterOf(ours.pid, clusterOf(folder))));
});

test('two processes on an empty folder share one server; incomplete folders of a killed process are deleted', async (t) => {
  const folder = await emptyFolder(t);
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(gone, 'exit');
  const leftover = join(folder, 'postgres', `server.new-${gone.pid}-0123abcd`);
  await mkdir(join(leftover, 'cluster'), { recursive: true });
  const [ours, other] = await Promise.all([start(folder), startHolder(t, folder)]);
  assert.equal(ours.pid, other.pid);
  await assert.rejects(stat(leftover), { code: 'ENOENT' });
  await ours.stop();
  assert.equal(isAlive(other.pid), true, 'the other process still uses the server');
  await release(other);
  await until(async () => !(await isPostmasterOf(other.pid, clusterOf(folder))));
});

test('a start while the last user stops the server always gives a working server', async (t) => {
  const folder = await stoppedCluster(t);
  let previous = await start(folder);
  for (let round = 0; round < 10; round++) {
    const [next] = await Promise.all([start(folder), previous.stop()]);
    assert.deepEqual(await query(next, 'select 1 as one'), [{ one: 1 }]);
    previous = next;
  }
});

test('joins the server that a killed process left running', async (t) => {
  const folder = await stoppedCluster(t);
  const killed = await startHolder(t, folder);
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  assert.equal(isAlive(killed.pid), true);
  const ours = await start(folder);
  assert.equal(ours.pid, killed.pid);
  await ours.stop();
  await until(async () => !(await isPostmasterOf(killed.pid, clusterOf(folder))));
});

test('recovers committed rows after the server was killed while in use', async (t) => {
  const folder = await stoppedCluster(t);
  const warnings: string[] = [];
  const share = await start(folder, warnings);
  const first = share.pid;
  await query(share, 'create table kept as select 7 as answer');
  process.kill(first, 'SIGKILL');
  await until(() => share.pid !== first);
  assert.deepEqual(await query(share, 'select answer from kept'), [{ answer: 7 }]);
  assert.match(warnings.join(), /closed our connection/);
});

test('restarting the server is retried until it succeeds', async (t) => {
  const folder = await stoppedCluster(t);
  const warnings: string[] = [];
  const share = await start(folder, warnings);
  const first = share.pid;
  const [control, aside] = ['pg_control', 'aside'].map((name) => join(clusterOf(folder), 'global', name));
  await rename(control!, aside!);
  process.kill(first, 'SIGKILL');
  await until(() => warnings.some((warning) => /does not start/.test(warning)));
  await rename(aside!, control!);
  await until(() => share.pid !== first);
  assert.deepEqual(await query(share, 'select 1 as one'), [{ one: 1 }]);
});

test('starts despite a lock file whose process id belongs to another program', async (t) => {
  const folder = await stoppedCluster(t);
  const first = await start(folder);
  await first.stop();
  const cluster = clusterOf(folder);
  await writeFile(
    join(cluster, 'postmaster.pid'),
    `${process.pid}\n${cluster}\n1700000000\n5432\n${first.connection.host}\n\n  1 1\nready   \n`,
  );
  const second = await start(folder);
  assert.deepEqual(await query(second, 'select 1 as one'), [{ one: 1 }]);
});

test('if the path is too long for a socket, the socket is in the temporary folder', async (t) => {
  let socket = '';
  const parent = await emptyFolder(t);
  t.after(() => rm(socket, { recursive: true }));
  const folder = join(parent, 'a-long-name'.repeat(10), "with 'quotes', spaces and é");
  for (const made of [dirname(folder), folder]) {
    await mkdir(made);
    await chmod(made, 0o755);
  }
  const share = await start(folder);
  socket = share.connection.host;
  assert.ok(Buffer.byteLength(join(socket, '.s.PGSQL.5432')) <= 107);
  assert.deepEqual(await query(share, 'select 1 as one'), [{ one: 1 }]);

  await share.stop();
  await chmod(socket, 0o777); // other users now have access to the folder, so it is not safe to use
  const outcome = await start(folder).then(
    (again) => again.connection.host,
    (error: Error) => error.message,
  );
  assert.notEqual(outcome, socket);
  assert.match(outcome, /belong to somebody else|^\/tmp\//);
});

test('a cluster of another major version is refused by name', async (t) => {
  const folder = await stoppedCluster(t);
  const version = join(clusterOf(folder), 'PG_VERSION');
  t.after(() => writeFile(version, '18\n'));
  await writeFile(version, '17\n');
  await assert.rejects(
    startEmbeddedPostgres({ dataFolder: folder, log }),
    (error) => error instanceof UpstreamUnavailable && /is PostgreSQL 17's/.test(error.message),
  );
});

test('a log over 10 MB is renamed when a server starts', async (t) => {
  const folder = await stoppedCluster(t);
  const logFile = join(folder, 'postgres', 'server.log');
  await truncate(logFile, 10 * 1024 * 1024 + 1);
  await start(folder);
  assert.equal((await stat(`${logFile}.1`)).size, 10 * 1024 * 1024 + 1);
  assert.match(await readFile(logFile, 'utf8'), /starting PostgreSQL/);
});

test('the error of a server that cannot start contains the reason', async (t) => {
  const folder = await stoppedCluster(t);
  await assert.rejects(
    startEmbeddedPostgres({ dataFolder: folder, log, settings: { shared_buffers: 'plenty' } }),
    (error) =>
      error instanceof UpstreamUnavailable &&
      /invalid value for parameter "shared_buffers"/.test(error.message),
  );
});

test(
  'as root, the server’s user enters its own folder only, and other users nothing, in folders of former releases too',
  { skip: root ? false : 'only root runs the server as another user' },
  async (t) => {
    const folder = join(await emptyFolder(t), 'data');
    await makeDataFolder(folder);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    // As a former release left them: the folder and what is in it can be read by all.
    await mkdir(join(folder, 'cubes'));
    await writeFile(join(folder, 'cubes', 'pixels'), 'secret');
    for (const path of ['cubes/pixels', 'cubes', '']) await chmod(join(folder, path), 0o755);
    await makeDataFolder(folder);
    await start(folder);
    const { uid, gid } = await stat(clusterOf(folder));
    assert.notEqual(uid, 0);
    /** What a user can do with a path, as a program that runs as this user finds out. */
    const can = (user: { readonly uid: number; readonly gid: number }, flag: string, path: string): boolean =>
      spawnSync('/usr/bin/test', [flag, join(folder, path)], user).status === 0;
    const server = { uid, gid };
    const stranger = { uid: 54_321, gid: 54_321 };
    assert.ok(can(server, '-w', 'postgres/server/cluster'));
    for (const path of ['', 'cubes', 'cubes/pixels', 'postgres', 'postgres/server']) {
      assert.equal(can(server, '-r', path), false, `the server's user, ${path}`);
      for (const flag of ['-r', '-w', '-x'])
        assert.equal(can(stranger, flag, path), false, `${flag} ${path}`);
    }
    for (const path of ['', 'cubes', 'postgres']) assert.equal(can(server, '-w', path), false, path);
    for (const path of [
      'postgres/server/cluster',
      'postgres/server/cluster/PG_VERSION',
      'postgres/server/password',
    ])
      assert.equal(can(stranger, '-r', path), false, path);
    assert.ok(can({ uid: 0, gid: 0 }, '-r', 'cubes/pixels'), 'the paths are right');
  },
);

test(
  'as root, a folder with other things in it is left as it is',
  { skip: root ? false : 'only root runs the server as another user' },
  async (t) => {
    const folder = await emptyFolder(t);
    await writeFile(join(folder, 'of somebody else'), '');
    await start(folder);
    assert.equal((await stat(folder)).mode & 0o777, 0o755);
  },
);

test(
  'as root, under a folder closed to others, the database moves to where its user can reach it',
  { skip: root ? false : 'only root runs the server as another user' },
  async (t) => {
    const closed = await emptyFolder(t);
    await chmod(closed, 0o700);
    const umask = process.umask(0o077); // a strict umask, as root may have
    t.after(() => process.umask(umask));
    const folder = join(closed, 'data');
    const share = await start(folder);
    const homes = new Set<string>();
    const homeOf = async (data: string): Promise<string> => {
      const home = (await readFile(join(data, 'postgres-location'), 'utf8')).trim();
      homes.add(home);
      return home;
    };
    const home = await homeOf(folder);
    t.after(async () => {
      for (const made of homes) await rm(made, { recursive: true });
      // Fails when the folder contains other databases. It is kept then.
      await rmdir(dirname(home)).catch(() => undefined);
    });
    await query(share, 'create table kept as select 1 as answer');
    await share.stop();
    const again = await start(folder);
    assert.deepEqual(await query(again, 'select answer from kept'), [{ answer: 1 }]);
    await again.stop();

    const copy = join(closed, 'copy');
    await mkdir(copy);
    await writeFile(join(copy, 'postgres-location'), `${home}\n`);
    await assert.rejects(startEmbeddedPostgres({ dataFolder: copy, log }), /is a copy of/);
    await rm(folder, { recursive: true });
    const moved = await start(copy);
    assert.deepEqual(await query(moved, 'select answer from kept'), [{ answer: 1 }]);
    await moved.stop();

    // The data folder was deleted and is created again. Both starts use the same new database, not the previous one.
    const [one, other] = await Promise.all([start(folder), start(folder)]);
    assert.notEqual(await homeOf(folder), home);
    assert.equal(one.pid, other.pid);
    assert.deepEqual(await query(one, `select to_regclass('kept') as answer`), [{ answer: null }]);
    await one.stop();
    await other.stop();
  },
);
