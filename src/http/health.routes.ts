import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { Deps } from '../app/deps.ts';

/** Upper bounds of the answer times counted [s]. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** `/healthz` (the process runs), `/readyz` (it can answer) and `/metrics` (Prometheus), outside `/v1`. */
export function healthRoutes(app: FastifyInstance, deps: Pick<Deps, 'ready'>): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'groundwatch_' });
  const labels = ['operation', 'status'] as const;
  const answers = new Counter({
    name: 'groundwatch_answers_total',
    help: 'Answers by operation and status.',
    labelNames: labels,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'groundwatch_answer_seconds',
    help: 'Time from request to answer.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { operationId = 'other' } = request.routeOptions.config as { operationId?: string };
    answers.inc({ operation: operationId, status: reply.statusCode });
    seconds.observe({ operation: operationId }, reply.elapsedTime / 1000);
    done();
  });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const missing = await deps.ready();
    if (missing === undefined) return { status: 'ready' };
    return reply.code(503).send({ status: 'not ready', reason: missing });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
