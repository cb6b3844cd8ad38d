import type { FastifyInstance, FastifyRequest } from 'fastify';
import { currentTracer, type OpenSpan } from '../../base/trace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the call; null when no traces are made, or the call is for the health of this process. */
    span: OpenSpan | null;
  }
}

/** Paths that monitoring asks for every few seconds. They have no spans. */
const HEALTH = /^\/(?:healthz|readyz|metrics)(?:$|\?)/;

/**
 * Makes a span for each call, below the `traceparent` of the caller. It tells method, route, operation, status, account
 * and the id of the call, and nothing of its query, headers or body. Adds no hook when no traces are made.
 */
export function traceAnswers(app: FastifyInstance): void {
  const tracer = currentTracer();
  if (tracer === undefined) return;
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, reply, done) => {
    if (HEALTH.test(request.url)) {
      done();
      return;
    }
    const given = request.headers['traceparent'];
    const span = tracer.begin({
      name: request.method,
      kind: 'server',
      parent: typeof given === 'string' ? given : null,
      facts: { 'http.request.method': request.method, 'groundwatch.request.id': request.id },
    });
    request.span = span;
    reply.raw.once('close', () => {
      const { statusCode } = reply.raw;
      const path = pathOf(request);
      span.note(
        { ...factsOf(request), 'http.response.status_code': statusCode },
        `${request.method} ${path}`,
      );
      span.end(statusCode >= 500 ? String(statusCode) : undefined);
    });
    span.run(done);
  });
  // The body may have been read by an event of the connection, which does not know the call.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.span === null) done();
    else request.span.run(done);
  });
}

const pathOf = ({ operation, routeOptions }: FastifyRequest): string =>
  operation?.path ?? routeOptions.url ?? 'unknown';

function factsOf(request: FastifyRequest) {
  const { operation, principal } = request;
  return {
    'http.route': pathOf(request),
    ...(operation !== null && { 'groundwatch.operation': operation.id }),
    ...(principal !== null && {
      'groundwatch.account.id': principal.accountId,
      'groundwatch.environment': principal.environment,
    }),
  };
}
