import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Deps } from '../app/deps.ts';
import type { AnswerMetrics } from './answer-metrics.ts';

/** `/healthz` (the process runs), `/readyz` (it can answer) and `/metrics` (Prometheus), outside `/v1`. */
export function healthRoutes(app: FastifyInstance, deps: Pick<Deps, 'ready'>, answers: AnswerMetrics): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'groundwatch_' });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const missing = await deps.ready();
    if (missing === undefined) return { status: 'ready' };
    return reply.code(503).send({ status: 'not ready', reason: missing });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send((await registry.metrics()) + answers.text()),
  );
}
