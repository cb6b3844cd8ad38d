import type { AddressInfo } from 'node:net';
import { InvalidInput } from '../base/errors.ts';
import type { Installation } from './installation.ts';
import type { InstallationMetrics } from './metrics/installation-metrics.ts';

/**
 * Serves health, readiness and all metrics of this process over plain HTTP, at `GROUNDWATCH_WORKER_PORT`. Does nothing
 * when it is not set.
 * @returns a function that stops it
 * @throws InvalidInput when it cannot listen on the address
 */
export async function offerPrivateHealth(
  { config, deps }: Installation,
  metrics: InstallationMetrics,
): Promise<() => Promise<void>> {
  if (config.workerPort === undefined) return async () => undefined;
  // Loaded only when it is set, since a worker needs no server otherwise.
  const { fastify } = await import('fastify');
  const { healthRoutes } = await import('../http/routes/health.routes.ts');
  const app = fastify({ logger: false });
  healthRoutes(app, deps, () => metrics.text(true));
  try {
    await app.listen({ host: config.host, port: config.workerPort });
  } catch (cause) {
    throw new InvalidInput(
      `GROUNDWATCH_HOST, GROUNDWATCH_WORKER_PORT: cannot listen on ${config.host}, port ${config.workerPort}: ${(cause as Error).message}`,
      { cause },
    );
  }
  const { port } = app.server.address() as AddressInfo;
  process.stdout.write(`Health and metrics: http://${config.host}:${port}\n`);
  return async () => {
    app.server.closeAllConnections();
    await app.close();
  };
}
