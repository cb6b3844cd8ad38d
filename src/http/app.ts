import type { Readable } from 'node:stream';
import cors from '@fastify/cors';
import Fastify, {
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerFactory,
  LogController,
} from 'fastify';
import type { Deps } from '../app/deps.ts';
import { InvalidInput, NotFound, RateLimited } from '../base/errors.ts';
import { AuditTrail } from '../app/access/audit-trail.ts';
import { type Limiter, RateLimiter } from '../base/rate-limiter.ts';
import { newId } from '../base/ids.ts';
import { UsageMeter } from '../app/access/usage-meter.ts';
import { type Deprecation, DEPRECATIONS } from '../contract/deprecations.ts';
import { AnswerMetrics } from './answer/answer-metrics.ts';
import { answerWriter, type WriteAnswer } from './answer/answer.ts';
import { anomalyRoutes } from './routes/anomalies.routes.ts';
import { aoiRoutes } from './routes/aois.routes.ts';
import { changeRoutes } from './routes/changes.routes.ts';
import { clientRoutes } from './routes/clients.routes.ts';
import { consoleRoutes } from './console/console.routes.ts';
import { errorAnswerer } from './error-handler.ts';
import { eventRoutes } from './routes/events.routes.ts';
import { healthRoutes } from './routes/health.routes.ts';
import { historicalRoutes } from './routes/historical.routes.ts';
import { takeJsonOnly } from './json-body.ts';
import { LoadShed } from './load-shed.ts';
import { keyRoutes } from './routes/keys.routes.ts';
import { openLog } from './answer/log.ts';
import { oauthRoutes } from './routes/oauth.routes.ts';
import { rateLimits } from './rate-limit.ts';
import { referenceRoutes } from './reference/reference.routes.ts';
import { riskRoutes } from './routes/risk.routes.ts';
import type { RouteContext } from './route.ts';
import { sandboxRoutes } from './routes/sandbox.routes.ts';
import { stationRoutes } from './routes/stations.routes.ts';
import { subscriptionRoutes } from './routes/subscriptions.routes.ts';
import { usageRoutes } from './routes/usage.routes.ts';
import { watchRoutes } from './routes/watches.routes.ts';
import { webhookRoutes } from './routes/webhooks.routes.ts';

/** Largest body taken [bytes]: an area of 10,000 vertices at full precision is half of it. */
const BODY_LIMIT = 2 * 1024 * 1024;

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
  /** Keeps budgets; absent: in this process. */
  readonly limiter?: Limiter;
  /** Folder of the console's build, served at `/`; undefined: there is no console. */
  readonly consoleFolder?: string | undefined;
  /** Address under which clients reach the token endpoint; undefined: the same. */
  readonly authUrl?: string | undefined;
  /** Address under which callers reach the service; undefined: told by the examples' default. */
  readonly baseUrl?: string | undefined;
}

