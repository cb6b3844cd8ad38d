import packageJson from '../../package.json' with { type: 'json' };
import { letYoungHeapGrow } from '../base/young-heap.ts';
import { lowerThreadPriority } from '../base/thread-priority.ts';
import type { CliContext } from '../cli/command.ts';
import { operator } from '../cli/operator.ts';
import { COMMANDS } from '../cli/commands.ts';
import type { InstallationCheck } from '../cli/installation-check.ts';
import { runCommand } from '../cli/run.ts';
import { type Config, readConfig } from '../config.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';
import type { Installation, OpenOptions } from './installation.ts';
import { confirmAtTerminal } from '../cli/confirm-at-terminal.ts';
import { Interruption } from './interruption.ts';
import { stderrLog } from './process-log.ts';
import type { OpenDatabase } from '../store/connection/database.ts';

const LAST_MS = 5_000; // maximum time from the end of a command and its output to the end of the process

/**
 * Runs a command line in this process and sets the exit code. What opens an installation is loaded when a command asks for
 * it, so that help and mistakes are answered soon.
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  if (argv[0] !== 'serve') letYoungHeapGrow();
  let opened: Promise<Installation> | undefined;
  const endTraces = await startTraces();
  const interruption = new Interruption();
  const openAsItIs = (config: Config, options: OpenOptions = {}): Promise<Installation> => {
    const all = { onServer: interruption.stopFirst, ...options };
    opened ??= import('./installation.ts').then(({ openInstallation }) =>
      openInstallation(config, stderrLog(config.logLevel), all),
    );
    return opened;
  };
  /** Opens the installation without checking the key that encrypts its secrets. */
  const openUnproved = async (options: OpenOptions = {}, config = readConfig()): Promise<Installation> => {
    const { refuseUnfinishedRestore } = await import('../backup/unfinished-restore.ts');
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
    restore: async (source) => {
      const { restoreBackup } = await import('./restore/restore-backup.ts');
      const config = readConfig();
      const log = stderrLog(config.logLevel);
      const parts = { config, log, onServer: interruption.stopFirst, open: () => openAsItIs(config) };
      return await restoreBackup(source, { ...parts, actor: operator() });
    },
    restoreAccount: async (source, account) => {
      const { restoreAccount } = await import('./restore/restore-account.ts');
      return await restoreAccount(source, account, await open());
    },
    newBackupKey: async () => (await import('../backup/archive-encryption.ts')).newBackupKey(),
    open: async () => {
      const { deps } = await open();
      lowerThreadPriority(); // after opening, so that a database server started by it keeps its priority
      return deps;
    },
    forgetSecrets: async () => (await openUnproved()).forgetSecrets(),
    serve: async (options) => {
      const [installation, { serve }] = await Promise.all([
        open({ makesRegion: options.worker, preparesLayers: true }),
        import('./serving.ts'), // while the database starts
        options.api && import('./api.ts'),
      ]);
      interruption.leave();
      await serve(installation, options);
    },
    checks: () => checksOf((config) => openUnproved({}, config)),
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

/** The checks of the installation. @param open opens it without checking the key that encrypts its secrets */
async function checksOf(
  open: (config: Config) => Promise<Installation>,
): Promise<readonly InstallationCheck[]> {
  const { diagnosis } = await import('./diagnosis.ts');
  const { countSecrets } = await import('../store/upkeep/lost-secrets.ts');
  return diagnosis(async (config) => {
    const { deps, database, sealing } = await open(config);
    return {
      deps,
      server: () => serverOf(database),
      secrets: () => countSecrets(database.db, sealing),
    };
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
