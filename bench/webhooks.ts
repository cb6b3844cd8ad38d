/**
 * Deliveries through the outbox to a keep-alive TLS sink: how many a second one worker drains from a backlog, and two; how
 * long an event takes from its commit to the sink at 500 a second; the memory of the worker while it drains, and whose
 * processor time a delivery takes. Beside the same client's POSTs without an outbox. GROUNDWATCH_BENCH_BACKLOG sets the
 * backlog [deliveries].
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir, availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { newId } from '../src/base/ids.ts';
import type { Owner } from '../src/app/owner.ts';
import type { Storage } from '../src/app/storage.ts';
import { secretBox } from '../src/auth/secret-box.ts';
import { localCertificate } from '../src/http/tls/local-certificate.ts';
import { addressBlocks } from '../src/net/address-guard.ts';
import { guardedClient, type GuardedClient } from '../src/net/guarded-client.ts';
import { openDatabase, type DatabaseConnection } from '../src/store/connection/database.ts';
import { deliveryQueue } from '../src/store/delivery-queue.ts';
import { startEmbeddedPostgres } from '../src/store/server/embedded-postgres.ts';
import { JobQueue } from '../src/store/job-queue.ts';
import { migrate } from '../src/store/connection/migrate.ts';
import { openStorage } from '../src/store/storage.ts';
import { DEFAULT_SCHEDULE, parseSchedule } from '../src/webhooks/schedule.ts';
import { newWebhookSecret } from '../src/webhooks/signature.ts';
import { startDeliveryWorker } from '../src/webhooks/worker.ts';

const BACKLOG = Number(process.env['GROUNDWATCH_BENCH_BACKLOG'] ?? 40_000);
const ENDPOINTS = 20; // of four accounts, all at the one sink
const ACCOUNTS = 4;
const DRAIN_BUDGET = 3_000; // deliveries a second with one worker: our target
const RATE = 500; // events a second
const RATE_SECONDS = 20;
const WARM_SECONDS = 2; // before them, at the same rate: a worker just started opens its connections
const TICK_MS = 10; // between transactions at that rate: about five events each
const LATENCY_BUDGET_MS = 250; // 99th percentile from commit to arrival at that rate
const TWO_BUDGET = 1.6; // times one worker's rate
/**
 * Two workers where cores allow, on a machine where one worker, the database and the sink take all there are: each has so
 * few under way, and the receivers take so long, that waiting and not computing bounds them.
 */
const WAITING = { atOnce: 64, delayMs: 100, backlog: 8_000 } as const;
const DIRECT = 20_000; // POSTs without an outbox
const DIRECT_AT_ONCE = 128;
const CONNECTIONS_PER_ORIGIN = 256; // as the service has
const EMIT_AT_ONCE = 1_000; // events in one transaction, to fill the backlog
const LOG = { info: () => undefined, warn: () => undefined };
const SEALING_KEY = Buffer.alloc(32, 7);
/** A change as it is sent, about 1 kB. */
const DATA = {
  id: 'chg_01k9q3v8gze7q8w1n5s0t4b6y1',
  type: 'vegetation_loss',
  confidence: 0.98,
  geometry: {
    type: 'Polygon',
    coordinates: [Array.from({ length: 24 }, (_, i) => [14.46 + i / 1e4, 46.04 - i / 1e4])],
  },
};

interface SinkReport {
  readonly received: number;
  /** Of each numbered event its arrival, ms since the Unix epoch. */
  readonly arrivals: readonly (readonly [number, number])[];
  /** Processor time that the sink has taken so far [us]. */
  readonly cpuUs: number;
}

interface WorkerOrder {
  readonly connection: DatabaseConnection;
  readonly caPem: string;
  /** Deliveries under way, at most; absent: as the service has. */
  readonly atOnce?: number;
}

const epochMs = (): number => performance.timeOrigin + performance.now();

function row(name: string, value: string, note = ''): void {
  console.log(`${name.padEnd(46)} ${value.padStart(14)}  ${note}`);
}

function clientOf(caPem: string): GuardedClient {
  return guardedClient({
    allow: addressBlocks(['127.0.0.1']),
    extraCa: caPem,
    timeoutMs: 15_000,
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
  });
}

