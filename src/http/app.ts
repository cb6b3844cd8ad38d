import { isUtf8 } from 'node:buffer';
import compress from '@fastify/compress';
import cors from '@fastify/cors';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  LogController,
} from 'fastify';
import type { Deps } from '../app/deps.ts';
import { InvalidInput, NotFound } from '../app/errors.ts';
import { RateLimiter } from '../app/gcra.ts';
import { newId } from '../app/ids.ts';
import { type Deprecation, DEPRECATIONS } from '../contract/deprecations.ts';
import { tagAnswer } from './answer-tag.ts';
import { anomalyRoutes } from './anomalies.routes.ts';
import { aoiRoutes } from './aois.routes.ts';
import { changeRoutes } from './changes.routes.ts';
import { consoleRoutes } from './console.routes.ts';
import { answerError } from './error-handler.ts';
import { healthRoutes } from './health.routes.ts';
import { historicalRoutes } from './historical.routes.ts';
import { rateLimits } from './rate-limit.ts';
import { STRICT_TRANSPORT_SECURITY } from './raw-answer.ts';
import { referenceRoutes } from './reference.routes.ts';
import { riskRoutes } from './risk.routes.ts';
import type { RouteContext } from './route.ts';
import { subscriptionRoutes } from './subscriptions.routes.ts';
import { webhookRoutes } from './webhooks.routes.ts';

/** Largest body taken [bytes]: an area of 10,000 vertices at full precision is half of it. */
const BODY_LIMIT = 2 * 1024 * 1024;
/** Answers shorter than this are not worth compressing [bytes]: contract.md "Compression". */
const COMPRESS_FROM = 1024;

/** Headers that a browser may read of our answers. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'Link',
  'Location',
  'ETag',
  'Deprecation',
  'Sunset',
];

export interface AppOptions {
  readonly deps: Deps;
  readonly logLevel: string;
  readonly trustProxy: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Makes the server that listens; absent: none is made, for tests that inject requests. */
  readonly serverFactory?: FastifyServerFactory;
  readonly clientErrorHandler?: (
    error: Error & { code?: string },
    socket: import('node:stream').Duplex,
  ) => void;
  /** Told of a credential that came over plain HTTP through a proxy. */
  readonly onExposedCredential: (authorization: string, remoteAddress: string) => void;
  readonly deprecations?: Readonly<Record<string, Deprecation>>;
  /** Folder of the console's build, served at `/`; undefined: there is no console. */
  readonly consoleFolder?: string | undefined;
  /** Address under which callers reach the service; undefined: told by the examples' default. */
  readonly baseUrl?: string | undefined;
}

/** The HTTP service: every operation of the contract, its errors, its headers, and the pages beside it. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { deps } = options;
  const limits = rateLimits(new RateLimiter(), deps.clock);
  const app = Fastify({
    logger: options.logLevel === 'silent' ? false : loggerOptions(options.logLevel),
    // One line for each answer, below, instead of two for each request.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => newId('request'),
    bodyLimit: BODY_LIMIT,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    // Queries are read by each route's own schema, strictly.
    routerOptions: { maxParamLength: 200, querystringParser: () => ({}) },
    exposeHeadRoutes: true,
    // What the router itself refuses comes past every hook.
    frameworkErrors: (error, request, reply) => {
      guardHeaders(request, reply);
      limits.tellAddress(request.ip, reply);
      answerError(error, request, reply);
    },
    ...(options.serverFactory && { serverFactory: options.serverFactory }),
    ...(options.clientErrorHandler && { clientErrorHandler: options.clientErrorHandler }),
  });
  app.decorateRequest('principal', null);
  app.setErrorHandler(answerError);
  takeJsonOnly(app);

  app.addHook('onRequest', (request, reply, done) => {
    guardHeaders(request, reply);
    if (options.trustProxy.length > 0 && request.protocol === 'http') {
      if (request.headers.authorization !== undefined)
        options.onExposedCredential(request.headers.authorization, request.ip);
      done(new InvalidInput('Plain HTTP is refused: use https'));
      return;
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        key_id: request.principal?.keyId,
        method: request.method,
        path: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'answered',
    );
    done();
  });
  if (options.corsOrigins.length > 0) {
    await app.register(cors, {
      origin: [...options.corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      exposedHeaders: EXPOSED_HEADERS,
    });
  }
  // The tag is of the answer itself, so it comes before compression.
  app.addHook('onSend', tagAnswer);
  await app.register(compress, {
    threshold: COMPRESS_FROM,
    encodings: ['br', 'zstd', 'gzip'],
    globalDecompression: false,
  });

  const methodsByPath = collectMethods(app);
  const deprecations = options.deprecations ?? DEPRECATIONS;
  const context: RouteContext = { app, deps, limits, deprecations };
  for (const routes of [
    riskRoutes,
    aoiRoutes,
    changeRoutes,
    anomalyRoutes,
    subscriptionRoutes,
    historicalRoutes,
    webhookRoutes,
  ])
    routes(context);
  healthRoutes(app, deps);
  referenceRoutes(app, {
    version: deps.version,
    deprecations,
    ...(options.baseUrl !== undefined && { server: options.baseUrl }),
  });

  if (options.consoleFolder !== undefined) consoleRoutes(app, { folder: options.consoleFolder });

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const methods = methodsByPath.find(({ pattern }) => pattern.test(path))?.methods;
    if (methods !== undefined) reply.header('Allow', [...methods].toSorted().join(', '));
    limits.tellAddress(request.ip, reply);
    throw new NotFound(
      methods === undefined ? 'There is nothing at this path' : `There is no ${request.method} at this path`,
    );
  });
  await app.ready();
  return app;
}

/** One JSON object a line on stderr, with the level by name and the time as text. */
function loggerOptions(level: string) {
  return {
    level,
    stream: process.stderr,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
}

/** Takes bodies in JSON, and so in UTF-8 (RFC 8259 section 8.1): decoding alone would mend what is none in silence. */
function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isUtf8(body)) void parse(request, body.toString('utf8'), done);
    else done(new InvalidInput('The body is not valid UTF-8'));
  });
}

/** Headers of every answer. */
function guardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id);
  reply.header('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY);
  reply.header('X-Content-Type-Options', 'nosniff');
}

/** Watches which methods each path gets, for `Allow`. */
function collectMethods(
  app: FastifyInstance,
): readonly { readonly pattern: RegExp; readonly methods: Set<string> }[] {
  const byUrl = new Map<string, Set<string>>();
  const list: { pattern: RegExp; methods: Set<string> }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    let methods = byUrl.get(url);
    if (methods === undefined) {
      byUrl.set(url, (methods = new Set()));
      list.push({ pattern: new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`), methods });
    }
    for (const name of [method].flat()) methods.add(name);
  });
  return list;
}
