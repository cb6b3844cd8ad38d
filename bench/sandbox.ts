/**
 * The simulated region: time and processor time from the first start on an empty folder until the region is ready;
 * the latency of GET /v1/risk during this time and after; and the cost of advancing its clock by a day, with and
 * without a scene.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { quantile } from './service/quantile.ts';

const PROGRAM = join(import.meta.dirname, '../bin/groundwatch.js');
const READY_BUDGET_S = 20; // our target for two idle processors
const PAUSE_MS = 125; // pause between two requests
const LOOK_EVERY = 8; // number of requests between two checks whether the region is ready
const IDLE_MS = 10_000;
const GIVE_UP_MS = 1_200_000;
const TICKS_PER_S = 100; // unit of processor times in /proc (proc(5): sysconf(_SC_CLK_TCK), 100 on Linux)
const DAYS = 30;

function row(name: string, value: string, note = ''): void {
  console.log(`${name.padEnd(50)} ${value.padStart(12)}  ${note}`);
}

/** Processor time of the process or thread with this folder in /proc [s]; NaN where the system does not report it. */
function processorS(folder: string): number {
  return ticksOf(folder, [11, 12]);
}

/** Processor time of the child processes that have ended [s]; NaN where the system does not report it. */
function endedS(folder: string): number {
  return ticksOf(folder, [13, 14]);
}

/** Sum of some fields of the `stat` file of a process [s]; the indices count from the field `state`. */
function ticksOf(folder: string, fields: readonly number[]): number {
  try {
    const told = statOf(folder);
    return fields.reduce((sum, field) => sum + Number(told[field]), 0) / TICKS_PER_S;
  } catch {
    return Number.NaN;
  }
}

function statOf(folder: string): readonly string[] {
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * Processor time of the embedded database server and its child processes [s]; NaN where the system does not report
 * it.
 */
function databaseS(dataFolder: string): number {
  try {
    const lock = readFileSync(join(dataFolder, 'postgres/server/cluster/postmaster.pid'), 'utf8');
    const server = String(Number.parseInt(lock, 10));
    const alive = readdirSync('/proc').filter((id) => {
      try {
        return /^\d+$/.test(id) && (id === server || statOf(`/proc/${id}`)[1] === server);
      } catch {
        return false; // the process has ended
      }
    });
    return alive.reduce((sum, id) => sum + processorS(`/proc/${id}`), endedS(`/proc/${server}`));
  } catch {
    return Number.NaN;
  }
}

/** Processor time of the compiler and garbage collector threads of V8 [s]; NaN where the system does not report it. */
function engineS(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`);
    const own = threads.filter((folder) => readFileSync(`${folder}/comm`, 'utf8').startsWith('V8Worker'));
    return own.reduce((sum, folder) => sum + processorS(folder), 0);
  } catch {
    return Number.NaN;
  }
}

const folder = await mkdtemp(join(tmpdir(), 'groundwatch-bench-sandbox-'));
await chmod(folder, 0o755);
const data = join(folder, 'data');
await mkdir(data);
const { DATABASE_URL: _ours, ...inherited } = process.env;
console.log(
  `${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(2)}, Node ${process.version}`,
);
const begun = performance.now();
const service = spawn(process.execPath, [PROGRAM, 'serve', '--no-console'], {
  env: {
    ...inherited,
    GROUNDWATCH_DATA: data,
    GROUNDWATCH_PORT: '0',
    GROUNDWATCH_LOG_LEVEL: 'error',
    GROUNDWATCH_SANDBOX: 'on',
    GROUNDWATCH_SANDBOX_PACE: '0',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  let told = '';
  service.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
  let base: string | undefined;
  while (
    (base = /answers at (https:\/\/localhost:\d+)/.exec(told)?.[1]) === undefined ||
    !told.includes('Ctrl-C')
  ) {
    if (service.exitCode !== null) throw new Error(`the service ended:\n${told}`);
    await sleep(5);
  }
  row('answers after', `${((performance.now() - begun) / 1000).toFixed(1)} s`);
  const key = readFileSync(join(data, 'demo-key'), 'utf8').trim();
  const dispatcher = new Agent({ connect: { ca: readFileSync(join(data, 'tls', 'ca.pem')) } });
  const call = async (path: string, body?: object): Promise<unknown> => {
    const answer = await request(`${base}${path}`, {
      dispatcher,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      headersTimeout: GIVE_UP_MS,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };
  /** Latencies of GET /v1/risk until `isOver` [ms], at a rate within the key's limit of 600 calls per minute. */
  const latencies = async (isOver: () => Promise<boolean>): Promise<readonly number[]> => {
    const times: number[] = [];
    for (let n = 0; ; n++) {
      await sleep(PAUSE_MS);
      const before = performance.now();
      await call('/v1/risk?lat=46.0124&lng=-26.9699&peril=storm');
      times.push(performance.now() - before);
      if (n % LOOK_EVERY === 0 && (await isOver())) return times;
      if (performance.now() - begun > GIVE_UP_MS)
        throw new Error('the region was not ready in twenty minutes');
    }
  };
  const busy = await latencies(
    async () => ((await call('/v1/sandbox')) as { status: string }).status === 'ready',
  );
  const seconds = (performance.now() - begun) / 1000;
  row(
    'ready after',
    `${seconds.toFixed(1)} s`,
    `${seconds <= READY_BUDGET_S ? 'within' : 'OVER'} ${READY_BUDGET_S} s`,
  );
  const pid = service.pid!;
  const [all, main, engine] = [
    processorS(`/proc/${pid}`),
    processorS(`/proc/${pid}/task/${pid}`),
    engineS(pid),
  ];
  row(
    'processor time of the service',
    `${all.toFixed(1)} s`,
    `main thread ${main.toFixed(1)}, the engine's ${engine.toFixed(1)}, others ${(all - main - engine).toFixed(1)}`,
  );
  row(
    'processor time of the database',
    `${databaseS(data).toFixed(1)} s`,
    `and ${endedS(`/proc/${pid}`).toFixed(1)} s until it was made`,
  );
  const end = performance.now() + IDLE_MS;
  const idle = await latencies(() => Promise.resolve(performance.now() > end));
  for (const [name, times] of [
    ['meanwhile', busy],
    ['after', idle],
  ] as const)
    row(
      `GET /v1/risk ${name}: p50, p99`,
      `${quantile(times, 0.5).toFixed(1)}, ${quantile(times, 0.99).toFixed(1)} ms`,
      `${times.length} calls, the longest ${quantile(times, 1).toFixed(0)} ms`,
    );
  const days: Record<'plain' | 'scene', number[]> = { plain: [], scene: [] };
  for (let day = 0; day < DAYS; day++) {
    const before = performance.now();
    const step = (await call('/v1/sandbox/advance', { days: 1 })) as { scenes: number };
    days[step.scenes === 0 ? 'plain' : 'scene'].push((performance.now() - before) / 1000);
  }
  row('a day without a scene', `${quantile(days.plain, 0.5).toFixed(2)} s`, `median of ${days.plain.length}`);
  row('a day with a scene', `${quantile(days.scene, 0.5).toFixed(2)} s`, `median of ${days.scene.length}`);
  console.log(`load ${loadavg()[0]!.toFixed(2)} at the end`);
} finally {
  if (service.exitCode === null) {
    const ended = once(service, 'exit');
    service.kill('SIGINT');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
}
