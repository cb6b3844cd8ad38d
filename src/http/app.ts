import type { Duplex, Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyServerFactory, LogController } from 'fastify';
import type { Deps } from '../app/deps.ts';
import { InvalidInput } from '../base/errors.ts';
import { AuditTrail } from '../app/access/audit-trail.ts';
import { type Limiter, RateLimiter } from '../base/rate-limiter.ts';
import { newId } from '../base/ids.ts';
import type { LogLevel } from '../base/log-level.ts';
import { UsageMeter } from '../app/access/usage-meter.ts';
import { type Deprecation, DEPRECATIONS } from '../contract/deprecations.ts';
import { AnswerMetrics, includedIn, type ProcessMetrics } from './answer/answer-metrics.ts';
import { answerTurns } from './answer-turns.ts';
import { answerWriter, isStream, type WriteAnswer } from './answer/answer.ts';
import { traceAnswers } from './answer/trace-answers.ts';
import { inAskedFormat } from './answer/table.ts';
import { anomalyRoutes } from './routes/anomalies.routes.ts';
import { aoiRoutes } from './routes/aois.routes.ts';
import { auditRoutes } from './routes/audit.routes.ts';
import { changeRoutes } from './routes/changes.routes.ts';
import { CallShares } from './call-shares.ts';
import { clientRoutes } from './routes/clients.routes.ts';
import { collectionRoutes } from './routes/collections.routes.ts';
import { consoleRoutes, type OtherBaseMap } from './console/console.routes.ts';
import { allowOrigins } from './origins.ts';
import { bodyReader } from './body-reader.ts';
import type { ConnectionTable } from './connections/connection-table.ts';
import { paceStrangers } from './connections/stranger-turns.ts';
import { type AnswerError, errorAnswerer } from './error-handler.ts';
import { eventRoutes } from './routes/events.routes.ts';
import { healthRoutes } from './routes/health.routes.ts';
import { historicalRoutes } from './routes/historical.routes.ts';
import { takeJsonOnly } from './json-body.ts';
import { incidentRoutes } from './routes/incidents.routes.ts';
import { keyRoutes } from './routes/keys.routes.ts';
import { mailLinkRoutes } from './mail/mail-links.routes.ts';
import { memberRoutes } from './routes/members.routes.ts';
import { pictureRoutes } from './routes/pictures.routes.ts';
import { openLog } from './answer/log.ts';
import { oauthRoutes } from './routes/oauth.routes.ts';
import { ogcFeatureRoutes } from './ogc/features.routes.ts';
import { ogcPositionRoutes } from './ogc/position.routes.ts';
import { stacItemRoutes } from './stac/items.routes.ts';
import { stacLandingRoutes } from './stac/landing.routes.ts';
import { stacRasterRoutes } from './stac/rasters.routes.ts';
import { ogcLandingRoutes } from './ogc/landing.routes.ts';
import { Preconditions } from './precondition.ts';
import { type RateLimits, rateLimits } from './rate-limit.ts';
import { referenceRoutes } from './reference/reference.routes.ts';
import { riskRoutes } from './routes/risk.routes.ts';
import { readForwarded } from './forwarded-headers.ts';
import type { RouteContext } from './route.ts';
import { sandboxRoutes } from './routes/sandbox.routes.ts';
import { signInRoutes } from './people/sign-in.routes.ts';
import { sourceRoutes } from './routes/sources.routes.ts';
import { stationRoutes } from './routes/stations.routes.ts';
import { subscriptionRoutes } from './routes/subscriptions.routes.ts';
import { collectMethods, refuseUnknownPaths, withoutLastSlash } from './unknown-path.ts';
import { vectorTileRoutes } from './tiles/vector-tiles.routes.ts';
import { usageRoutes } from './routes/usage.routes.ts';
import { watchRoutes } from './routes/watches.routes.ts';
import { webhookRoutes } from './routes/webhooks.routes.ts';
import { deliveryRoutes } from './routes/deliveries.routes.ts';
import { ACCOUNT_LIMITS, type AccountLimits, ANSWER_UNIT_BYTES, BODY_BYTES } from '../contract/limits.ts';

