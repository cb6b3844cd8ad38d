import type { AddressInfo } from 'node:net';
import { InvalidInput } from '../base/errors.ts';
import { jobCounts } from '../store/job-queue.ts';
import type { Installation } from './installation.ts';

/**
 * Serves health, readiness and metrics of the workers over plain HTTP, at `GROUNDWATCH_WORKER_PORT`. Does nothing when
 * it is not set.
 * @returns a function that stops it
 * @throws InvalidInput when it cannot listen on the address
 */
export async function offerWorkerHealth(installation: Installation): Promise<() => Promise<void>> {
  const { config, deps, database } = installation;
  if (config.workerPort === undefined) return async () => undefined;
  // Loaded only when it is set, since a worker needs no server otherwise.
  const { fastify } = await import('fastify');
  const { healthRoutes } = await import('../http/routes/health.routes.ts');
  const app = fastify({ logger: false });
  healthRoutes(app, deps, async () => jobText(await jobCounts(database.db)));
  try {
    await app.listen({ host: config.host, port: config.workerPort });
  } catch (cause) {
    throw new InvalidInput(
      `GROUNDWATCH_HOST, GROUNDWATCH_WORKER_PORT: cannot listen on ${config.host}, port ${config.workerPort}: ${(cause as Error).message}`,
      { cause },
    );
  }
  const { port } = app.server.address() as AddressInfo;
  process.stdout.write(`Health and metrics of the workers: http://${config.host}:${port}\n`);
  return async () => {
    app.server.closeAllConnections();
    await app.close();
  };
}

function jobText(counts: Awaited<ReturnType<typeof jobCounts>>): string {
  const lines = counts.map(
    ({ name, waiting, running }) =>
      `groundwatch_jobs{job="${name}",state="waiting"} ${waiting}\n` +
      `groundwatch_jobs{job="${name}",state="running"} ${running}\n`,
  );
  return `# HELP groundwatch_jobs Background jobs of all workers.\n# TYPE groundwatch_jobs gauge\n${lines.join('')}`;
}
