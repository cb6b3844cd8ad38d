// Long file: all faults of one installation, each brought about and mended, and the helpers for them.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.ts';
import { localCertificate } from '../../src/http/tls/local-certificate.ts';
import { startPrometheus, HAS_PROMETHEUS, type Prometheus } from '../fixtures/prometheus.ts';
import { sentinelScene } from '../fixtures/sentinel-scene.ts';
import { startService, type Backstage, type TestService } from '../fixtures/service.ts';
import { stacServer, type StacServer } from '../fixtures/stac-server.ts';
import { throwawayCertificate, tlsSink, type TlsSink } from '../fixtures/tls-sink.ts';
import { clearedStack } from './cleared-stack.ts';
import { PROGRAM } from '../fixtures/program.ts';

const DAY_MS = 86_400_000;
const ROOT = join(import.meta.dirname, '../..');
const RULES = join(ROOT, 'deploy/prometheus/groundwatch.rules.yaml');
const DASHBOARD = join(ROOT, 'deploy/grafana/groundwatch.json');
const PATIENCE_MS = 300_000; // timeout for an expression to become true or false, on a busy machine
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
/** Age of a local certificate that ends in six days. */
const AGE_MS = 391 * DAY_MS;

/** Raw values of the scenes of the catalogue: NDVI .51. */
const RAW = { green: 1000, red: 2000, nir: 6000, swir16: 3000, swir22: 1500, scl: 4 } as const;
const [WEST, SOUTH, EAST, NORTH] = [15.0003, 46.0525, 15.0023, 46.0535];
const FIELD = {
  type: 'Polygon',
  coordinates: [
    [
      [WEST, SOUTH],
      [EAST, SOUTH],
      [EAST, NORTH],
      [WEST, NORTH],
      [WEST, SOUTH],
    ],
  ],
};

const skip = !HAS_PROMETHEUS
  ? 'prometheus is not installed'
  : process.env['GROUNDWATCH_TEST_DATABASE_URL'] !== undefined &&
    'the database server of these tests is not ours to suspend';