export interface AppOptions {
  readonly deps: Deps;
  readonly logLevel: LogLevel;
  readonly trustProxy: readonly string[];
  readonly baseMap?: OtherBaseMap | undefined;
  readonly corsOrigins: readonly string[];
  /** Creates the listening server; absent: no server is created, for tests that inject requests. */
  readonly serverFactory?: FastifyServerFactory;
  /** Counts the connections of the server; absent: none are counted, for tests that inject requests. */
  readonly connections?: ConnectionTable;
  readonly clientErrorHandler?: (error: Error & { code?: string }, socket: Duplex) => void;
  /** Called with a credential that a proxy received over plain HTTP. */
  readonly onExposedCredential: (authorization: string, remoteAddress: string) => void;
  readonly deprecations?: Readonly<Record<string, Deprecation>>;
  /** What one account may use; absent: the default limits. */
  readonly accountLimits?: AccountLimits;
  /** Keeps the rate limits; absent: they are kept in this process. */
  readonly limiter?: Limiter;
  /** Metrics of the process, for `/metrics`; absent: those of the answers alone. */
  readonly metrics?: ProcessMetrics;
  /** Folder of the built console, which is served at `/`; undefined: no console is served. */
  readonly consoleFolder?: string | undefined;
  /** Address at which clients reach the token endpoint; undefined: the address of the service. */
  readonly authUrl?: string | undefined;
  /** Address of the service for the examples in the reference; undefined: the one at which it is asked for. */
  readonly baseUrl?: string | undefined;
}

