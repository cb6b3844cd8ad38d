import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Deps } from '../../app/deps.ts';
import { silentCollections } from '../../app/stations/silent-collections.ts';

const READY_MS = 1_500; // time in which the database must answer for the service to be ready
const METRICS_MS = 1_000; // time for which each metric from the database is waited for

/** Returns the result of `work`, or `late` if there is none after `ms`. */
async function within<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<L>();
  const timer = setTimeout(() => resolve(late), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Registers `/healthz` (process is running), `/readyz` (service can answer requests) and `/metrics` (Prometheus).
 * @param text further metrics; they are left out when the database does not answer
 */
export function healthRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'ready' | 'storage' | 'clock'>,
  text: () => string | Promise<string>,
): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'groundwatch_' });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const missing = await within(READY_MS, deps.ready(), `the database did not answer within ${READY_MS} ms`);
    if (missing === undefined) return { status: 'ready' };
    return reply.code(503).send({ status: 'not ready', reason: missing });
  });
  app.get('/metrics', async (_request, reply) => {
    const more = await within(METRICS_MS, Promise.resolve(text()), '').catch(() => '');
    return reply
      .type(registry.contentType)
      .send((await registry.metrics()) + more + (await deliveryText(deps)) + (await silenceText(deps)));
  });
}

/**
 * Returns the metric that states for how long the oldest delivery has been overdue [s]; empty when the database does
 * not answer. While a worker is running, the value is a few seconds.
 */
async function deliveryText({ storage }: Pick<Deps, 'storage'>): Promise<string> {
  const seconds = await within(METRICS_MS, storage.deliveries.overdueSeconds(), undefined).catch(
    () => undefined,
  );
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
  const silent = await within(METRICS_MS, silentCollections(deps), undefined).catch(() => undefined);
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
