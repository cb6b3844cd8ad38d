import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { letYoungHeapGrow } from '../base/young-heap.ts';
import { keepNode } from '../app/nodes/keep-node.ts';
import { prepareSandbox, runSandbox } from '../app/sandbox/run-sandbox.ts';
import { Misuse } from '../cli/command.ts';
import { COMMANDS } from '../cli/commands.ts';
import { isLight, runCommand } from '../cli/run.ts';
import { type Reached, regionReady, welcome } from '../cli/welcome.ts';
import { givenSettings } from '../config.ts';
import { offerCommands } from './command-socket.ts';
import type { Installation } from './installation.ts';
import { offerPrivateHealth } from './private-port.ts';
import { nameOf, offerAbout, runningService } from './service-socket.ts';
import { startWorkers } from './workers.ts';

/** Runs the service, or its workers only, until a signal stops it. */
export async function serve(
  installation: Installation,
  options: { readonly api: boolean; readonly worker: boolean; readonly console: boolean },
): Promise<void> {
  const stopped = untilStopped();
  const closers: (() => Promise<void>)[] = [];
  try {
    // An error here is ignored: it occurs again, and is reported, when the region is created.
    if (options.worker && installation.config.sandbox)
      prepareSandbox(installation.deps).catch(() => undefined);
    // Asked before this service offers the same.
    const other = await runningService(installation.config.dataFolder);
    // Other commands do not load it, so that they start faster.
    const api = options.api ? await import('./api.ts') : undefined;
    const { installationMetrics } = await import('./metrics/installation-metrics.ts');
    const metrics = installationMetrics(installation);
    closers.push(async () => metrics.stop());
    const listening = await api?.startApi(installation, metrics, options.console);
    if (listening !== undefined) closers.push(listening.stop);
    if (options.worker) closers.push(startWorkers(installation));
    closers.push(await offerPrivateHealth(installation, metrics));
    closers.push(keepNodeOf(installation, options));
    closers.push(await offerAboutSelf(installation, listening), await offerLightCommands(installation));
    const { version } = installation.deps;
    if (listening === undefined)
      process.stdout.write(`Groundwatch ${version}: workers run. Ctrl-C stops them.\n`);
    else {
      const beside = other === undefined ? undefined : nameOf(other);
      process.stdout.write(await welcome(installation.deps, { ...listening, beside }));
    }
    letYoungHeapGrow();
    // The sandbox starts after `welcome`, because it creates areas for the demo account that `welcome` creates.
    if (options.worker && installation.config.sandbox) {
      const { deps, config, log, layers } = installation;
      const settle = (seconds: number | undefined): void => {
        if (seconds !== undefined && options.api) process.stdout.write(regionReady(seconds));
        layers
          .settle()
          .catch((error: unknown) => log.error(`The layers stay as they were: ${String(error)}`));
      };
      closers.unshift(runSandbox(deps, config.sandboxPace, log, settle));
    }
    const signal = await stopped;
    installation.log.info(`Stopping: ${signal}`);
    installation.isStopping = true;
    installation.database.leaveSilentServer((error) =>
      installation.log.error(`The stop does not wait for the database: ${error.message || String(error)}`),
    );
    const { drainS } = installation.config;
    if (signal === 'SIGTERM' && listening !== undefined) await sleep(drainS * 1000);
  } finally {
    for (const closer of closers) await closer();
  }
}

/** Reports this process as a node, until it stops. */
function keepNodeOf(
  { deps, log }: Installation,
  { api, worker }: { readonly api: boolean; readonly worker: boolean },
): () => Promise<void> {
  const roles = [...(api ? ['api' as const] : []), ...(worker ? ['worker' as const] : [])];
  return keepNode(deps, roles, (error) => log.error(`Report of this node: ${String(error)}`));
}

/** Tells `doctor` about this service, where the data folder allows it. */
async function offerAboutSelf(
  { config, deps, log, port }: Installation,
  listening: Reached | undefined,
): Promise<() => Promise<void>> {
  const startedAt = new Date().toISOString();
  const about = { pid: process.pid, version: deps.version, startedAt, settings: givenSettings() };
  const reached = listening && { address: listening.base, port };
  try {
    return await offerAbout(config.dataFolder, { ...about, ...reached });
  } catch (error) {
    log.warn(`doctor cannot ask this service for its settings: ${(error as Error).message}`);
    return async () => undefined;
  }
}

/** Runs light commands for callers at the command line, where the data folder allows it. */
async function offerLightCommands({ config, deps, log }: Installation): Promise<() => Promise<void>> {
  const refuse = (): Promise<never> => Promise.reject(new Misuse('a service runs already'));
  try {
    return await offerCommands(config.dataFolder, {
      version: packageJson.version,
      settings: givenSettings(),
      accepts: (argv) => isLight(COMMANDS, argv),
      run: ({ argv, user }, output) =>
        runCommand(
          COMMANDS,
          argv,
          { ...output, version: deps.version, user },
          { open: async () => deps, serve: refuse },
        ),
    });
  } catch (error) {
    log.warn(`commands run in processes of their own: ${(error as Error).message}`);
    return async () => undefined;
  }
}

function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}
