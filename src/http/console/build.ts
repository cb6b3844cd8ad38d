import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join, relative } from 'node:path';

/** Files and folders of which the console is built, relative to the root of a checkout. */
export const CONSOLE_INPUTS: readonly string[] = [
  'web',
  'src/client',
  'src/contract',
  'src/base/time.ts',
  'package-lock.json',
];
const BUNDLER = 'node_modules/vite/bin/vite.js';
const OUTPUT = 'web/dist';
/** File in the build with the digest of its inputs. */
const STAMP = 'inputs.sha256';
/** Number of characters from the end of a failed build's output to report. Bundlers print the error at the end. */
const MESSAGE_CHARS = 2_000;

/** A build in progress. */
export interface RunningBuild {
  /** Resolves when the build has ended, successfully or not; never rejects. */
  readonly done: Promise<void>;
  /** Aborts the build; the existing console does not change. */
  stop(): void;
}

/** Log to which a build reports its progress. */
export interface BuildLog {
  info(message: string): void;
  warn(message: string): void;
}

/**
 * Builds the console of a checkout in the background, at the lowest priority, when it is missing or was built from
 * other sources. A failure is only logged. Does nothing in the published package, which contains the built console and
 * no sources.
 */
export function buildConsoleInBackground(options: {
  readonly root: string;
  readonly log: BuildLog;
}): RunningBuild {
  const { root, log } = options;
  const stopping = new AbortController();
  const work = async (): Promise<void> => {
    if (!(await isConsoleStale(root))) return;
    if (!hasBundler(root)) {
      log.warn('The console is not built: its bundler is not installed (npm ci installs it)');
      return;
    }
    log.info('The console is being built');
    await buildConsole(root, { signal: stopping.signal, background: true });
    log.info('The console is built');
  };
  const done = work().catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    const { code, message } = error as NodeJS.ErrnoException;
    const isClosed = code === 'EACCES' || code === 'EROFS' || code === 'EPERM';
    const remedy = isClosed ? '; `npm run build` builds it, by a user who may write there' : '';
    log.warn(`The console could not be built: ${message}${remedy}`);
  });
  return { done, stop: () => stopping.abort() };
}

/**
 * Builds the console of a checkout when it is missing or was built from other sources. Does nothing in the published
 * package, and where the bundler is not installed.
 * @throws Error with the output of the bundler when it fails
 */
export async function buildStaleConsole(root: string): Promise<void> {
  if (hasBundler(root) && (await isConsoleStale(root))) await buildConsole(root);
}

const hasBundler = (root: string): boolean => existsSync(join(root, BUNDLER));

/** Returns whether the root is a checkout whose console is missing or was built from other sources. */
async function isConsoleStale(root: string): Promise<boolean> {
  return existsSync(join(root, 'web/index.html')) && !(await isConsoleFresh(root));
}

/** Returns whether the console was built from the current sources. */
export async function isConsoleFresh(root: string): Promise<boolean> {
  const stamp = await readFile(join(root, OUTPUT, STAMP), 'utf8').catch(() => undefined);
  return stamp === (await inputsDigest(root));
}

/**
 * Builds the console, by default into `web/dist`. The old console is unchanged until the new one replaces it.
 * @throws Error with the output of the bundler when it fails; the reason of the signal when the build is aborted
 */
export async function buildConsole(
  root: string,
  options: { readonly signal?: AbortSignal; readonly background?: boolean; readonly output?: string } = {},
): Promise<void> {
  const digest = await inputsDigest(root);
  const unfinished = join(root, 'dist', `.console-${process.pid}`);
  try {
    await mkdir(unfinished, { recursive: true });
    await runBundler(root, unfinished, options);
    await writeFile(join(unfinished, STAMP), digest);
    // Another process may have built the same console meanwhile. Replacing it would interrupt those who use it.
    if (options.output === undefined && (await isConsoleFresh(root))) return;
    const { output = join(root, OUTPUT) } = options;
    await rm(output, { recursive: true, force: true });
    await rename(unfinished, output).catch(() => cp(unfinished, output, { recursive: true }));
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function runBundler(
  root: string,
  outDir: string,
  options: { readonly signal?: AbortSignal; readonly background?: boolean },
): Promise<void> {
  const { signal, background = false } = options;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = spawn(
      process.execPath,
      [
        join(root, BUNDLER),
        'build',
        join(root, 'web'),
        '--outDir',
        outDir,
        '--emptyOutDir',
        '--logLevel',
        'warn',
      ],
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) },
    );
    if (background && child.pid !== undefined) lowerPriority(child.pid);
    let output = '';
    const listen = (text: Buffer): void => {
      output = (output + text.toString()).slice(-MESSAGE_CHARS);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the bundler ended with ${code}: ${output.trim()}`));
    });
  });
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has already ended, or its priority cannot be lowered. It then runs at normal priority.
  }
}

/** Computes a digest of the names and contents of all inputs. */
async function inputsDigest(root: string): Promise<string> {
  const digest = createHash('sha256');
  for (const path of await inputFiles(root))
    digest
      .update(`${path}\0`)
      .update(await readFile(join(root, path)))
      .update('\0');
  return digest.digest('hex');
}

async function inputFiles(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const input of CONSOLE_INPUTS) {
    const path = join(root, input);
    if (!existsSync(path)) continue;
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined);
    if (entries === undefined) files.push(input);
    else
      for (const entry of entries)
        if (entry.isFile()) files.push(relative(root, join(entry.parentPath, entry.name)));
  }
  return files
    .filter(
      (file) => !file.startsWith(OUTPUT) && !/\.test\.tsx?$/.test(file) && !file.includes('node_modules'),
    )
    .toSorted();
}