/** A receiver that answers each POST with 204 and parses no more of it than it must, so that it takes little of the machine. */
function sink(): void {
  const arrivals: [number, number][] = [];
  let received = 0;
  let delayMs = 0;
  const numbered = /"n":(\d+)/;
  process.once('message', ({ certPem, keyPem }: { certPem: string; keyPem: string }) => {
    const server = createServer({ cert: certPem, key: keyPem }, (socket) => {
      let rest = '';
      socket.setNoDelay(true).on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        rest += chunk.toString('latin1');
        for (;;) {
          const end = rest.indexOf('\r\n\r\n');
          if (end < 0) return;
          const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, end))![1]);
          if (rest.length < end + 4 + length) return;
          received += 1;
          const n = numbered.exec(rest.slice(end + 4, end + 4 + length))?.[1];
          if (n !== undefined) arrivals.push([Number(n), epochMs()]);
          rest = rest.slice(end + 4 + length);
          const answer = (): unknown => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
          if (delayMs === 0) answer();
          else setTimeout(answer, delayMs);
        }
      });
    });
    server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
    process.on('message', (order: { delayMs?: number }) => {
      delayMs = order.delayMs ?? delayMs;
      const { user, system } = process.cpuUsage();
      process.send!({ received, arrivals: arrivals.splice(0), cpuUs: user + system } satisfies SinkReport);
      received = 0;
    });
  });
}

/** A delivery worker as the service starts it; when asked reports its memory, and its processor time since it was ready. */
function worker(): void {
  process.once('message', (order: WorkerOrder) => {
    void (async () => {
      const database = await openDatabase({ connection: order.connection, log: LOG });
      const client = clientOf(order.caPem);
      startDeliveryWorker({
        queue: deliveryQueue(database.db, secretBox(SEALING_KEY)),
        post: client.post,
        schedule: parseSchedule(DEFAULT_SCHEDULE),
        userAgent: 'Groundwatch/bench',
        clock: { now: () => Date.now() },
        random: Math.random,
        ...(order.atOnce !== undefined && { lanes: { quick: order.atOnce } }),
        onError: (error) => console.error(error),
      });
      const started = process.cpuUsage();
      process.on('message', () => process.send!([process.memoryUsage().rss, process.cpuUsage(started)]));
      process.send!('ready');
    })();
  });
}

/** Whose processor time a delivery takes, and how many processors that keeps busy at the rate reached. */
function bound({ rate, cpu }: { rate: number; cpu: Readonly<Record<string, number>> }): string {
  const sum = Object.values(cpu).reduce((total, us) => total + us, 0);
  const each = Object.entries(cpu).map(([name, us]) => `${name} ${us.toFixed(0)}`);
  return `CPU of each [us]: ${each.join(' + ')} = ${sum.toFixed(0)}, ${((rate * sum) / 1e6).toFixed(2)} processors busy`;
}

