/**
 * Replaces a layer under 100,000 risk watches; a tenth of them cross their threshold, and a webhook receives every
 * event. Measures the seconds until all watches are scored and their events committed, and the peak resident memory
 * of the node (its own process, without the database): with one node, with a node that is killed half-way and started
 * again, and with two nodes. Then the same for 1,000 watched areas of 1,000 places each. For comparison, also
 * times one statement that updates the same rows and writes no events. Budgets, both our targets: 60 s for the points,
 * 512 MB.
 * `watches NAME...`: points, areas, killed, nodes.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretBox } from '../src/auth/secret-box.ts';
import { newId } from '../src/base/ids.ts';
import {
  openDatabase,
  type DatabaseConnection,
  type OpenDatabase,
} from '../src/store/connection/database.ts';
import { migrate } from '../src/store/connection/migrate.ts';
import { JobQueue } from '../src/store/job-queue.ts';
import { startEmbeddedPostgres } from '../src/store/server/embedded-postgres.ts';
import { openStorage } from '../src/store/storage.ts';
import type { NodeReport } from './watches/node-process.ts';
import { countEvents, fillAreas, fillPoints, updateAll } from './watches/tables.ts';

const WATCHES = 100_000;
const AREAS = 1000;
const BUDGET_S = 60;
const BUDGET_MB = 512;
const LOG = { info: () => undefined, warn: () => undefined };

interface Run {
  readonly seconds: number;
  readonly rssMb: number;
}

/** Runs a node to its end, or kills it after it has scored `killAt` watches. */
async function run(connection: DatabaseConnection, version: string, killAt = Infinity): Promise<Run> {
  const file = new URL('./watches/node-process.ts', import.meta.url);
  const child = fork(file, [JSON.stringify(connection), version]);
  let [start, rssMb, killed] = [0, Number.NaN, false];
  child.on('message', (report: NodeReport) => {
    if ('begun' in report) start = performance.now();
    else if ('rssMb' in report) rssMb = report.rssMb;
    else if (report.scored >= killAt && !killed) killed = child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 && !killed) throw new Error(`a node ended with ${code}`);
  return { seconds: (performance.now() - start) / 1000, rssMb };
}

/** Creates an account with a webhook for all events. @returns its identifier */
async function createAccount(database: OpenDatabase): Promise<string> {
  const sealing = secretBox(randomBytes(32));
  const storage = openStorage(database, sealing, new JobQueue(database.db, () => undefined));
  const { id: accountId } = await storage.accounts.create('bench');
  await storage.webhooks.create(
    {
      accountId,
      environment: 'production',
      id: newId('webhook'),
      url: 'https://example.com/hook',
      events: ['*'],
      status: 'active',
    },
    's',
  );
  return accountId;
}

/** Prints the longest time and the largest memory of the runs; sets exit code 1 if events are missing or duplicated. */
async function printRuns(
  { db }: OpenDatabase,
  name: string,
  runs: readonly Run[],
  expected: number,
): Promise<void> {
  const { events, distinct, deliveries } = await countEvents(db);
  const right = events === expected && distinct === expected && deliveries === expected;
  const seconds = Math.max(...runs.map((one) => one.seconds));
  const rssMb = Math.max(...runs.map((one) => one.rssMb));
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
  console.log(
    `${name.padEnd(40)} ${seconds.toFixed(1)} s, ${rssMb.toFixed(0)} MB, ${events} events of ${expected}` +
      `${right ? '' : ' WRONG'}  ${seconds <= BUDGET_S && rssMb <= BUDGET_MB ? 'within' : 'OVER'} ${BUDGET_S} s and ${BUDGET_MB} MB  (load ${load})`,
  );
  if (!right) process.exitCode = 1;
}

async function measure(database: OpenDatabase, connection: DatabaseConnection): Promise<void> {
  const { db } = database;
  const asked = process.argv.slice(2);
  const wants = (name: string): boolean => asked.length === 0 || asked.includes(name);
  const accountId = await createAccount(database);
  if (wants('points')) {
    await fillPoints(db, accountId, WATCHES);
    const start = performance.now();
    await updateAll(db);
    console.log(
      `${'floor: one statement over the same rows'.padEnd(40)} ${((performance.now() - start) / 1000).toFixed(1)} s`,
    );
    await fillPoints(db, accountId, WATCHES);
    const name = `${WATCHES} points, one node`;
    await printRuns(database, name, [await run(connection, 'a')], WATCHES / 10);
  }
  if (wants('killed')) {
    await fillPoints(db, accountId, WATCHES);
    const first = await run(connection, 'b', WATCHES / 2);
    const second = await run(connection, 'b');
    const seconds = first.seconds + second.seconds;
    await printRuns(
      database,
      'the same, killed half-way and restarted',
      [{ ...second, seconds }],
      WATCHES / 10,
    );
  }
  if (wants('nodes')) {
    await fillPoints(db, accountId, WATCHES);
    const both = await Promise.all([run(connection, 'c'), run(connection, 'c')]);
    await printRuns(database, 'the same, two nodes at once', both, WATCHES / 10);
  }
  if (wants('areas')) {
    await fillAreas(db, accountId, AREAS);
    const name = `${AREAS} areas of 1,000 places, one node`;
    await printRuns(database, name, [await run(connection, 'd')], AREAS);
  }
}

const home = mkdtempSync(join(tmpdir(), 'groundwatch-bench-'));
chmodSync(home, 0o755); // PostgreSQL runs as another user when the benchmark runs as root
const server = await startEmbeddedPostgres({ dataFolder: home, log: LOG });
try {
  const { connection } = server;
  await migrate({ connection, log: LOG });
  const database = await openDatabase({ connection, log: LOG, poolSize: 2 });
  await measure(database, connection);
  await database.close();
} finally {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