/** Builds the HTTP service: every operation of the contract, errors, headers, the reference page and the console. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { deps } = options;
  const log = openLog(options.logLevel, (lines) => process.stderr.write(lines));
  const failedTo = (what: string) => (err: unknown) => log.error({ err }, `${what} could not be written`);
  const usage = new UsageMeter(deps.storage.usage, deps.clock, failedTo('what was spent'));
  const trail = new AuditTrail(deps.storage.audit, failedTo('the audit trail'));
  const accountLimits = options.accountLimits ?? ACCOUNT_LIMITS;
  const limits = rateLimits(options.limiter ?? new RateLimiter(), deps.clock, usage, accountLimits.units);
  const metrics = new AnswerMetrics();
  const shares = new CallShares(deps.clock, options.connections);
  const write = answerWriter(log, metrics);
  const writeAnswer: WriteAnswer = (request, reply, payload) => {
    shares.leave(request);
    const asked = inAskedFormat(request, reply, payload);
    write(request, reply, asked);
    if (asked !== null && !isStream(asked)) shares.holdAnswer(request, reply.raw, asked.length);
  };
  const answerError = errorAnswerer(writeAnswer, log, shares);

  const app = newFastify(options, limits, answerError);
  app.addHook('onClose', async () => {
    await Promise.all([usage.flush(), trail.flush()]);
    log.close();
  });
  const readBody = bodyReader(shares);
  const takeTurn = answerTurns();
  takeJsonOnly(app, readBody, takeTurn);
  admitRequests(app, options);
  if (options.connections !== undefined) paceStrangers(app, options.connections);
  const methodsByPath = collectMethods(app, limits);
  await allowOrigins(app, options.corsOrigins);
  // This hook writes every answer itself. It never calls `done`, so that the framework does not write the answer too.
  app.addHook<string | Buffer | Readable | null | undefined>('onSend', (request, reply, payload, _done) => {
    const { act, principal } = request;
    const write = (): void => writeAnswer(request, reply, payload ?? null);
    const answer = (): void => {
      const size = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
      const units = Math.floor(size / ANSWER_UNIT_BYTES);
      if (principal === null || units === 0) write();
      else void answerAfter(limits.owe(principal, units, reply), write);
    };
    if (act === null || reply.statusCode >= 300) answer();
    else deps.storage.audit.record([act]).then(answer, (error) => answerError(error, request, reply));
  });

  const deprecations = options.deprecations ?? DEPRECATIONS;
  const { storage: acrossAccounts, ...boundDeps } = deps;
  contractRoutes({
    app,
    deps: boundDeps,
    acrossAccounts,
    limits,
    shares,
    accountLimits,
    takeTurn,
    trail,
    deprecations,
    writeAnswer,
  });
  await oauthRoutes(app, { oauth: deps.oauth, limits, shares, readBody, trail, log });
  signInRoutes(app, { ...deps, limits, trail, log });
  await mailLinkRoutes(app, { storage: deps.storage, limits, readBody });
  const own = (): string => metrics.text() + shares.metrics() + (options.connections?.metrics() ?? '');
  healthRoutes(app, deps, includedIn(options.metrics, own));
  referenceRoutes(app, {
    deprecations,
    ...(options.baseUrl !== undefined && { server: options.baseUrl }),
    ...(options.authUrl !== undefined && { authServer: options.authUrl }),
  });
  if (options.consoleFolder !== undefined)
    consoleRoutes(app, { folder: options.consoleFolder, baseMap: options.baseMap });
  refuseUnknownPaths(app, methodsByPath, limits);
  await app.ready();
  return app;
}

function newFastify(options: AppOptions, limits: RateLimits, answerError: AnswerError): FastifyInstance {
  const app = Fastify({
    // The framework logs nothing, because `answerWriter` logs one line for each answer.
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId('request'),
    bodyLimit: BODY_BYTES,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    // The framework does not parse queries: each route parses its query strictly, according to its own schema.
    routerOptions: { maxParamLength: 200, querystringParser: () => ({}) },
    exposeHeadRoutes: true,
    rewriteUrl: ({ url = '/' }) => withoutLastSlash(url),
    // No hook runs for requests that the router itself refuses.
    frameworkErrors: (error, request, reply) => {
      // Such a request lacks the decorations below.
      Object.assign(request, { startedMs: performance.now(), principal: null, held: null, units: 0 });
      void answerAfter(limits.showAddress(reply), () => answerError(error, request, reply));
    },
    ...(options.serverFactory && { serverFactory: options.serverFactory }),
    ...(options.clientErrorHandler && { clientErrorHandler: options.clientErrorHandler }),
  });
  app.decorate('publicUrl', options.baseUrl).decorateRequest('principal', null);
  app.decorateRequest('operation', null);
  app.decorateRequest('allowance', null);
  app.decorateRequest('act', null);
  app.decorateRequest('table', null);
  app.decorateRequest('held', null);
  app.decorateRequest('units', 0);
  app.decorateRequest('startedMs', 0);
  app.setErrorHandler(answerError);
  return app;
}

/** Begins the span of each request and records its start time. Refuses the request when a proxy received it over plain HTTP. */
function admitRequests(app: FastifyInstance, options: AppOptions): void {
  traceAnswers(app);
  app.addHook('onRequest', (request, reply, done) => {
    request.startedMs = performance.now();
    if (options.trustProxy.length > 0 && readForwarded(request) === 'http') {
      if (request.headers.authorization !== undefined)
        options.onExposedCredential(request.headers.authorization, request.ip);
      done(new InvalidInput('Plain HTTP is refused: use https'));
      return;
    }
    done();
  });
}

/** Registers every operation of the contract. */
function contractRoutes(parts: Omit<RouteContext, 'preconditions'>): void {
  const context = { ...parts, preconditions: new Preconditions() };
  riskRoutes(context);
  watchRoutes(context);
  aoiRoutes(context);
  changeRoutes(context);
  anomalyRoutes(context);
  incidentRoutes(context);
  subscriptionRoutes(context);
  historicalRoutes(context);
  stationRoutes(context);
  sourceRoutes(context);
  collectionRoutes(context);
  pictureRoutes(context);
  vectorTileRoutes(context);
  ogcLandingRoutes(context);
  ogcFeatureRoutes(context);
  ogcPositionRoutes(context);
  stacLandingRoutes(context);
  stacItemRoutes(context);
  stacRasterRoutes(context);
  sandboxRoutes(context);
  webhookRoutes(context);
  deliveryRoutes(context);
  eventRoutes(context);
  keyRoutes(context);
  clientRoutes(context);
  usageRoutes(context);
  memberRoutes(context);
  auditRoutes(context);
}

/** Calls `answer` once `first` is fulfilled or rejected. */
async function answerAfter(first: void | Promise<void>, answer: () => void): Promise<void> {
  await Promise.allSettled([first]);
  answer();
}
