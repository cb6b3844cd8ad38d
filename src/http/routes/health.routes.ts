import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Deps } from '../../app/deps.ts';
import { silentCollections } from '../../app/stations/silent-collections.ts';

/** Registers `/healthz` (process is running), `/readyz` (service can answer requests) and `/metrics` (Prometheus). */
export function healthRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'ready' | 'storage' | 'clock'>,
  text: () => string,
): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'groundwatch_' });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const missing = await deps.ready();
    if (missing === undefined) return { status: 'ready' };
    return reply.code(503).send({ status: 'not ready', reason: missing });
  });
  app.get('/metrics', async (_request, reply) =>
    reply
      .type(registry.contentType)
      .send((await registry.metrics()) + text() + (await deliveryText(deps)) + (await silenceText(deps))),
  );
}

/**
 * Returns the metric that states for how long the oldest delivery has been overdue [s]; empty when the database does
 * not answer. While a worker is running, the value is a few seconds.
 */
async function deliveryText({ storage }: Pick<Deps, 'storage'>): Promise<string> {
  const seconds = await storage.deliveries.overdueSeconds().catch(() => undefined);
  if (seconds === undefined) return '';
  return (
    '# HELP groundwatch_delivery_overdue_seconds Time since the oldest webhook delivery that is due should have been tried.\n' +
    `# TYPE groundwatch_delivery_overdue_seconds gauge\ngroundwatch_delivery_overdue_seconds ${seconds}\n`
  );
}

/**
 * Returns the metrics of point collections whose next observation is overdue: their number, and the time since the
 * last observation of each [s]. Empty when the database does not answer, which `/readyz` reports.
 */
async function silenceText(deps: Pick<Deps, 'storage' | 'clock'>): Promise<string> {
  const silent = await silentCollections(deps).catch(() => undefined);
  if (silent === undefined) return '';
  const lines = silent.map(({ collection: { name, metric, environment }, lastMs }) => {
    const labels = `collection="${name}",metric="${metric}",environment="${environment}"`;
    return `groundwatch_feed_silent_seconds{${labels}} ${Math.round((deps.clock.now() - lastMs) / 1000)}\n`;
  });
  return (
    '# HELP groundwatch_feeds_silent Live feeds whose next observation is overdue.\n' +
    `# TYPE groundwatch_feeds_silent gauge\ngroundwatch_feeds_silent ${silent.length}\n` +
    '# HELP groundwatch_feed_silent_seconds Time since the last observation of such a feed.\n' +
    `# TYPE groundwatch_feed_silent_seconds gauge\n${lines.join('')}`
  );
}
