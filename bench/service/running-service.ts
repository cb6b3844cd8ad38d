import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The sources. */
const PROGRAM = join(import.meta.dirname, '../../bin/groundwatch.js');

/** A service in its own process, with a production key without a rate limit. */
export interface RunningService {
  readonly base: string;
  readonly key: string;
  /** PEM of the certificate authority that signed the certificate of the service. */
  readonly ca: string;
  /** Folder for files of the benchmark; deleted at the end. */
  readonly folder: string;
  readonly dataFolder: string;
  readonly pid: number;
  /** Starts a command on the same data folder; the caller must read its standard output. */
  readonly command: (...args: readonly string[]) => ChildProcess;
  /** Runs a command on the same data folder. @returns its standard output. @throws Error when it fails */
  readonly run: (...args: readonly string[]) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a service on an empty data folder, without sandbox.
 * @param options.databaseUrl another database than that of the data folder
 * @param options.program path of the command that is run; by default that of the sources
 */
export async function startService(
  options: { readonly withConsole?: boolean; readonly databaseUrl?: string; readonly program?: string } = {},
): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-bench-'));
  await chmod(folder, 0o755); // PostgreSQL runs as another user when the benchmark runs as root
  const dataFolder = join(folder, 'data');
  await mkdir(dataFolder);
  const { DATABASE_URL: _ours, ...inherited } = process.env;
  const env = {
    ...inherited,
    GROUNDWATCH_DATA: dataFolder,
    GROUNDWATCH_PORT: '0',
    GROUNDWATCH_LOG_LEVEL: 'error',
    GROUNDWATCH_SANDBOX: 'off',
    ...(options.databaseUrl !== undefined && { DATABASE_URL: options.databaseUrl }),
  };
  const command = (...args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [options.program ?? PROGRAM, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const run = (...args: readonly string[]): Promise<string> => output(command(...args));
  const service = options.withConsole === true ? command('serve') : command('serve', '--no-console');
  const stop = async (): Promise<void> => {
    const ended = service.exitCode === null && once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const base = await addressOf(service);
    await run('accounts', 'create', 'bench');
    const made = await run(
      'keys',
      'create',
      '--account',
      'bench',
      '--scopes',
      'all',
      '--limit',
      '0',
      '--json',
    );
    const { key } = JSON.parse(made) as { readonly key: string };
    const ca = await readFile(join(dataFolder, 'tls', 'ca.pem'), 'utf8');
    return { base, key, ca, folder, dataFolder, pid: service.pid!, command, run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for a command to end and returns its standard output. @throws Error when it fails */
export async function output(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout!.setEncoding('utf8').on('data', (part: string) => (text += part));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`a command ended with code ${code}: ${text}`);
  return text;
}

function addressOf(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let told = '';
    service.stdout!.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      const found = /answers at (https:\/\/localhost:\d+)/.exec(told)?.[1];
      if (found !== undefined) resolve(found);
    });
    service.once('exit', (code) => reject(new Error(`the service ended with code ${code}`)));
  });
}
