/**
 * The servers that the benchmark of risk calls compares: the service, a bare Fastify, and a Fastify that does more and
 * more of what every answer needs in the plainest way.
 */
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyReply } from 'fastify';
import type { Clock } from '../../src/app/clock.ts';
import type { Authenticator, Principal } from '../../src/app/access/principal.ts';
import { assessPlace, assessPlaces } from '../../src/app/risk/assess-risk.ts';
import type { Storage } from '../../src/app/storage.ts';
import { newApiKey } from '../../src/auth/api-key.ts';
import { authenticator } from '../../src/auth/authenticator.ts';
import { keyVerifier } from '../../src/auth/key-verifier.ts';
import { newId } from '../../src/base/ids.ts';
import { type Allowance, RateLimiter } from '../../src/base/rate-limiter.ts';
import { ACCOUNT_LIMITS } from '../../src/contract/limits.ts';
import {
  assessRisk,
  assessRiskBatch,
  BatchResult,
  type Location,
  RiskAssessment,
} from '../../src/contract/risk.ts';
import { SCOPES } from '../../src/contract/scopes.ts';
import { answerTag } from '../../src/http/answer/answer-tag.ts';
import { STRICT_TRANSPORT_SECURITY } from '../../src/http/answer/raw-answer.ts';
import { buildApp } from '../../src/http/app.ts';
import { ConnectionTable } from '../../src/http/connections/connection-table.ts';
import { allowanceHeaders } from '../../src/http/rate-limit.ts';
import { placesOf } from '../../src/http/routes/location-scanner.ts';
import { localCertificate } from '../../src/http/tls/local-certificate.ts';
import { answerClientError, secureListener } from '../../src/http/tls/secure-listener.ts';
import { LayerStore } from '../../src/sources/layers/layer-store.ts';

/** Address at which the servers listen. */
export const HOST = '127.0.0.1';

/**
 * What each server does. `headers` is `bare` with the twelve headers of the interface, an entity tag among them;
 * `credential` checks the key and takes units of two budgets too; `model` computes the answer too. That is the least
 * that an answer of the service needs, without its checks, log, counts, and shares.
 */
export const SERVERS = ['ours', 'bare', 'headers', 'credential', 'model'] as const;
export type ServerKind = (typeof SERVERS)[number];

/** What a client needs to call a server. */
export interface Ready {
  readonly port: number;
  readonly ca: string;
  readonly key: string;
}

/** A key that may do everything without ever reaching its limit, and what recognises it. */
function knownKey(): { readonly text: string; readonly clock: Clock; readonly authenticator: Authenticator } {
  const key = newApiKey('production');
  const record = {
    id: key.id,
    accountId: 'acc_01k9q3v8gze7q8w1n5s0t4b6yz',
    environment: 'production',
    secretHash: key.hash,
    scopes: SCOPES,
    rateLimit: UNITS,
    createdAt: new Date(),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    name: null,
    accountDisabledAt: null,
  } as const;
  const clock = { now: () => Date.now() };
  return {
    text: key.text,
    clock,
    authenticator: authenticator(
      {
        key: keyVerifier({ find: () => Promise.resolve(record), touch: () => Promise.resolve() }, clock),
        token: () => Promise.reject(new Error('no tokens here')),
      },
      ABSENT,
      clock,
    ),
  };
}

/** Units a minute of the key and of its account: they are counted, but the limit is never reached. */
const UNITS = 1_000_000_000;
const ABSENT = new Proxy(Object.create(null) as never, {
  get: () => {
    throw new Error('no part of this benchmark');
  },
});

const shippedLayers = (folder: string): Promise<LayerStore> =>
  LayerStore.open({
    catalogues: [join(import.meta.dirname, '../../data/layers/catalogue.json')],
    folder: join(folder, 'layers'),
    onProblem: (message) => console.error(message),
  });

/** Starts a server. @param folder for its certificate and layers */
export function startServer(kind: ServerKind, folder: string): Promise<Ready> {
  return kind === 'ours' ? ours(folder) : plain(folder, SERVERS.indexOf(kind));
}

