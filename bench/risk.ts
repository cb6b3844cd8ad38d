/**
 * CPU time that the server spends on GET /v1/risk and on a batch of 1,000 locations, over TLS with keep-alive.
 * Compared with a bare Fastify server that has the same schemas but no credential, rate limit, log or model. Each
 * server runs in its own process, and the two take turns. Single calls are measured in a burst and at a steady pace: in
 * a burst the faster server finds the next calls waiting, so that it neither waits nor wakes anybody. Prints the
 * medians, the lowest of all rounds (the least disturbed one on a busy machine), and the median of the ratios of
 * neighbouring rounds.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { Client } from 'undici';
import type { Storage } from '../src/app/storage.ts';
import { newApiKey } from '../src/auth/api-key.ts';
import { authenticator } from '../src/auth/authenticator.ts';
import { keyVerifier } from '../src/auth/key-verifier.ts';
import { assessRisk, assessRiskBatch, BatchResult, RiskAssessment } from '../src/contract/risk.ts';
import { ACCOUNT_LIMITS } from '../src/contract/limits.ts';
import { SCOPES } from '../src/contract/scopes.ts';
import { buildApp } from '../src/http/app.ts';
import { localCertificate } from '../src/http/tls/local-certificate.ts';
import { ConnectionTable } from '../src/http/connections/connection-table.ts';
import { answerClientError, secureListener } from '../src/http/tls/secure-listener.ts';
import { riskPlaces } from './service/risk-places.ts';
import { LayerStore } from '../src/sources/layers/layer-store.ts';

const ROUNDS = 25; // rounds of each server and kind; short and alternating, so that other load disturbs both alike
const SINGLES = 1200; // requests in a round
const BATCHES = 16;
const LOCATIONS = 1000; // locations in a batch: the maximum that the API accepts
const WARM_ROUNDS = 15; // rounds before the measurement, so that compilation is not measured
const IN_FLIGHT = 8; // concurrent requests, each on its own connection
const SINGLE_BUDGET = 1.35; // our target: maximum ratio to the CPU time of the bare server
const BATCH_BUDGET = 1.5;
/** Calls at a steady pace: their number in a round, the rounds, and the time from one to the next [ms]. */
const PACED = { count: 250, rounds: 12, warmRounds: 6, everyMs: 4 };
const HOST = '127.0.0.1';

interface Ready {
  readonly port: number;
  readonly ca: string;
  readonly key: string;
}

async function ours(folder: string): Promise<Ready> {
  const certificate = await localCertificate({ folder, hosts: [HOST], nowMs: Date.now() });
  const layers = await LayerStore.open({
    catalogues: [join(import.meta.dirname, '../data/layers/catalogue.json')],
    folder: join(folder, 'layers'),
    onProblem: (message) => console.error(message),
  });
  const key = newApiKey('production');
  const record = {
    id: key.id,
    accountId: 'acc_01k9q3v8gze7q8w1n5s0t4b6yz',
    environment: 'production',
    secretHash: key.hash,
    scopes: SCOPES,
    rateLimit: 1_000_000_000, // requests are counted, but the limit is never reached
    createdAt: new Date(),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    name: null,
    accountDisabledAt: null,
  } as const;
  const clock = { now: () => Date.now() };
  const absent = new Proxy(Object.create(null) as never, {
    get: () => {
      throw new Error('no part of this benchmark');
    },
  });
  const connections = new ConnectionTable();
  const app = await buildApp({
    deps: {
      clock,
      storage: {
        usage: { add: () => Promise.resolve() },
        audit: absent,
        boundTo: () => absent,
      } as unknown as Storage,
      cube: absent,
      region: absent,
      layers,
      pictures: absent,
      authenticator: authenticator(
        {
          key: keyVerifier({ find: () => Promise.resolve(record), touch: () => Promise.resolve() }, clock),
          token: () => Promise.reject(new Error('no tokens here')),
        },
        absent,
        clock,
      ),
      oauth: absent,
      newApiKey: () => absent,
      newClientSecret: () => absent,
      checkCallback: () => ({ ok: true }),
      newWebhookSecret: () => '',
      wakeDelivery: () => undefined,
      ready: () => Promise.resolve(undefined),
      version: '0.0.0',
    },
    accountLimits: { ...ACCOUNT_LIMITS, units: 1_000_000_000 }, // counted, like the units of the key
    logLevel: 'info',
    trustProxy: [],
    corsOrigins: [],
    onExposedCredential: () => undefined,
    clientErrorHandler: answerClientError,
    connections,
    serverFactory: (handler) =>
      secureListener(handler, { certificate, connections, onExposedCredential: () => undefined }),
  });
  await app.listen({ host: HOST, port: 0 });
  return { port: (app.server.address() as AddressInfo).port, ca: certificate.caPem, key: key.text };
}

