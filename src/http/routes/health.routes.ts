import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../app/deps.ts';
import { within } from '../../base/within.ts';

const READY_MS = 1_500; // time in which the database must answer for the service to be ready
/** Media type of the text format of Prometheus. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Registers `/healthz` (process is running), `/readyz` (service can answer requests) and `/metrics` (Prometheus).
 * @param metrics in the text format of Prometheus
 */
export function healthRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'ready' | 'shortage'>,
  metrics: () => string | Promise<string>,
): void {
  // Its schema makes the framework have a compiler of schemas, which `serializeLater` needs.
  const schema = { response: { 200: { type: 'object', properties: { status: { type: 'string' } } } } };
  app.get('/healthz', { schema }, () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const missing = await within(READY_MS, deps.ready(), `the database did not answer within ${READY_MS} ms`);
    if (missing !== undefined) return reply.code(503).send({ status: 'not ready', reason: missing });
    // Still 200: every node of the database lacks the same, and without all of them nothing could be read either.
    const reason = await within(READY_MS, deps.shortage(), 'the database takes long to write');
    return reason === undefined ? { status: 'ready' } : { status: 'degraded', reason };
  });
  app.get('/metrics', async (_request, reply) => reply.type(METRICS_TYPE).send(await metrics()));
}
