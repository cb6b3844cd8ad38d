/**
 * Time from the start of the service until /readyz is ready, on an empty and on an existing data folder. Also
 * the memory of all its processes when idle, including PostgreSQL (PSS: shared pages are counted once). Compares both
 * with their budgets.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROUNDS = 5; // starts of each kind; the median counts
const EMPTY_BUDGET_MS = 5000; // our target for an empty data folder
const EXISTING_BUDGET_MS = 2000;
const MEMORY_BUDGET_MB = 250;
const POLL_MS = 5; // pause between two requests of /readyz
const GIVE_UP_MS = 60_000; // a start that takes longer has failed
const REST_MS = 15_000; // wait between ready and the memory measurement, so that the startup work is over
const KB_PER_MB = 1000 / 1.024; // /proc reports KiB, the budget is in megabytes of 10^6 bytes

interface Service {
  readonly process: ChildProcess;
  /** Returns the standard error of the service so far; printed if the start fails. */
  readonly log: () => string;
  /** Time from spawn to ready [ms]. */
  readonly readyMs: number;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** HTTP status of /readyz; undefined without a response. The certificate is self-signed and not checked here. */
function readiness(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', () => resolve(undefined));
  });
}

/** Starts the service as `npm start` does, on the given folder. @throws Error when it does not become ready */
async function start(folder: string): Promise<Service> {
  const port = await freePort();
  const { DATABASE_URL: _ours, ...environment } = process.env;
  let log = '';
  const begun = performance.now();
  const service = spawn(process.execPath, [join(import.meta.dirname, '../bin/groundwatch.js'), 'serve'], {
    env: {
      ...environment,
      GROUNDWATCH_DATA: folder,
      GROUNDWATCH_HOST: '127.0.0.1',
      GROUNDWATCH_PORT: String(port),
      GROUNDWATCH_BASE_URL: '',
      // bench/sandbox.ts measures the sandbox; here it would use a core for seconds during the start.
      GROUNDWATCH_SANDBOX: 'off',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  service.stderr.on('data', (text: Buffer) => (log += text.toString()));
  while ((await readiness(port)) !== 200) {
    if (service.exitCode !== null || performance.now() - begun > GIVE_UP_MS) {
      service.kill();
      throw new Error(`The service did not become ready:\n${log}`);
    }
    await sleep(POLL_MS);
  }
  return { process: service, log: () => log, readyMs: performance.now() - begun };
}

async function stop({ process: service }: Service): Promise<number> {
  const begun = performance.now();
  const ended = new Promise((resolve) => service.once('exit', resolve));
  service.kill('SIGINT');
  await ended;
  return performance.now() - begun;
}

/** Process ids of a process and all its descendants; works only on Linux. */
function family(root: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name in brackets may contain spaces; the parent is the second field after it (proc(5)).
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // The process ended in the meantime.
    }
  }
  const found = [root];
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child);
  return found;
}

/** Proportional set size of a process [MB]; undefined where the system does not report it. */
function pssMb(pid: number): number | undefined {
  try {
    const kib = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) / KB_PER_MB;
  } catch {
    return undefined;
  }
}

function told(what: string, values: readonly number[], budget: number): void {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1]!;
  const all = values.map((value) => (value / 1000).toFixed(2)).join(', ');
  const verdict = median <= budget ? 'within' : 'OVER';
  console.log(
    `${what.padEnd(24)} ${(median / 1000).toFixed(2).padStart(6)} s   ${verdict} ${budget / 1000} s   (${all})`,
  );
}

function tellMemory(pid: number): void {
  const each = family(pid).map((member) => ({ member, mb: pssMb(member) }));
  const hidden = each.filter(({ mb }) => mb === undefined).length;
  if (process.platform !== 'linux' || hidden > 0) {
    console.log(
      `memory at rest: not reported here for ${hidden || 'any'} of the processes (needs Linux, and root when PostgreSQL is another user's)`,
    );
    return;
  }
  const sum = each.reduce((total, { mb }) => total + mb!, 0);
  const verdict = sum <= MEMORY_BUDGET_MB ? 'within' : 'OVER';
  console.log(
    `${'memory at rest (PSS)'.padEnd(24)} ${sum.toFixed(0).padStart(6)} MB  ${verdict} ${MEMORY_BUDGET_MB} MB  ` +
      `(service ${each[0]!.mb!.toFixed(0)}, PostgreSQL ${(sum - each[0]!.mb!).toFixed(0)} in ${each.length - 1} processes)`,
  );
}

const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
console.log(
  `${availableParallelism()} processors, load ${load()}, Node ${process.version}, ${ROUNDS} starts each`,
);
const folders: string[] = [];
try {
  const empty: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'groundwatch-start-'));
    folders.push(folder);
    chmodSync(folder, 0o755); // PostgreSQL runs as another user when the benchmark runs as root
    const service = await start(folder);
    empty.push(service.readyMs);
    await stop(service);
  }
  told('ready, empty folder', empty, EMPTY_BUDGET_MS);

  const existing: number[] = [];
  const stops: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const service = await start(folders[0]!);
    existing.push(service.readyMs);
    if (round === ROUNDS - 1) {
      await sleep(REST_MS);
      tellMemory(service.process.pid!);
    }
    stops.push(await stop(service));
  }
  told('ready, existing folder', existing, EXISTING_BUDGET_MS);
  console.log(`${'stopped, the longest'.padEnd(24)} ${(Math.max(...stops) / 1000).toFixed(2).padStart(6)} s`);
  console.log(`load at the end ${load()}`);
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
