import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '../../src/app/owner.ts';
import type { Storage } from '../../src/app/storage.ts';
import type { OpenDatabase } from '../../src/store/connection/database.ts';
import { backlogEmpty, createAccounts, DATA, fillBacklog } from './backlog.ts';
import { sinkClient } from './client.ts';
import { ask, end, epochMs, type SinkReport, type WorkerOrder, type WorkerReport } from './messages.ts';

const DIRECT = 20_000; // POSTs without an outbox
const WARM_SECONDS = 2; // warm-up at the same rate before the measurement: a new worker first opens its connections
const TICK_MS = 10; // pause between transactions: about five events each at 500 events per second
const HOUR_MS = 3_600_000;

/** Resources of the measurements: the database server, the sink and a way to start workers. */
export interface Rig {
  readonly database: OpenDatabase;
  /** Process id of the PostgreSQL server. */
  readonly databasePid: number;
  readonly storage: Storage;
  /** URL of the sink. */
  readonly url: string;
  /** Returns the sink's report since the last call. */
  readonly report: () => Promise<SinkReport>;
  /** Starts a worker and waits until it is ready. */
  readonly startWorker: (over?: Partial<WorkerOrder>) => Promise<ChildProcess>;
}

/** Result of draining a backlog. */
export interface Drain {
  /** Deliveries per second, without the first eighth of the backlog. */
  readonly rate: number;
  /** Resident memory of the first worker after each eighth of the backlog [MB]. */
  readonly memory: readonly string[];
  /** Processor time per delivery [us], by process. */
  readonly cpu: Readonly<Record<string, number>>;
}

/** Drains a new backlog with some workers. */
export async function drain(
  rig: Rig,
  owners: readonly Owner[],
  options: { readonly workers: number; readonly backlog: number; readonly atOnce?: number },
): Promise<Drain> {
  const { workers, backlog, ...over } = options;
  await fillBacklog(rig.storage, owners, backlog);
  for (const statement of ['vacuum analyze deliveries', 'analyze events', 'checkpoint'])
    await rig.database.pool.query(statement);
  const drainers = await Promise.all(Array.from({ length: workers }, () => rig.startWorker(over)));
  const began = performance.now();
  const databaseUs = childrenCpuUs(rig.databasePid);
  const memory: string[] = [];
  const first = await rig.report();
  let { received } = first;
  let fromMs = 0; // start of the measured part: the first eighth opens connections and compiles the code
  let from = 0;
  while (received < backlog) {
    await sleep(100);
    received += (await rig.report()).received;
    const eighth = Math.floor((8 * received) / backlog);
    if (eighth > memory.length) {
      const [rss] = await ask<WorkerReport>(drainers[0]!, {});
      while (memory.length < eighth) memory.push((rss / 1e6).toFixed(0));
      if (fromMs === 0) [fromMs, from] = [performance.now(), received];
    }
    if (performance.now() - began > HOUR_MS) throw new Error(`only ${received} arrived in an hour`);
  }
  const rate = ((received - from) / (performance.now() - fromMs)) * 1000;
  await backlogEmpty(rig.database.pool);
  const reports = await Promise.all(drainers.map((drainer) => ask<WorkerReport>(drainer, {})));
  const cpu = {
    workers: reports.reduce((sum, [, { user, system }]) => sum + user + system, 0) / backlog,
    database: (childrenCpuUs(rig.databasePid) - databaseUs) / backlog,
    sink: ((await rig.report()).cpuUs - first.cpuUs) / backlog,
  };
  for (const drainer of drainers) await end(drainer);
  return { rate, memory, cpu };
}

/** Emits `rate` events per second for some seconds. @returns times from commit to arrival [ms], ascending */
export async function latenciesAtRate(rig: Rig, rate: number, seconds: number): Promise<readonly number[]> {
  const [owner] = (await createAccounts(rig.storage, rig.url, 1, 1)) as [Owner];
  const drainer = await rig.startWorker();
  const committed = new Map<number, number>();
  const count = rate * (WARM_SECONDS + seconds);
  const began = performance.now();
  for (let n = 0; n < count;) {
    // One transaction emits the events that are due by now.
    const due = Math.min(count, Math.floor(((performance.now() - began) / 1000) * rate));
    const batch = Array.from({ length: due - n }, (_, i) => ({
      owner,
      type: 'change.detected' as const,
      data: { ...DATA, n: n + i },
    }));
    await rig.storage.transaction((stores) => stores.events.emitAll(batch));
    const at = epochMs();
    for (; n < due; n++) committed.set(n, at);
    await sleep(TICK_MS);
  }
  const arrivals = new Map<number, number>();
  for (let tries = 0; arrivals.size < count && tries < 600; tries++) {
    for (const [n, at] of (await rig.report()).arrivals) arrivals.set(n, at);
    await sleep(100);
  }
  if (arrivals.size < count) throw new Error(`only ${arrivals.size} of ${count} arrived`);
  await end(drainer);
  return [...committed]
    .filter(([n]) => n >= rate * WARM_SECONDS)
    .map(([n, at]) => arrivals.get(n)! - at)
    .toSorted((a, b) => a - b);
}

/** POSTs per second from this process straight to the sink, without an outbox. */
export async function directRate(url: string, caPem: string, atOnce: number): Promise<number> {
  const client = sinkClient(caPem);
  const body = Buffer.from(JSON.stringify(DATA));
  const headers = { 'content-type': 'application/json' };
  let left = DIRECT + atOnce * 4;
  let fromMs = 0;
  const send = async (): Promise<void> => {
    while (left > 0) {
      if (left === DIRECT) fromMs = performance.now(); // start of the measured part: all connections are open
      left -= 1;
      await client.post(url, headers, body);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  const rate = DIRECT / ((performance.now() - fromMs) / 1000);
  await client.close();
  return rate;
}

/** Processor time that the child processes of a process have used so far [us], read from /proc of Linux. */
function childrenCpuUs(parent: number): number {
  const TICK_US = 10_000; // clock tick of proc(5) on Linux
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(fields[1]) === parent) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // The process ended in the meantime.
    }
  }
  return ticks * TICK_US;
}
