/**
 * Webhook deliveries from the outbox to a TLS sink with keep-alive connections. Measures how many deliveries per second
 * one worker and two workers drain from a backlog, the memory of a worker while it drains, the processor time per
 * delivery by process, and the time from an event's commit to its arrival at 500 events per second. Compares with POSTs
 * of the same client without an outbox. GROUNDWATCH_BENCH_BACKLOG sets the backlog [deliveries].
 */
import { type ChildProcess, fork } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir, availableParallelism } from 'node:os';
import { join } from 'node:path';
import { secretBox } from '../src/auth/secret-box.ts';
import { localCertificate } from '../src/http/tls/local-certificate.ts';
import { openDatabase } from '../src/store/connection/database.ts';
import { migrate } from '../src/store/connection/migrate.ts';
import { JobQueue } from '../src/store/job-queue.ts';
import { startEmbeddedPostgres } from '../src/store/server/embedded-postgres.ts';
import { openStorage } from '../src/store/storage.ts';
import { createAccounts, SEALING_KEY, SILENT } from './webhooks/backlog.ts';
import { type Drain, directRate, drain, latenciesAtRate, type Rig } from './webhooks/measurements.ts';
import { ask, type SinkCertificate, type SinkOrder, type WorkerOrder } from './webhooks/messages.ts';

const BACKLOG = Number(process.env['GROUNDWATCH_BENCH_BACKLOG'] ?? 40_000);
const DRAIN_BUDGET = 3_000; // our target: minimum deliveries per second with one worker
const RATE = 500; // events per second
const RATE_SECONDS = 20;
const LATENCY_BUDGET_MS = 250; // budget for the 99th percentile of the time from commit to arrival at `RATE`
const TWO_BUDGET = 1.6; // minimum ratio of the rate of two workers to the rate of one
/**
 * Settings for the comparison of two workers with one. On a small machine one worker, the database and the sink already
 * use all cores. Few concurrent deliveries and a slow sink make the workers wait instead of compute.
 */
const WAITING = { atOnce: 64, delayMs: 100, backlog: 8_000 } as const;
const DIRECT_AT_ONCE = 128; // concurrent POSTs without an outbox

const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');

function row(name: string, value: string, note = ''): void {
  console.log(`${name.padEnd(46)} ${value.padStart(14)}  ${note}`);
}

/** Processor time per delivery by process, and how many processors are busy at the measured rate. */
function cpuNote({ rate, cpu }: Drain): string {
  const sum = Object.values(cpu).reduce((total, us) => total + us, 0);
  const each = Object.entries(cpu).map(([name, us]) => `${name} ${us.toFixed(0)}`);
  return `CPU of each [us]: ${each.join(' + ')} = ${sum.toFixed(0)}, ${((rate * sum) / 1e6).toFixed(2)} processors busy`;
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

async function measure(rig: Rig, sink: ChildProcess, caPem: string): Promise<void> {
  const direct = await directRate(rig.url, caPem, DIRECT_AT_ONCE);
  await rig.report();
  row(
    'POSTs without an outbox',
    `${direct.toFixed(0)} /s`,
    `${DIRECT_AT_ONCE} at once, the same client and sink`,
  );

  const owners = await createAccounts(rig.storage, rig.url);
  const one = await drain(rig, owners, { workers: 1, backlog: BACKLOG });
  row(
    `drained by one worker, of ${BACKLOG}`,
    `${one.rate.toFixed(0)} /s`,
    `${one.rate >= DRAIN_BUDGET ? 'within' : 'UNDER'} ${DRAIN_BUDGET}; ${(one.rate / direct).toFixed(2)} of those without; ` +
      cpuNote(one),
  );
  row('memory of the worker [MB], eighths of the drain', one.memory.join(' '));
  const two = await drain(rig, owners, { workers: 2, backlog: BACKLOG });
  row(
    'drained by two workers',
    `${two.rate.toFixed(0)} /s`,
    `${(two.rate / one.rate).toFixed(2)} times one; target ${TWO_BUDGET} where cores allow; ${cpuNote(two)}`,
  );

  const { atOnce, delayMs, backlog } = WAITING;
  await ask(sink, { delayMs } satisfies SinkOrder);
  const alone = await drain(rig, owners, { workers: 1, backlog, atOnce });
  const pair = await drain(rig, owners, { workers: 2, backlog, atOnce });
  await ask(sink, { delayMs: 0 } satisfies SinkOrder);
  row(
    `one, and two, with ${atOnce} at once that take ${delayMs} ms`,
    `${alone.rate.toFixed(0)} ${pair.rate.toFixed(0)} /s`,
    `${(pair.rate / alone.rate).toFixed(2)} times one; target ${TWO_BUDGET} where cores allow; ${cpuNote(pair)}`,
  );

  const latencies = await latenciesAtRate(rig, RATE, RATE_SECONDS);
  row(
    `commit to arrival at ${RATE} /s, p50 p99 max`,
    [0.5, 0.99, 1].map((share) => percentile(latencies, share).toFixed(0)).join(' '),
    `ms; ${percentile(latencies, 0.99) <= LATENCY_BUDGET_MS ? 'within' : 'OVER'} ${LATENCY_BUDGET_MS} at p99`,
  );
}

console.log(`${availableParallelism()} processors, load ${load()}, Node ${process.version}`);
const folder = await mkdtemp(join(tmpdir(), 'groundwatch-webhooks-'));
await chmod(folder, 0o755); // PostgreSQL runs as another user when the benchmark runs as root
const children: ChildProcess[] = [];
const start = (file: URL): ChildProcess => {
  const child = fork(file);
  children.push(child);
  return child;
};
const embedded = await startEmbeddedPostgres({ dataFolder: folder, log: SILENT });
try {
  const { connection } = embedded;
  await migrate({ connection, log: SILENT });
  const database = await openDatabase({ connection, log: SILENT, statementTimeoutMs: 0 });
  const storage = openStorage(database, secretBox(SEALING_KEY), new JobQueue(database.db, () => undefined));
  const { certPem, keyPem, caPem } = await localCertificate({
    folder: join(folder, 'tls'),
    hosts: [],
    nowMs: Date.now(),
  });
  const sink = start(new URL('./webhooks/sink-process.ts', import.meta.url));
  const port = await ask<number>(sink, { certPem, keyPem } satisfies SinkCertificate);
  const rig: Rig = {
    database,
    databasePid: embedded.pid,
    storage,
    url: `https://127.0.0.1:${port}/hook`,
    report: () => ask(sink, {} satisfies SinkOrder),
    startWorker: async (over = {}) => {
      const child = start(new URL('./webhooks/worker-process.ts', import.meta.url));
      await ask(child, { connection, caPem, ...over } satisfies WorkerOrder);
      return child;
    },
  };
  await measure(rig, sink, caPem);
  console.log(`load at the end ${load()}`);
  await database.close();
} finally {
  for (const child of children) child.kill('SIGKILL');
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}
