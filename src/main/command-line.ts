import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { letYoungHeapGrow } from '../base/young-heap.ts';
import { lowerThreadPriority } from '../base/thread-priority.ts';
import { keepNode } from '../app/nodes/keep-node.ts';
import { prepareSandbox, runSandbox } from '../app/sandbox/run-sandbox.ts';
import { newBackupKey } from '../backup/archive-encryption.ts';
import { refuseUnfinishedRestore } from '../backup/unfinished-restore.ts';
import { type CliContext, Misuse } from '../cli/command.ts';
import { operator } from '../cli/operator.ts';
import { COMMANDS } from '../cli/commands.ts';
import { isLight, runCommand } from '../cli/run.ts';
import { type Reached, regionReady, welcome } from '../cli/welcome.ts';
import { type Config, givenSettings, readConfig } from '../config.ts';
import { offerCommands } from './command-socket.ts';
import { diagnosis } from './diagnosis.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';
import { openInstallation, type Installation, type OpenOptions } from './installation.ts';
import { confirmAtTerminal } from '../cli/confirm-at-terminal.ts';
import { Interruption } from './interruption.ts';
import { stderrLog } from './process-log.ts';
import { restoreAccount } from './restore/restore-account.ts';
import { restoreBackup } from './restore/restore-backup.ts';
import { offerPrivateHealth } from './private-port.ts';
import { nameOf, offerAbout, runningService } from './service-socket.ts';
import { startWorkers } from './workers.ts';
import type { OpenDatabase } from '../store/connection/database.ts';
import { countSecrets } from '../store/upkeep/lost-secrets.ts';

const LAST_MS = 5_000; // maximum time from the end of a command and its output to the end of the process

/** Runs a command line in this process and sets the exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  if (argv[0] !== 'serve') letYoungHeapGrow();
  let opened: Promise<Installation> | undefined;
  const endTraces = await startTraces();
  const interruption = new Interruption();
  const openAsItIs = (config: Config, options: OpenOptions = {}): Promise<Installation> =>
    (opened ??= openInstallation(config, stderrLog(config.logLevel), {
      onServer: interruption.stopFirst,
      ...options,
    }));
  /** Opens the installation without checking the key that encrypts its secrets. */
  const openUnproved = async (options: OpenOptions = {}, config = readConfig()): Promise<Installation> => {
    await refuseUnfinishedRestore(config.dataFolder);
    return openAsItIs(config, options);
  };
  const open = async (options: OpenOptions = {}): Promise<Installation> => {
    const installation = await openUnproved(options);
    await installation.refuseOtherKey();
    return installation;
  };
  const world: Pick<
    CliContext,
    'open' | 'serve' | 'checks' | 'confirm' | 'restore' | 'restoreAccount' | 'newBackupKey' | 'forgetSecrets'
  > = {
    confirm: confirmAtTerminal,
    restore: (source) => {
      const config = readConfig();
      const log = stderrLog(config.logLevel);
      const parts = { config, log, onServer: interruption.stopFirst, open: () => openAsItIs(config) };
      return restoreBackup(source, { ...parts, actor: operator() });
    },
    restoreAccount: async (source, account) => restoreAccount(source, account, await open()),
    newBackupKey,
    open: async () => {
      const { deps } = await open();
      lowerThreadPriority(); // after opening, so that a database server started by it keeps its priority
      return deps;
    },
    forgetSecrets: async () => (await openUnproved()).forgetSecrets(),
    serve: async (options) => {
      const installation = await open({ makesRegion: options.worker, preparesLayers: true });
      interruption.leave();
      await serve(installation, options);
    },
    checks: () =>
      diagnosis(async (config) => {
        const { deps, database, sealing } = await openUnproved({}, config);
        return {
          deps,
          server: () => serverOf(database),
          secrets: () => countSecrets(database.db, sealing),
        };
      }),
  };
  const terminal = {
    out: (text: string) => process.stdout.write(`${text}\n`),
    // After a signal the database stops while the command still runs. The resulting error messages would mislead, so
    // they are not written.
    err: (text: string) => interruption.begun || process.stderr.write(`${text}\n`),
    version: packageJson.version,
  };
  try {
    process.exitCode = await runCommand(COMMANDS, argv, terminal, world);
  } finally {
    const installation = await opened?.catch(() => undefined);
    await installation?.close();
    await endTraces();
    interruption.leave();
    // Ends the process even if something still keeps it alive, but not before the reader of a pipe has all of it.
    setTimeout(() => process.stdout.write('', () => process.exit()), LAST_MS).unref();
  }
}

/** Begins to export traces, if the settings say so. The command fails with a bad setting when it opens the installation. */
async function startTraces(): Promise<() => Promise<void>> {
  let traces: Config['traces'];
  try {
    ({ traces } = readConfig());
  } catch {
    return async () => undefined;
  }
  if (traces === undefined) return async () => undefined;
  const { exportTraces } = await import('./metrics/trace-export.ts');
  return await exportTraces(traces, packageJson.version);
}

async function serve(
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
    // Loaded only here, so that other commands start faster.
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

async function serverOf({
  pool,
  rowSecurityProblem,
  isPooled,
}: OpenDatabase): Promise<Awaited<ReturnType<DiagnosisDeps['server']>>> {
  const { rows } = await pool.query<{ now: Date; version: string }>(
    "select clock_timestamp() as now, current_setting('server_version') as version",
  );
  const [{ now, version }] = rows as [(typeof rows)[number]];
  return { nowMs: now.getTime(), version, rowSecurityProblem, isPooled };
}
