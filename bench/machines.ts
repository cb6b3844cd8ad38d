/**
 * Blocks of 128 x 128 pixels whose dates arrive one after the other: on one process with a data folder, and on three
 * workers and one API node, each with a disk of 64 MB of its own and none in common, with PostgreSQL, an S3 server and
 * NATS. A worker, the object server or NATS is killed with -9 and started again, and 5 s later the next. Fails unless
 * both publish the same changes, events and digests, each event once. Prints throughput, processor time and bytes written. Needs root,
 * Debian's postgresql-15 and nats-server, and GROUNDWATCH_TEST_VERSITYGW or GROUNDWATCH_TEST_WEED.
 * Give NAME... as --blocks=64 --dates=40 --of=40 (dates in all; those before come together) --seed=1 --workers=3 --every=5 (0: no kills) --postgres (kill it too)
 * --single=FILE (keeps the run of one process, and uses it again).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { natsServer, NATS_PROGRAM } from '../test/fixtures/nats-server.ts';
import { noObjectServer, ObjectServer } from '../test/fixtures/object-server.ts';
import { draw } from './machines/draw.ts';
import { Machine, type MachineCost } from './machines/machine.ts';
import type { Outcome } from './machines/outcome.ts';
import { JobWatch, jobTimesLine } from './machines/job-times.ts';
import { PostgresServer } from './machines/postgres.ts';
import { writtenTo } from './machines/written.ts';

const DATES = 40;
const DISK_MB = 64;
const DOWN_MS = 500;
const ARRIVALS = join(import.meta.dirname, 'machines/arrivals.ts');

const { values: given } = parseArgs({
  options: {
    blocks: { type: 'string', default: '64' },
    dates: { type: 'string', default: String(DATES) },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '3' },
    every: { type: 'string', default: '5' },
    of: { type: 'string', default: String(DATES) },
    postgres: { type: 'boolean', default: false },
    single: { type: 'string' },
  },
});
const [blocks, dates, seed, workers, every, all] = [
  given.blocks,
  given.dates,
  given.seed,
  given.workers,
  given.every,
  given.of,
].map(Number) as [number, number, number, number, number, number];
const history = all - dates;

/** What one installation did with the dates. */
interface Run {
  readonly name: string;
  readonly wallS: number;
  readonly outcome: Outcome;
  readonly cost: MachineCost;
  readonly kills: number;
}

const folder = await mkdtemp(join(tmpdir(), 'groundwatch-machines-'));
await chmod(folder, 0o755); // PostgreSQL runs as another user
const closers: (() => Promise<unknown>)[] = [];
const cleanUp = async (): Promise<never> => {
  for (const close of closers.toReversed())
    await close().catch((error: unknown) => console.error(String(error)));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
};
for (const signal of ['SIGINT', 'SIGTERM', 'uncaughtException'])
  process.once(signal, (cause: unknown) => {
    console.error(cause);
    process.exitCode = 1;
    void cleanUp();
  });
