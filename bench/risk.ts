/**
 * CPU time that the server spends on GET /v1/risk and on a batch of 1,000 locations, over TLS with keep-alive.
 * Compared with a bare Fastify server that has the same schemas but no credential, rate limit, log or model, and with
 * ones that add the headers of the interface, then the credential and the limits, then the model, each in the plainest
 * way: the last is the floor. Each server runs in its own process, and they take turns. Single calls are measured in a
 * burst and at a steady pace: in a burst the faster server finds the next calls waiting, so that it neither waits nor
 * wakes anybody. Prints the medians and the lowest of all rounds (the least disturbed one on a busy machine), and the
 * median of the ratios of neighbouring rounds.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { HOST, type Ready, SERVERS, type ServerKind, startServer } from './risk/servers.ts';
import { quantile } from './service/quantile.ts';
import { riskPlaces } from './service/risk-places.ts';

const ROUNDS = 25; // rounds of each server and kind; short and alternating, so that other load disturbs both alike
const SINGLES = 1200; // requests in a round
const BATCHES = 16;
const LOCATIONS = 1000; // locations in a batch: the maximum that the API accepts
const WARM_ROUNDS = 15; // rounds before the measurement, so that compilation is not measured
const IN_FLIGHT = 8; // concurrent requests, each on its own connection
/** Budgets: maximum ratios to the CPU time of the floor, and of the bare server, which has no model. */
const BUDGETS = {
  burst: { model: 1.3, bare: 1.35 },
  paced: { model: 1.6, bare: 1.35 },
  batch: { model: 1.05, bare: 1.5 },
} as const;
/** Calls at a steady pace: their number in a round, the rounds, and the time from one to the next [ms]. */
const PACED = { count: 250, rounds: 12, warmRounds: 6, everyMs: 4 };
/** A server in its own process. */
interface Peer {
  readonly process: ChildProcess;
  readonly clients: readonly Client[];
  readonly authorization: string;
}

async function start(kind: ServerKind, folder: string): Promise<Peer> {
  const child = fork(import.meta.filename, [kind, folder], { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] });
  const [{ port, ca, key }] = (await once(child, 'message')) as [Ready];
  const clients = Array.from(
    { length: IN_FLIGHT },
    () => new Client(`https://${HOST}:${port}`, { connect: { ca }, pipelining: 1 }),
  );
  return { process: child, clients, authorization: `Bearer ${key}` };
}

/** CPU time that a server has used so far [us]. */
async function cpuUs(peer: Peer): Promise<number> {
  const told = once(peer.process, 'message');
  peer.process.send('cpu');
  return ((await told) as [number])[0];
}

interface Work {
  readonly path: (i: number) => string;
  readonly method: 'GET' | 'POST';
  readonly body: string | null;
  readonly count: number;
}

/** Mean CPU time of the server per request [us]. */
async function round(peer: Peer, { path, method, body, count }: Work): Promise<number> {
  const before = await cpuUs(peer);
  let next = 0;
  await Promise.all(
    peer.clients.map(async (client) => {
      for (let i = next++; i < count; i = next++) {
        const headers = {
          authorization: peer.authorization,
          ...(body !== null && { 'content-type': 'application/json' }),
        };
        const answer = await client.request({ path: path(i), method, headers, body });
        if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
        await answer.body.dump({ limit: 1e9 });
      }
    }),
  );
  return ((await cpuUs(peer)) - before) / count;
}

/** Mean CPU time of the server per request [us] when they come one by one at a steady pace. */
async function pacedRound(peer: Peer, { path }: Work): Promise<number> {
  const before = await cpuUs(peer);
  const begun = performance.now();
  for (let i = 0; i < PACED.count; i++) {
    const waitMs = begun + i * PACED.everyMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const client = peer.clients[i % peer.clients.length]!;
    const headers = { authorization: peer.authorization };
    const answer = await client.request({ path: path(i), method: 'GET', headers });
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
    await answer.body.dump({ limit: 1e9 });
  }
  return ((await cpuUs(peer)) - before) / PACED.count;
}

const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Lets all servers do the same work in turns, and prints what each took. @param budget of the service, to the floor and to the bare server */
async function compare(
  name: string,
  peers: readonly Peer[],
  work: Work,
  budget: Readonly<Record<'model' | 'bare', number>>,
  { measure, rounds, warmRounds } = { measure: round, rounds: ROUNDS, warmRounds: WARM_ROUNDS },
): Promise<void> {
  const times: readonly number[][] = peers.map(() => []);
  for (let k = -warmRounds; k < rounds; k++)
    for (const [side, peer] of peers.entries()) {
      const us = await measure(peer, work);
      if (k >= 0) times[side]!.push(us);
    }
  console.log(`\n${name}; load ${loadavg()[0]!.toFixed(1)}`);
  for (const [side, kind] of SERVERS.entries()) {
    const us = times[side]!;
    const ratios = times[0]!.map((own, i) => own / us[i]!);
    const quarters = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(2));
    const least = (Math.min(...times[0]!) / Math.min(...us)).toFixed(2);
    const told = `${median(us).toFixed(0)} us (least ${Math.min(...us).toFixed(0)})`;
    const ratio = `ours is ${quarters[1]} times as much (quarters ${quarters[0]} to ${quarters[2]}, of the least ${least})`;
    console.log(`  ${kind.padEnd(10)} ${told.padEnd(26)} ${side === 0 ? '' : ratio}`);
  }
  for (const kind of ['model', 'bare'] as const) {
    const ratio = median(times[0]!.map((own, i) => own / times[SERVERS.indexOf(kind)]![i]!));
    console.log(`  ${ratio <= budget[kind] ? 'within' : 'OVER'} ${budget[kind]} times ${kind}`);
  }
}

/** The parent process drives all servers. A child process runs one of them and reports its CPU time on request. */
async function main(kind: string | undefined, folder: string): Promise<void> {
  const server = SERVERS.find((one) => one === kind);
  if (server !== undefined) {
    const ready = await startServer(server, folder);
    process.on('message', () => {
      const { user, system } = process.cpuUsage();
      process.send!(user + system);
    });
    process.on('disconnect', () => process.exit(0));
    process.send!(ready);
    return;
  }
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-bench-'));
  const started: Peer[] = [];
  try {
    for (const server of SERVERS) started.push(await start(server, home));
    const load = loadavg().map((value) => value.toFixed(1));
    console.log(`CPU of the server a request, servers in turns; load ${load.join(' ')}`);
    const points = riskPlaces(LOCATIONS);
    const queries = points.map(({ lat, lng, peril }) => `/v1/risk?lat=${lat}&lng=${lng}&peril=${peril}`);
    const single: Work = {
      path: (i) => queries[i % queries.length]!,
      method: 'GET',
      body: null,
      count: SINGLES,
    };
    await compare(`GET /v1/risk, ${IN_FLIGHT} in flight`, started, single, BUDGETS.burst);
    await compare(`GET /v1/risk, ${1000 / PACED.everyMs} a second`, started, single, BUDGETS.paced, {
      ...PACED,
      measure: pacedRound,
    });
    await compare(
      `batch of ${LOCATIONS}`,
      started,
      {
        path: () => '/v1/risk/batch',
        method: 'POST',
        body: JSON.stringify({ locations: points }),
        count: BATCHES,
      },
      BUDGETS.batch,
    );
  } finally {
    for (const peer of started) {
      await Promise.all(peer.clients.map((client) => client.destroy()));
      peer.process.disconnect();
    }
    rmSync(home, { recursive: true, force: true });
  }
}

await main(process.argv[2], process.argv[3] ?? '');