describe('each fault turns the expression of its alert true', { skip }, () => {
  let folder: string;
  let disk: { readonly mounted: boolean; readonly path: string };
  let service: TestService;
  let settings: Record<string, string>;
  let worker: { readonly child: ChildProcess; readonly address: string };
  let back: Backstage;
  let catalogue: StacServer;
  let receiver: TlsSink;
  let receiverPauseMs = 0;
  let prometheus: Prometheus;
  let key: string;
  const expressions = new Map<string, string>();

  const api = (): string => addressIn(service.printed());
  /** Waits until the expression of an alert is true, or false. */
  const becomes = async (alert: string, wanted: boolean, nudge?: () => Promise<unknown>): Promise<void> => {
    const expression = expressions.get(alert);
    assert.ok(expression, alert);
    let now = !wanted;
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(500)) {
      await nudge?.();
      now = (await prometheus.matches(expression)) > 0;
      if (now === wanted) return;
    }
    assert.equal(now, wanted, `${alert}: ${expression}\n${service.log()}`);
  };
  const call = (path: string, json?: unknown) =>
    service.call(path, json === undefined ? { key } : { key, method: 'POST', json });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-alerts-'));
    await chmod(folder, 0o755);
    disk = await smallDisk(join(folder, 'data'));
    catalogue = await stacServer();
    const certificate = await throwawayCertificate();
    receiver = await tlsSink(certificate, (_, response) => {
      setTimeout(() => response.end(), receiverPauseMs);
    });
    await writeFile(join(folder, 'ca.pem'), `${catalogue.caPem}\n${certificate.caPem}`);
    const tls = join(disk.path, 'tls');
    await mkdir(tls);
    const old = await localCertificate({
      folder: join(folder, 'tls'),
      hosts: ['localhost'],
      nowMs: Date.now() - AGE_MS,
    });
    for (const [name, pem] of Object.entries({ 'cert.pem': old.certPem, 'key.pem': old.keyPem }))
      await writeFile(join(folder, name), pem);
    await writeFile(join(tls, 'ca.pem'), old.caPem);
    for (const path of [disk.path, tls]) await chmod(path, 0o755);
    settings = {
      GROUNDWATCH_DATA: disk.path,
      GROUNDWATCH_WORKER_PORT: '0',
      GROUNDWATCH_CA_FILE: join(folder, 'ca.pem'),
      GROUNDWATCH_SOURCE_ALLOW: '127.0.0.0/8,::1/128',
      GROUNDWATCH_WEBHOOK_ALLOW: '127.0.0.0/8,::1/128',
      GROUNDWATCH_TLS_CERT: join(folder, 'cert.pem'),
      GROUNDWATCH_TLS_KEY: join(folder, 'key.pem'),
    };
    service = await startService(settings, undefined, ['--no-worker']);
    await service.cli('accounts', 'create', 'watched');
    ({ key } = (await service.cli(
      'keys',
      'create',
      '--account',
      'watched',
      '--scopes',
      'all',
      '--limit',
      '0',
    )) as {
      key: string;
    });
    back = await service.backstage();
    worker = await startWorker(settings);
    prometheus = await startPrometheus(RULES);
    await prometheus.scrape([api(), worker.address]);
    const rules = await readFile(RULES, 'utf8');
    for (const [, alert, expression] of rules.matchAll(/- alert: (\w+)\n\s+expr: (.+)\n/g))
      // The same conditions over shorter times.
      expressions.set(alert!, expression!.replaceAll(/\[(5m|15m|1h)\]/g, '[20s]'));
    assert.deepEqual(await prometheus.alerts(), [...expressions.keys()]);
  });
  after(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    worker?.child.kill('SIGKILL');
    await service?.stop();
    await catalogue?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
    if (disk?.mounted) spawnSync('umount', ['-l', disk.path]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('a service without a fault has none of them, but that its certificate ends soon', async () => {
    await becomes('GroundwatchCertificateEnds', true);
    await sleep(5_000);
    for (const alert of expressions.keys())
      if (alert !== 'GroundwatchCertificateEnds') await becomes(alert, false);
  });

  test('rules and dashboard name only metrics that there are, and Prometheus takes each expression', async () => {
    const dashboard = JSON.parse(await readFile(DASHBOARD, 'utf8')) as {
      panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    };
    const drawn = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const all = [...expressions.values(), ...drawn.map((each) => each.replaceAll('$__rate_interval', '20s'))];
    const texts = await Promise.all(
      [api(), worker.address].map(async (address) => (await fetch(`http://${address}/metrics`)).text()),
    );
    const told = new Set(texts.join('\n').match(/(?<=^# TYPE )\w+/gm));
    told.add('groundwatch_refused_total').add('groundwatch_collection_age_seconds'); // not before there is one
    for (const expression of all) {
      await prometheus.matches(expression);
      for (const name of expression.match(/groundwatch_\w+/g) ?? [])
        assert.ok(told.has(name.replace(/_(bucket|sum|count)$/, '')), `${name} in ${expression}`);
    }
  });

  test('the database does not answer', async () => {
    const processes = serverProcesses(disk.path);
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    try {
      await becomes('GroundwatchDatabaseGone', true);
    } finally {
      for (const pid of processes) process.kill(pid, 'SIGCONT');
    }
    await becomes('GroundwatchDatabaseGone', false);
  });

  test('the replica does not answer', async (t) => {
    const { host, port, user, password, database } = back.database.pool.options;
    const login = `${user}:${encodeURIComponent(password as string)}`;
    const node = await startService(
      {
        ...settings,
        DATABASE_URL: `postgres://${login}@/${database}?host=${encodeURIComponent(host!)}&port=${port}`,
        GROUNDWATCH_DATABASE_REPLICA_URL: `postgres://${login}@127.0.0.1:9/${database}`,
      },
      undefined,
      ['--no-worker'],
    );
    t.after(() => node.stop());
    await prometheus.scrape([api(), worker.address, addressIn(node.printed())]);
    await becomes('GroundwatchReplicaUnused', true, async () => {
      const { status, headers } = await node.call('/v1/aois', { key });
      assert.equal(status, 200);
      assert.notEqual(headers['x-read-from'], 'replica');
    });
    await prometheus.scrape([api(), worker.address]);
  });

  test('all connections of an account are used', async () => {
    const { pool } = back.database;
    const holder = await pool.connect();
    await holder.query('begin; lock table aois in access exclusive mode');
    // A list would wait for its turn before it takes a connection.
    const one = `/v1/aois/${newId('aoi')}`;
    const calls = Array.from({ length: 20 }, () => call(one));
    try {
      const more = async (): Promise<void> => void calls.push(call(one));
      await becomes('GroundwatchConnectionsUsedUp', true, more);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await Promise.all(calls);
    await becomes('GroundwatchConnectionsUsedUp', false);
  });

  test('the disk is nearly full', async (t) => {
    if (!disk.mounted) {
      t.skip('this user cannot mount a small disk');
      return;
    }
    const filling = join(disk.path, 'other');
    const { bavail, blocks, bsize } = await statfs(disk.path);
    await writeFile(filling, Buffer.alloc((bavail - Math.ceil(blocks * 0.07)) * bsize));
    await becomes('GroundwatchDiskFull', true);
    await rm(filling);
    await becomes('GroundwatchDiskFull', false);
  });

  test('the disk of the database is full', async (t) => {
    if (!disk.mounted) {
      t.skip('this user cannot mount a small disk');
      return;
    }
    const area = (): ReturnType<typeof call> => call('/v1/aois', { name: 'Field', geometry: FIELD });
    const filling = join(disk.path, 'other');
    const { bavail, bsize } = await statfs(disk.path);
    await writeFile(filling, Buffer.alloc(bavail * bsize));
    await becomes('GroundwatchDatabaseFull', true, area);
    // The server refuses new connections first; rows still find room in pages and in the log that are there.
    let refused = await area();
    for (let n = 0; n < 20_000 && refused.status === 201; n++) refused = await area();
    assert.equal(refused.status, 500, refused.text);
    assert.match(refused.text, /the disk of the database is full/);
    assert.match((await call('/readyz')).text, /degraded/);
    assert.equal((await call('/v1/aois')).status, 200);
    await rm(filling);
    await becomes('GroundwatchDatabaseFull', false);
    assert.equal((await area()).status, 201);
  });

  test('a receiver is slow', async () => {
    const hook = { url: `https://localhost:${receiver.port}/hook`, events: ['webhook.test'] };
    const made = await call('/v1/webhooks', hook);
    assert.equal(made.status, 201, made.text);
    const { id } = made.json() as { id: string };
    const send = async (): Promise<void> => {
      const sent = await call(`/v1/webhooks/${id}/test`, {});
      assert.ok(sent.status < 300, sent.text);
    };
    receiverPauseMs = 6_500;
    for (let n = 0; n < 6; n++) await send();
    await becomes('GroundwatchReceiversSlow', true, send);
    receiverPauseMs = 0;
  });

  test('followed stations cannot be fetched', async () => {
    const named = ['gnss', '--provider', 'ngl', '--metric', 'displacement_up', '--stations', 'NONE'];
    await service.cli('stations', 'follow', ...named, '--mirror', catalogue.base);
    await becomes('GroundwatchStationFeedFails', true);
    const { stations } = (await call('/v1/feeds')).json() as { stations: Record<string, unknown>[] };
    assert.deepEqual(
      stations.map(({ name, provider, stations: count, stations_served: served }) => [
        name,
        provider,
        count,
        served,
      ]),
      [['gnss', 'ngl', 1, 0]],
    );
    assert.match(String(stations[0]!['problem']), /^1 of 1 stations failed; NONE: .*404/);
    await service.cli('stations', 'unfollow', 'gnss');
    await becomes('GroundwatchStationFeedFails', false);
  });

  test('scenes of a catalogue cannot be written, then it stops to answer', async (t) => {
    const scene = (daysAgo: number): void => {
      const datetime = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
      const { item, files } = sentinelScene(catalogue.base, { id: `S2_${daysAgo}`, datetime, raw: RAW });
      catalogue.items.push(item);
      for (const [path, bytes] of files) catalogue.files.set(path, bytes);
    };
    /** Makes the worker ask the catalogue at its next look. */
    const due = () =>
      sql`update standing_feeds set next_at = now() - interval '1 second'`.execute(back.database.db);
    scene(40);
    await service.cli('feeds', 'add', 's2', `${catalogue.base}/v1/collections/s2`, '--metrics', 'ndvi');
    const made = await call('/v1/aois', { name: 'Field', geometry: FIELD });
    assert.equal(made.status, 201, made.text);
    const scenes = async (): Promise<number> => {
      const [collection] = await back.storage.collections.list();
      return collection === undefined ? 0 : (await back.storage.collections.scenes(collection.id)).length;
    };
    for (const end = Date.now() + PATIENCE_MS; (await scenes()) === 0; await sleep(200))
      assert.ok(Date.now() < end, service.log());
    const [collection] = await back.storage.collections.list();
    const cube = join(disk.path, 'cubes', collection!.id);
    if (disk.mounted) {
      const mount = (...args: string[]) => spawnSync('mount', [...args, cube]).status;
      assert.equal(mount('--bind', cube), 0);
      // Refused while a search has a file open for writing.
      for (const end = Date.now() + PATIENCE_MS; mount('-o', 'remount,bind,ro') !== 0; await sleep(100))
        assert.ok(Date.now() < end, 'the folder of the cube cannot be made read-only');
      scene(10);
      await becomes('GroundwatchWritesFail', true, due);
      assert.equal(spawnSync('umount', [cube]).status, 0);
    } else t.diagnostic('this user cannot make a folder read-only by a mount: writes that fail are left out');
    await catalogue[Symbol.asyncDispose]();
    await becomes('GroundwatchCatalogueSilent', true, due);
    await service.cli('feeds', 'remove', 's2');
    await becomes('GroundwatchCatalogueSilent', false);
  });

  test('a file of a collection is damaged', async () => {
    const stack = clearedStack(12); // too few for a search
    await writeFile(join(folder, 'values.tif'), stack.values);
    await writeFile(join(folder, 'dates.csv'), stack.dates);
    const named = ['--account', 'watched', '--collection', 'wood', '--metric', 'ndvi', '--scale', '0.0001'];
    const files = ['--values', join(folder, 'values.tif'), '--dates', join(folder, 'dates.csv')];
    await service.cli('ingest', 'stack', ...named, ...files);
    const collection = (await back.storage.collections.list()).find(({ name }) => name === 'wood');
    const cube = join(disk.path, 'cubes', collection!.id);
    for (const name of readdirSync(cube)) {
      const bytes = readFileSync(join(cube, name));
      for (let at = 200; at < bytes.length; at += 97) bytes[at]! ^= 64;
      await writeFile(join(cube, name), bytes);
    }
    const read = () => call('/v1/historical?lat=45.99295&lng=14.00945&metric=ndvi');
    await becomes('GroundwatchDataDamaged', true, read);
    await service.cli('collections', 'remove', '--account', 'watched', '--collection', 'wood');
    await becomes('GroundwatchDataDamaged', false);
  });

  test('the clock of a node is off', async (t) => {
    if (!existsSync(FAKETIME)) {
      t.skip('libfaketime is not installed');
      return;
    }
    const off = await startWorker({
      ...settings,
      LD_PRELOAD: FAKETIME,
      FAKETIME: '+90s',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    try {
      await becomes('GroundwatchClockOff', true);
    } finally {
      off.child.kill('SIGKILL');
    }
  });

  test('the only worker dies, jobs wait, and more arrive', async () => {
    const died = once(worker.child, 'exit');
    worker.child.kill('SIGKILL');
    await died;
    await becomes('GroundwatchNoWorker', true);
    let n = 0;
    const more = async (): Promise<void> => {
      for (const end = n + 5; n < end; n++)
        await back.storage.jobs.monitorCollection({ collectionId: `col_${n}` });
    };
    for (let batch = 0; batch < 5; batch++) await more();
    await becomes('GroundwatchBacklogGrows', true, more);
    // As if they had waited for twenty minutes.
    await sql`update jobs set run_at = now() - interval '20 minutes' where state = 'waiting'`.execute(
      back.database.db,
    );
    await becomes('GroundwatchQueueStuck', true);
  });
});

/** Address of the metrics in what a process has printed. */
function addressIn(printed: string): string {
  const [, address] = /Health and metrics: http:\/\/(\S+:\d+)/.exec(printed) ?? [];
  assert.ok(address, printed);
  return address.replace('0.0.0.0', '127.0.0.1');
}

/** A disk of 800 MB at a folder, in memory; where nobody may mount one, the folder on the usual disk. */
async function smallDisk(path: string): Promise<{ readonly mounted: boolean; readonly path: string }> {
  await mkdir(path);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=800m', 'none', path]);
  return { mounted: status === 0, path };
}

/** Process ids of the embedded database server of a data folder: its first process and those that it started. */
function serverProcesses(dataFolder: string): readonly number[] {
  const lock = readFileSync(join(dataFolder, 'postgres/server/cluster/postmaster.pid'), 'utf8');
  const postmaster = Number(lock.split('\n')[0]);
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(postmaster);
    } catch {
      return false; // it has ended
    }
  });
  return [postmaster, ...children.map(Number)];
}

/** Starts `groundwatch worker` as a user would. */
async function startWorker(
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly child: ChildProcess; readonly address: string }> {
  const env = { ...process.env, GROUNDWATCH_SANDBOX: 'off', GROUNDWATCH_LOG_LEVEL: 'warn', ...settings };
  const child = spawn(process.execPath, [PROGRAM, 'worker'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  for (const end = Date.now() + PATIENCE_MS; !printed.includes('Health and metrics: '); await sleep(100))
    assert.ok(child.exitCode === null && Date.now() < end, `the worker did not start: ${log}`);
  return { child, address: addressIn(printed) };
}