try {
  if (noObjectServer !== false || NATS_PROGRAM === undefined)
    throw new Error(noObjectServer || 'needs nats-server');
  const postgres = await PostgresServer.start(join(folder, 'postgres'));
  closers.push(() => postgres.kill());
  const environment = {
    ...process.env,
    GROUNDWATCH_PORT: '0',
    GROUNDWATCH_LOG_LEVEL: 'warn',
    GROUNDWATCH_SANDBOX: 'off',
    GROUNDWATCH_AUTH_URL: 'https://bench.example.com',
    GROUNDWATCH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  console.log(
    `${blocks} blocks, ${dates} dates one by one after ${history} together, seed ${seed}; load ${loadavg()[0]!.toFixed(1)}`,
  );
  const kept = given.single !== undefined && existsSync(given.single) ? given.single : undefined;
  const single =
    kept === undefined
      ? await onOneMachine(postgres, environment)
      : (JSON.parse(readFileSync(kept, 'utf8')) as Run);
  if (given.single !== undefined) writeFileSync(given.single, JSON.stringify(single));
  print(single);
  const several = await onSeveral(postgres, environment);
  print(several);
  compare(single, several);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
await cleanUp();

async function onOneMachine(postgres: PostgresServer, environment: NodeJS.ProcessEnv): Promise<Run> {
  await postgres.makeDatabase('single');
  const env = { ...environment, DATABASE_URL: postgres.urlOf('single') };
  const machine = await Machine.make('one process', ['serve', '--no-console'], join(folder, 'single'), env);
  closers.push(() => machine.remove());
  await machine.start();
  const run = await takeIn('one process on a folder', [machine], machine.env, () => Promise.resolve(0));
  await machine.stop();
  return run;
}

// Long function: the servers, the nodes and the kills.
async function onSeveral(postgres: PostgresServer, environment: NodeJS.ProcessEnv): Promise<Run> {
  await postgres.makeDatabase('several');
  const objects = await ObjectServer.start(join(folder, 'objects'));
  closers.push(() => objects.stop());
  const nats = await natsServer();
  closers.push(() => nats.remove());
  const { endpoint, bucket, credentials } = objects.place;
  const env = {
    ...environment,
    DATABASE_URL: postgres.urlOf('several'),
    NATS_URL: nats.url,
    GROUNDWATCH_OBJECTS: `s3://${bucket}/unit?endpoint=${endpoint}`,
    GROUNDWATCH_OBJECTS_CACHE: '0.03',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const make = async (name: string, args: readonly string[]): Promise<Machine> => {
    const machine = await Machine.make(name, args, join(folder, name), env, DISK_MB);
    closers.push(() => machine.remove());
    return machine;
  };
  const api = await make('api', ['serve', '--no-worker', '--no-console']);
  await api.start();
  const hands: Machine[] = [];
  for (let n = 0; n < workers; n++) hands.push(await make(`worker-${n}`, ['worker']));
  for (const hand of hands) await hand.start();
  const ingest = await make('ingest', []);
  const next = draw(seed, 4711);
  const killed = new Map<string, number>();
  const killing = async (over: AbortSignal, watch: JobWatch): Promise<number> => {
    const servers = { objects, nats, ...(given.postgres && { postgres }) };
    const names = [...hands.map(({ name }) => name), ...Object.keys(servers)];
    for (let kills = 0; ; kills++) {
      await sleep(every * 1000, undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return kills;
      const name = names[Math.floor(next() * names.length)]!;
      killed.set(name, (killed.get(name) ?? 0) + 1);
      const hand = hands.find((each) => each.name === name);
      const server = servers[name as keyof typeof servers];
      await (hand ?? server)!.kill();
      if (hand !== undefined) watch.workerDied();
      await sleep(DOWN_MS);
      if (hand !== undefined) await hand.start();
      else if (server === nats) await nats.start();
      else await (server as ObjectServer | PostgresServer).run();
    }
  };
  const nodes = [api, ...hands];
  const run = await takeIn(
    `${workers} workers, objects, NATS`,
    nodes,
    ingest.env,
    every > 0 ? killing : () => Promise.resolve(0),
  );
  console.log(`killed: ${[...killed].map(([name, times]) => `${name} ${times}`).join(', ') || 'nothing'}`);
  const { scenes, states, saves } = await writtenTo(join(folder, 'objects'));
  const units = blocks * dates;
  console.log(
    `written to objects: ${(scenes / units / 1000).toFixed(1)} kB of scenes and ${(states / units / 1000).toFixed(1)} kB of states for each date of a block; ` +
      `a state was saved ${(saves / units).toFixed(2)} times for each date, and has ${(states / Math.max(saves, 1) / 1000).toFixed(0)} kB`,
  );
  for (const node of nodes) {
    const lines = node.log.split('\n').filter((line) => /"level":"error"|ENOSPC|Unhandled/.test(line));
    const texts = Map.groupBy(lines, (line) => /"msg":"([^"]{0,160})/.exec(line)?.[1] ?? line.slice(0, 160));
    for (const [text, all] of [...texts].slice(0, 8)) console.log(`  ${node.name}: ${all.length} x ${text}`);
  }
  return run;
}

/** Lets all dates arrive, and waits until everything is published. */
async function takeIn(
  name: string,
  nodes: readonly Machine[],
  env: NodeJS.ProcessEnv,
  killing: (over: AbortSignal, watch: JobWatch) => Promise<number>,
): Promise<Run> {
  const over = new AbortController();
  const began = performance.now();
  const watch = new JobWatch(env['DATABASE_URL']!);
  const kills = killing(over.signal, watch);
  kills.catch(() => undefined);
  const arrivals = arrive(env, String(seed), String(blocks), String(all), String(history));
  closers.push(async () => void arrivals.kill('SIGKILL'));
  let [done, again, ingestS] = [0, 0, 0];
  createInterface({ input: arrivals.stdout! }).on('line', (line) => {
    if (line.startsWith('processor')) ingestS = Number(line.split(' ')[1]);
    else if (line.startsWith('date')) done++;
    else if (again++ < 5) console.log(`  ingest: ${line}`);
    if (done % (blocks * 2) === 0 && line.startsWith('date'))
      console.log(`  ${done} dates of blocks, ${((performance.now() - began) / 1000).toFixed(0)} s`);
  });
  const failing = kills.then(() => new Promise<never>(() => undefined));
  const [code] = (await Promise.race([once(arrivals, 'close'), failing])) as [number | null];
  const wallS = (performance.now() - began) / 1000;
  over.abort();
  const killed = await kills;
  console.log(`  ${jobTimesLine(await watch.end())}`);
  if (code !== 0)
    throw new Error(`the dates were not taken in, code ${code}: ${nodes.map(({ log }) => log).join('\n')}`);
  const costs = await Promise.all(nodes.map((node) => node.cost()));
  const sum = (field: keyof MachineCost): number => costs.reduce((total, cost) => total + cost[field], 0);
  const told = arrive(env, 'outcome');
  let text = '';
  told.stdout!.setEncoding('utf8').on('data', (part: string) => (text += part));
  if ((await once(told, 'close'))[0] !== 0)
    throw new Error(`what ${name} published could not be read: ${text}`);
  for (const [n, { processorS, starts, startsS }] of costs.entries())
    console.log(
      `  ${nodes[n]!.name}: ${processorS.toFixed(0)} s of processor time, ${startsS.toFixed(0)} s of them in ${starts} starts`,
    );
  console.log(
    `  ${again} times an ingest was repeated; ingests took ${ingestS.toFixed(0)} s of processor time`,
  );
  const cost = {
    processorS: sum('processorS'),
    starts: sum('starts'),
    startsS: sum('startsS'),
    put: sum('put'),
    got: sum('got'),
    disk: Math.max(...costs.map(({ disk }) => disk)),
  };
  return { name, wallS, outcome: JSON.parse(text) as Outcome, cost, kills: killed };
}

function arrive(env: NodeJS.ProcessEnv, ...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [ARRIVALS, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

function print({ name, wallS, outcome, cost, kills }: Run): void {
  const units = blocks * (dates + (history > 0 ? 1 : 0));
  console.log(
    `${name}: ${wallS.toFixed(1)} s, ${(units / wallS).toFixed(2)} units a second, ${cost.processorS.toFixed(0)} s of processor time, ` +
      `${(cost.put / units / 1000).toFixed(1)} kB put and ${(cost.got / units / 1000).toFixed(1)} kB got a unit by nodes, ` +
      `disk at most ${(cost.disk / 1e6).toFixed(1)} MB, ${kills} kills; ${outcome.scenes.length} scenes, ` +
      `${outcome.changes.length} changes, ${outcome.events.length} events, ${outcome.incidents.length} incidents, ` +
      `${outcome.damage.length} damages; load ${loadavg()[0]!.toFixed(1)}`,
  );
}

function compare(single: Run, several: Run): void {
  for (const part of ['scenes', 'changes', 'events', 'incidents', 'damage'] as const) {
    const missing = without(single.outcome[part], several.outcome[part]);
    const extra = without(several.outcome[part], single.outcome[part]);
    const isSame =
      missing.length === 0 && extra.length === 0 && (part !== 'damage' || single.outcome.damage.length === 0);
    console.log(
      `${part}: ${isSame ? 'the same' : `DIFFERENT, ${missing.length} missing, ${extra.length} too many`}`,
    );
    for (const [sign, lines] of [
      ['-', missing],
      ['+', extra],
    ] as const)
      for (const line of lines.slice(0, 4)) console.log(`  ${sign} ${line.slice(0, 700)}`);
    if (!isSame) process.exitCode = 1;
  }
  console.log(`throughput: ${(single.wallS / several.wallS).toFixed(2)} times that of one process`);
}

/** The lines of one list that another does not have, each as often as it is there more often. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