/** The HTTP service: every operation of the contract, its errors, its headers, and the pages beside it. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { deps } = options;
  const log = openLog(options.logLevel, (lines) => process.stderr.write(lines));
  const lost = (what: string) => (err: unknown) => log.error({ err }, `${what} could not be written`);
  const usage = new UsageMeter(deps.storage.usage, deps.clock, lost('what was spent'));
  const trail = new AuditTrail(deps.storage.audit, lost('the audit trail'));
  const limits = rateLimits(options.limiter ?? new RateLimiter(), deps.clock, usage);
  const metrics = new AnswerMetrics();
  const load = new LoadShed(BODY_LIMIT);
  const write = answerWriter(log, metrics);
  const writeAnswer: WriteAnswer = (request, reply, payload) => {
    load.leave(request);
    write(request, reply, payload);
  };
  const answerError = errorAnswerer(writeAnswer, log);
  const app = Fastify({
    // One line for each answer, by its writer, and none of the framework's own.
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId('request'),
    bodyLimit: BODY_LIMIT,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    // Queries are read by each route's own schema, strictly.
    routerOptions: { maxParamLength: 200, querystringParser: () => ({}) },
    exposeHeadRoutes: true,
    // What the router itself refuses comes past every hook.
    frameworkErrors: (error, request, reply) => {
      request.startedMs = performance.now();
      void answerAfter(limits.tellAddress(reply), () => answerError(error, request, reply));
    },
    ...(options.serverFactory && { serverFactory: options.serverFactory }),
    ...(options.clientErrorHandler && { clientErrorHandler: options.clientErrorHandler }),
  });
  app.decorateRequest('principal', null);
  app.decorateRequest('operation', null);
  app.decorateRequest('allowance', null);
  app.decorateRequest('act', null);
  app.decorateRequest('weight', null);
  app.decorateRequest('startedMs', 0);
  app.addHook('onClose', async () => {
    await Promise.all([usage.flush(), trail.flush()]);
    log.close();
  });
  app.setErrorHandler(answerError);
  takeJsonOnly(app);

  app.addHook('onRequest', (request, reply, done) => {
    request.startedMs = performance.now();
    if (!load.enter(request)) {
      const { resetAt, waitS } = (request.allowance = load.allowance(deps.clock.now()));
      reply.header('Retry-After', waitS);
      done(new RateLimited('Too many calls are under way: this one was not begun', resetAt));
      return;
    }
    if (options.trustProxy.length > 0 && cameByPlainHttp(request)) {
      if (request.headers.authorization !== undefined)
        options.onExposedCredential(request.headers.authorization, request.ip);
      done(new InvalidInput('Plain HTTP is refused: use https'));
      return;
    }
    done();
  });
  if (options.corsOrigins.length > 0) {
    await app.register(cors, {
      origin: [...options.corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      exposedHeaders: EXPOSED_HEADERS,
    });
  }
  // Ends every answer: what the framework would do after it is done.
  app.addHook<string | Buffer | Readable | null | undefined>('onSend', (request, reply, payload, _done) => {
    const { act } = request;
    const answer = (): void => writeAnswer(request, reply, payload ?? null);
    if (act === null || reply.statusCode >= 300) answer();
    else deps.storage.audit.record([act]).then(answer, (error) => answerError(error, request, reply));
  });

  const methodsByPath = collectMethods(app);
  const deprecations = options.deprecations ?? DEPRECATIONS;
  const { storage: acrossAccounts, ...boundDeps } = deps;
  const context: RouteContext = {
    app,
    deps: boundDeps,
    acrossAccounts,
    limits,
    trail,
    deprecations,
    writeAnswer,
  };
  for (const routes of [
    riskRoutes,
    watchRoutes,
    aoiRoutes,
    changeRoutes,
    anomalyRoutes,
    subscriptionRoutes,
    historicalRoutes,
    stationRoutes,
    sandboxRoutes,
    webhookRoutes,
    eventRoutes,
    keyRoutes,
    clientRoutes,
    usageRoutes,
  ])
    routes(context);
  await oauthRoutes(app, { oauth: deps.oauth, limits, trail, log });
  healthRoutes(app, deps, metrics);
  referenceRoutes(app, {
    version: deps.version,
    deprecations,
    ...(options.baseUrl !== undefined && { server: options.baseUrl }),
    ...(options.authUrl !== undefined && { authServer: options.authUrl }),
  });

  if (options.consoleFolder !== undefined) consoleRoutes(app, { folder: options.consoleFolder });

  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const methods = methodsByPath.find(({ pattern }) => pattern.test(path))?.methods;
    if (methods !== undefined) reply.header('Allow', [...methods].toSorted().join(', '));
    await limits.tellAddress(reply);
    throw new NotFound(
      methods === undefined ? `There is nothing at ${path}` : `There is no ${request.method} at ${path}`,
    );
  });
  await app.ready();
  return app;
}

/** Answers once something has settled, however it did. */
async function answerAfter(first: void | Promise<void>, answer: () => void): Promise<void> {
  await Promise.allSettled([first]);
  answer();
}

/** Whether a proxy that is believed tells of plain HTTP on any part of the way: each may add its own to the list. */
function cameByPlainHttp(request: FastifyRequest): boolean {
  const told = request.headers['x-forwarded-proto'] as string | undefined; // Node joins several with commas
  // The framework decides whom it believes, then reads the last entry as it is written.
  if (told) {
    const secure = told.split(',').every((protocol) => protocol.trim().toLowerCase() === 'https');
    request.headers['x-forwarded-proto'] = secure ? 'https' : 'http';
  }
  return request.protocol === 'http';
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