async function bare(folder: string): Promise<Ready> {
  const certificate = await localCertificate({ folder, hosts: [HOST], nowMs: Date.now() });
  const app = Fastify({ https: { cert: certificate.certPem, key: certificate.keyPem } });
  const answer: { risk_score: number; confidence: number } = {
    risk_score: 0.4123456789,
    confidence: 0.53125,
  };
  app.get(
    assessRisk.path,
    { schema: { querystring: assessRisk.query, response: { 200: RiskAssessment } } },
    () => ({ ...answer, model_version: 'flood-v0.0.0' }),
  );
  app.post<{ Body: { locations: readonly unknown[] } }>(
    assessRiskBatch.path,
    {
      schema: {
        body: assessRiskBatch.body,
        response: { 200: { type: 'object', properties: { results: { type: 'array', items: BatchResult } } } },
      },
    },
    (request) => ({ results: request.body.locations.map(() => ({ ...answer })) }),
  );
  await app.listen({ host: HOST, port: 0 });
  return { port: (app.server.address() as AddressInfo).port, ca: certificate.caPem, key: 'none' };
}

/** A server in its own process. */
interface Peer {
  readonly process: ChildProcess;
  readonly clients: readonly Client[];
  readonly authorization: string;
}

async function start(kind: 'ours' | 'bare', folder: string): Promise<Peer> {
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

function quantile(values: readonly number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(fraction * (values.length - 1))]!;
}

const median = (values: readonly number[]): number => quantile(values, 0.5);

async function compare(
  name: string,
  peers: readonly [Peer, Peer],
  work: Work,
  budget: number,
  { measure, rounds, warmRounds } = { measure: round, rounds: ROUNDS, warmRounds: WARM_ROUNDS },
): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (let k = -warmRounds; k < rounds; k++)
    for (const side of [0, 1] as const) {
      const us = await measure(peers[side], work);
      if (k >= 0) times[side].push(us);
    }
  const ratios = times[0].map((us, i) => us / times[1][i]!);
  const ratio = median(ratios);
  const [low, high] = [quantile(ratios, 0.25), quantile(ratios, 0.75)];
  const least = Math.min(...times[0]) / Math.min(...times[1]);
  const told = (us: readonly number[]): string =>
    `${median(us).toFixed(0)} us (least ${Math.min(...us).toFixed(0)})`;
  console.log(
    `${name.padEnd(24)} ours ${told(times[0])}, bare ${told(times[1])}, ratio ${ratio.toFixed(2)} ` +
      `(quarters ${low.toFixed(2)} to ${high.toFixed(2)}), of the least ${least.toFixed(2)}  ${ratio <= budget ? 'within' : 'OVER'} ${budget}`,
  );
}

/** The parent process drives both servers. A child process runs one of them and reports its CPU time on request. */
async function main(kind: string | undefined, folder: string): Promise<void> {
  if (kind === 'ours' || kind === 'bare') {
    const ready = await (kind === 'ours' ? ours(folder) : bare(folder));
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
    started.push(await start('ours', home), await start('bare', home));
    const peers: readonly [Peer, Peer] = [started[0]!, started[1]!];
    const load = loadavg().map((value) => value.toFixed(1));
    console.log(`CPU of the server a request, ${ROUNDS} rounds in turns; load ${load.join(' ')}`);
    const points = riskPlaces(LOCATIONS);
    const queries = points.map(({ lat, lng, peril }) => `/v1/risk?lat=${lat}&lng=${lng}&peril=${peril}`);
    const single: Work = {
      path: (i) => queries[i % queries.length]!,
      method: 'GET',
      body: null,
      count: SINGLES,
    };
    await compare('GET /v1/risk', peers, single, SINGLE_BUDGET);
    await compare(`the same, ${1000 / PACED.everyMs} a second`, peers, single, SINGLE_BUDGET, {
      ...PACED,
      measure: pacedRound,
    });
    await compare(
      `batch of ${LOCATIONS}`,
      peers,
      {
        path: () => '/v1/risk/batch',
        method: 'POST',
        body: JSON.stringify({ locations: points }),
        count: BATCHES,
      },
      BATCH_BUDGET,
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
