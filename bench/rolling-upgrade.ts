/**
 * Two API nodes behind a balancer of TCP and two workers, replaced one after the other under calls: each is ended with
 * SIGTERM while another is started. Eight callers keep their connections. Prints the number of calls and of those that
 * failed, which should be none. Needs Debian's postgresql-15. Give NAME... as --rounds=1 --drain=3 (seconds, GROUNDWATCH_DRAIN).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent } from 'undici';
import { type Caller, httpCaller } from '../test/fixtures/http-caller.ts';
import { square } from '../test/fixtures/records.ts';
import { Balancer } from './machines/balancer.ts';
import { Machine } from './machines/machine.ts';
import { PostgresServer } from './machines/postgres.ts';

const CALLERS = 8;
const CALLS = 6; // calls of a round
const PAUSE_MS = 20; // pause of each caller between two rounds of calls
const CALM_MS = 3_000; // time between two replacements
const PROGRAM = join(import.meta.dirname, '../bin/groundwatch.js');

const { values: given } = parseArgs({
  options: { rounds: { type: 'string', default: '1' }, drain: { type: 'string', default: '3' } },
});
const folder = await mkdtemp(join(tmpdir(), 'groundwatch-rolling-'));
await chmod(folder, 0o755); // PostgreSQL runs as another user
const closers: (() => unknown)[] = [];
const cleanUp = async (): Promise<never> => {
  for (const close of closers.toReversed()) await close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
};
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    process.exitCode = 1;
    void cleanUp();
  });
try {
  await upgrade();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
await cleanUp();

// Long function: the nodes, the callers and the replacements.
async function upgrade(): Promise<void> {
  const postgres = await PostgresServer.start(join(folder, 'postgres'));
  closers.push(() => postgres.kill());
  await postgres.makeDatabase('groundwatch');
  const data = join(folder, 'data');
  const env = {
    ...process.env,
    DATABASE_URL: postgres.urlOf('groundwatch'),
    GROUNDWATCH_PORT: '0',
    GROUNDWATCH_LOG_LEVEL: 'warn',
    GROUNDWATCH_SANDBOX: 'off',
    GROUNDWATCH_AUTH_URL: 'https://bench.example.com',
    GROUNDWATCH_DRAIN: given.drain,
  };
  const node = async (args: readonly string[]): Promise<Machine> => {
    const machine = await Machine.make(args.join(' '), args, data, env);
    closers.push(() => machine.kill());
    await machine.start();
    return machine;
  };
  const API = ['serve', '--no-worker', '--no-console'];
  let apis = [await node(API), await node(API)];
  let workers = [await node(['worker']), await node(['worker'])];
  const command = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], {
      env: apis[0]!.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    if ((await once(child, 'close'))[0] !== 0) throw new Error(`${args.join(' ')} failed`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  await command('accounts', 'create', 'bench');
  const made = await command('keys', 'create', '--account', 'bench', '--scopes', 'all', '--limit', '0');
  const ca = await readFile(join(data, 'tls', 'ca.pem'), 'utf8');
  const balancer = await Balancer.listen(ca);
  closers.push(() => balancer.close());
  for (const { baseUrl } of apis) await balancer.add(baseUrl!);

  const over = new AbortController();
  const failed: string[] = [];
  let calls = 0;
  const callers = Array.from({ length: CALLERS }, async () => {
    const agent = new Agent({ connect: { ca }, connections: 2 });
    const call = httpCaller(balancer.address, agent);
    while (!over.signal.aborted) {
      for (const problem of await roundOf(call, String(made['key']))) failed.push(problem);
      calls += CALLS;
      await sleep(PAUSE_MS);
    }
    await agent.close();
  });
  console.log(`${CALLERS} callers, drain ${given.drain} s; load ${loadavg()[0]!.toFixed(1)}`);
  await sleep(CALM_MS);
  for (let round = 0; round < Number(given.rounds); round++)
    for (const kind of ['api', 'worker', 'api', 'worker'] as const) {
      const former = (kind === 'api' ? apis : workers)[0]!;
      const fresh = await node(kind === 'api' ? API : ['worker']);
      if (kind === 'api') await balancer.add(fresh.baseUrl!);
      const began = performance.now();
      await former.stop();
      const took = ((performance.now() - began) / 1000).toFixed(1);
      if (kind === 'api') apis = [...apis.slice(1), fresh];
      else workers = [...workers.slice(1), fresh];
      console.log(`  ${kind} replaced, ended in ${took} s; ${calls} calls, ${failed.length} failed`);
      await sleep(CALM_MS);
    }
  over.abort();
  await Promise.all(callers);
  console.log(`${calls} calls, ${failed.length} failed; load ${loadavg()[0]!.toFixed(1)}`);
  for (const problem of new Set(failed.slice(0, 20))) console.log(`  ${problem}`);
  if (failed.length > 0) process.exitCode = 1;
}

/** Makes `CALLS` calls that read and write. @returns what failed */
async function roundOf(caller: Caller, key: string): Promise<readonly string[]> {
  const problems: string[] = [];
  const call = async (wanted: number, path: string, options: Parameters<Caller>[1] = {}) => {
    try {
      const answer = await caller(path, { key, ...options });
      if (answer.status === wanted) return answer;
      problems.push(`${options.method ?? 'GET'} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    } catch (error) {
      problems.push(`${options.method ?? 'GET'} ${path}: ${String(error)}`);
    }
    return undefined;
  };
  const geometry = square(Math.random() * 100, Math.random() * 50);
  const area = await call(201, '/v1/aois', { method: 'POST', json: { name: 'rolling', geometry } });
  const id = area === undefined ? 'aoi_none' : String(area.json()['id']);
  await call(200, `/v1/aois/${id}`);
  await call(200, '/v1/aois?limit=20');
  await call(200, `/v1/changes?aoi_id=${id}`);
  await call(200, '/v1/risk?lat=29.95&lng=-90.07&peril=flood');
  await call(204, `/v1/aois/${id}`, { method: 'DELETE' });
  return problems;
}