async function ours(folder: string): Promise<Ready> {
  const certificate = await localCertificate({ folder, hosts: [HOST], nowMs: Date.now() });
  const layers = await shippedLayers(folder);
  const key = knownKey();
  const connections = new ConnectionTable();
  const app = await buildApp({
    deps: {
      clock: key.clock,
      storage: {
        usage: { add: () => Promise.resolve() },
        audit: ABSENT,
        boundTo: () => ABSENT,
      } as unknown as Storage,
      cube: ABSENT,
      region: ABSENT,
      layers,
      pictures: ABSENT,
      authenticator: key.authenticator,
      oauth: ABSENT,
      newApiKey: () => ABSENT,
      newClientSecret: () => ABSENT,
      checkCallback: () => ({ ok: true }),
      newWebhookSecret: () => '',
      wakeDelivery: () => undefined,
      shortage: () => Promise.resolve(undefined),
      ready: () => Promise.resolve(undefined),
      version: '0.0.0',
    },
    accountLimits: { ...ACCOUNT_LIMITS, units: UNITS }, // counted, like the units of the key
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

/** What a bare server answers, whatever it is asked. */
const ANSWER: { readonly risk_score: number; readonly confidence: number } = {
  risk_score: 0.4123456789,
  confidence: 0.53125,
};

/** A Fastify with the schemas of the operations, which does the steps of {@link SERVERS} up to `last`. */
async function plain(folder: string, last: number): Promise<Ready> {
  const does = (step: ServerKind): boolean => last >= SERVERS.indexOf(step);
  const certificate = await localCertificate({ folder, hosts: [HOST], nowMs: Date.now() });
  const app = Fastify({ https: { cert: certificate.certPem, key: certificate.keyPem } });
  const key = knownKey();
  const limiter = new RateLimiter();
  const free = limiter.take('free', UNITS, 0, 0);
  const allowances = new WeakMap<object, Allowance>();
  if (does('credential'))
    app.addHook('onRequest', async (request) => {
      const known = key.authenticator.authenticate(request.headers.authorization, request);
      const { keyId, accountId, rateLimit }: Principal = typeof known === 'function' ? await known() : known;
      const above = { key: accountId, limit: UNITS };
      allowances.set(request, limiter.take(keyId, rateLimit, 1, key.clock.now(), 0, above));
    });
  if (does('headers'))
    app.addHook<string>('onSend', (request, reply, payload, _done) => {
      answerWithHeaders(reply, payload, allowances.get(request) ?? free);
    });
  const layers = does('model') ? (await shippedLayers(folder)).snapshot('production') : undefined;
  app.get<{ Querystring: Location }>(
    assessRisk.path,
    { schema: { querystring: assessRisk.query, response: { 200: RiskAssessment } } },
    ({ query }) => {
      if (layers === undefined) return { ...ANSWER, model_version: 'flood-v0.0.0' };
      const { assessment, modelVersion } = assessPlace(layers, query, false);
      const { riskScore, confidence } = assessment;
      return { risk_score: riskScore, confidence, model_version: modelVersion };
    },
  );
  app.post<{ Body: { locations: readonly Location[] } }>(
    assessRiskBatch.path,
    {
      schema: {
        body: assessRiskBatch.body,
        response: { 200: { type: 'object', properties: { results: { type: 'array', items: BatchResult } } } },
      },
    },
    ({ body }) => {
      if (layers === undefined) return { results: body.locations.map(() => ({ ...ANSWER })) };
      const { riskScores, confidences } = assessPlaces(layers, placesOf(body.locations), false);
      return {
        results: Array.from(riskScores, (score, i) => ({ risk_score: score, confidence: confidences[i]! })),
      };
    },
  );
  await app.listen({ host: HOST, port: 0 });
  return { port: (app.server.address() as AddressInfo).port, ca: certificate.caPem, key: key.text };
}

/** Sends an answer with all headers of the interface, in the form that costs Node least. */
function answerWithHeaders(reply: FastifyReply, payload: string, allowance: Allowance): void {
  const head: (string | number)[] = ['X-Request-Id', newId('request')];
  head.push('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY, 'X-Content-Type-Options', 'nosniff');
  allowanceHeaders(allowance, head);
  if (reply.request.method === 'GET') head.push('ETag', answerTag(payload));
  head.push('Cache-Control', 'private', 'Content-Type', 'application/json; charset=utf-8');
  head.push('Content-Length', Buffer.byteLength(payload));
  reply.raw.writeHead(200, head as string[]);
  reply.raw.end(payload);
}