async function ask<T>(child: ChildProcess, message: unknown): Promise<T> {
  const answer = once(child, 'message') as Promise<[T]>;
  child.send(message as object);
  return (await answer)[0];
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Processor time that the children of a process have taken so far [us]; 0 where the system does not tell. */
function childrenCpuUs(parent: number): number {
  const TICK_US = 10_000; // of the clock that proc(5) counts in, on Linux
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(fields[1]) === parent) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks * TICK_US;
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

async function bench(): Promise<void> {
  const load = (): string =>
    loadavg()
      .map((value) => value.toFixed(2))
      .join(' ');
  console.log(`${availableParallelism()} processors, load ${load()}, Node ${process.version}`);
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-webhooks-'));
  await chmod(folder, 0o755); // as root, PostgreSQL runs as another user, who must be able to pass
  const children: ChildProcess[] = [];
  const start = (role: string): ChildProcess => {
    const child = fork(import.meta.filename, [role]);
    children.push(child);
    return child;
  };
  const embedded = await startEmbeddedPostgres({ dataFolder: folder, log: LOG });
  try {
    const { connection } = embedded;
    await migrate({ connection, log: LOG });
    const database = await openDatabase({ connection, log: LOG, statementTimeoutMs: 0 });
    const storage = openStorage(database, secretBox(SEALING_KEY), new JobQueue(database.db, () => undefined));
    const certificate = await localCertificate({ folder: join(folder, 'tls'), hosts: [], nowMs: Date.now() });
    const receiver = start('sink');
    const { certPem, keyPem, caPem } = certificate;
    const port = await ask<number>(receiver, { certPem, keyPem });
    const url = `https://127.0.0.1:${port}/hook`;
    const report = (): Promise<SinkReport> => ask(receiver, {});
    const startWorker = async (over: Partial<WorkerOrder> = {}): Promise<ChildProcess> => {
      const child = start('worker');
      await ask(child, { connection, caPem, ...over } satisfies WorkerOrder);
      return child;
    };

    const direct = await directly(url, caPem);
    await report();
    row(
      'POSTs without an outbox',
      `${direct.toFixed(0)} /s`,
      `${DIRECT_AT_ONCE} at once, the same client and sink`,
    );

    const owners = await endpointsAt(url, storage);
    const one = await drain(1);
    row(
      `drained by one worker, of ${BACKLOG}`,
      `${one.rate.toFixed(0)} /s`,
      `${one.rate >= DRAIN_BUDGET ? 'within' : 'UNDER'} ${DRAIN_BUDGET}; ${(one.rate / direct).toFixed(2)} of those without; ` +
        bound(one),
    );
    row('memory of the worker [MB], eighths of the drain', one.memory.join(' '));
    const two = await drain(2);
    row(
      'drained by two workers',
      `${two.rate.toFixed(0)} /s`,
      `${(two.rate / one.rate).toFixed(2)} times one; target ${TWO_BUDGET} where cores allow; ${bound(two)}`,
    );
    const { atOnce, delayMs, backlog } = WAITING;
    await ask(receiver, { delayMs });
    const alone = await drain(1, backlog, { atOnce });
    const pair = await drain(2, backlog, { atOnce });
    await ask(receiver, { delayMs: 0 });
    row(
      `one, and two, with ${atOnce} at once that take ${delayMs} ms`,
      `${alone.rate.toFixed(0)} ${pair.rate.toFixed(0)} /s`,
      `${(pair.rate / alone.rate).toFixed(2)} times one; target ${TWO_BUDGET} where cores allow; ${bound(pair)}`,
    );
    const latencies = await atRate();
    row(
      `commit to arrival at ${RATE} /s, p50 p99 max`,
      [0.5, 0.99, 1].map((share) => percentile(latencies, share).toFixed(0)).join(' '),
      `ms; ${percentile(latencies, 0.99) <= LATENCY_BUDGET_MS ? 'within' : 'OVER'} ${LATENCY_BUDGET_MS} at p99`,
    );
    console.log(`load at the end ${load()}`);
    await database.close();

    async function drain(workers: number, backlog = BACKLOG, over: Partial<WorkerOrder> = {}) {
      await fill(storage, owners, backlog);
      for (const statement of ['vacuum analyze deliveries', 'analyze events', 'checkpoint'])
        await database.pool.query(statement);
      const drainers = await Promise.all(Array.from({ length: workers }, () => startWorker(over)));
      const began = performance.now();
      const databaseUs = childrenCpuUs(embedded.pid);
      const memory: string[] = [];
      const first = await report();
      let { received } = first;
      let fromMs = 0; // after the first eighth, when connections stand and code is warm
      let from = 0;
      while (received < backlog) {
        await sleep(100);
        received += (await report()).received;
        const eighth = Math.floor((8 * received) / backlog);
        if (eighth > memory.length) {
          const [rss] = await ask<[number]>(drainers[0]!, 'memory');
          while (memory.length < eighth) memory.push((rss / 1e6).toFixed(0));
          if (fromMs === 0) [fromMs, from] = [performance.now(), received];
        }
        if (performance.now() - began > 3_600_000) throw new Error(`only ${received} arrived in an hour`);
      }
      const rate = ((received - from) / (performance.now() - fromMs)) * 1000;
      await settled(database.pool);
      const cpus = await Promise.all(
        drainers.map((drainer) => ask<[number, NodeJS.CpuUsage]>(drainer, 'cpu')),
      );
      const cpu = {
        workers: cpus.reduce((sum, [, { user, system }]) => sum + user + system, 0) / backlog,
        database: (childrenCpuUs(embedded.pid) - databaseUs) / backlog,
        sink: ((await report()).cpuUs - first.cpuUs) / backlog,
      };
      for (const drainer of drainers) await end(drainer);
      return { rate, memory, cpu };
    }

    async function atRate(): Promise<readonly number[]> {
      const [{ owner }] = (await endpointsAt(url, storage, 1, 1)) as [Fleet];
      const drainer = await startWorker();
      const committed = new Map<number, number>();
      const count = RATE * (WARM_SECONDS + RATE_SECONDS);
      const began = performance.now();
      for (let n = 0; n < count;) {
        // Those that are due by the clock, in one transaction.
        const due = Math.min(count, Math.floor(((performance.now() - began) / 1000) * RATE));
        const batch = Array.from({ length: due - n }, (_, i) => ({
          owner,
          type: 'change.detected' as const,
          data: { ...DATA, n: n + i },
        }));
        await storage.transaction((stores) => stores.events.emitAll(batch));
        const at = epochMs();
        for (; n < due; n++) committed.set(n, at);
        await sleep(TICK_MS);
      }
      const arrivals = new Map<number, number>();
      for (let tries = 0; arrivals.size < count && tries < 600; tries++) {
        for (const [n, at] of (await report()).arrivals) arrivals.set(n, at);
        await sleep(100);
      }
      if (arrivals.size < count) throw new Error(`only ${arrivals.size} of ${count} arrived`);
      await end(drainer);
      return [...committed]
        .filter(([n]) => n >= RATE * WARM_SECONDS)
        .map(([n, at]) => arrivals.get(n)! - at)
        .toSorted((a, b) => a - b);
    }
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Fleet {
  readonly owner: Owner;
  readonly endpoints: readonly string[];
}

async function endpointsAt(
  url: string,
  storage: Storage,
  accounts = ACCOUNTS,
  each = ENDPOINTS / ACCOUNTS,
): Promise<readonly Fleet[]> {
  const fleets: Fleet[] = [];
  for (let a = 0; a < accounts; a++) {
    const { id: accountId } = await storage.accounts.create(newId('account'));
    const owner = { accountId, environment: 'production' } as const;
    const endpoints: string[] = [];
    for (let e = 0; e < each; e++) {
      const id = newId('webhook');
      await storage.webhooks.create(
        { ...owner, id, url, events: ['change.detected'], status: 'active' },
        newWebhookSecret(),
      );
      endpoints.push(id);
    }
    fleets.push({ owner, endpoints });
  }
  return fleets;
}

/** Writes events until that many deliveries wait, each event to all endpoints of its account. */
async function fill(storage: Storage, fleets: readonly Fleet[], deliveries: number): Promise<void> {
  const events = Math.ceil(deliveries / (ENDPOINTS / ACCOUNTS));
  for (let made = 0; made < events; made += EMIT_AT_ONCE) {
    const batch = Array.from({ length: Math.min(EMIT_AT_ONCE, events - made) }, (_, i) => ({
      owner: fleets[(made + i) % fleets.length]!.owner,
      type: 'change.detected' as const,
      data: DATA,
    }));
    await storage.transaction((stores) => stores.events.emitAll(batch));
  }
}

/** Until every delivery is recorded as such. */
async function settled(pool: { query(text: string): Promise<{ rows: unknown[] }> }): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`select 1 from deliveries where status = 'pending' limit 1`);
    if (rows.length === 0) return;
    await sleep(50);
  }
}

/** POSTs a second of the client alone, in this process. */
async function directly(url: string, caPem: string): Promise<number> {
  const client = clientOf(caPem);
  const body = Buffer.from(JSON.stringify(DATA));
  const headers = { 'content-type': 'application/json' };
  let left = DIRECT + DIRECT_AT_ONCE * 4;
  let fromMs = 0;
  const send = async (): Promise<void> => {
    while (left > 0) {
      if (left === DIRECT) fromMs = performance.now(); // connections stand
      left -= 1;
      await client.post(url, headers, body);
    }
  };
  await Promise.all(Array.from({ length: DIRECT_AT_ONCE }, send));
  const rate = DIRECT / ((performance.now() - fromMs) / 1000);
  await client.close();
  return rate;
}

// A bench that fails leaves no child behind.
process.once('disconnect', () => process.exit());
if (process.argv[2] === 'sink') sink();
else if (process.argv[2] === 'worker') worker();
else await bench();
