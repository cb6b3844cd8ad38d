import { chmod, lstat, mkdir, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDataEntry } from '../base/data-entries.ts';
import { isDiskFull } from '../base/disk-full.ts';
import { InvalidInput } from '../base/errors.ts';

/**
 * Creates the data folder if it is missing, for its owner alone. When root runs the service, the database server runs
 * as another user. That user's group may then enter the folder (`store/server/postgres-user.ts`), so everything in it
 * is closed to others here, whatever its mode was in an earlier release.
 * @throws InvalidInput naming the setting, when the folder cannot be created or written
 */
export async function makeDataFolder(path: string): Promise<void> {
  // The database server writes its path into a file whose parts are lines.
  if (/[\r\n]/.test(path))
    throw new InvalidInput(
      `GROUNDWATCH_DATA: expected a path without line breaks, got ${JSON.stringify(path)}`,
      {
        param: 'GROUNDWATCH_DATA',
      },
    );
  try {
    const isRoot = process.getuid?.() === 0;
    await makeFolders(path, { leaf: 0o700, above: isRoot ? 0o711 : 0o700 });
    await tryFolder(path);
    if (isRoot) await closeEntries(path);
  } catch (cause) {
    throw new InvalidInput(
      `GROUNDWATCH_DATA: expected a folder that can be made and written, got ${path}: ${(cause as Error).message}`,
      { param: 'GROUNDWATCH_DATA', cause },
    );
  }
}

/** Checks that the folder is writable, so that the error is reported here and not by the first part that writes. */
async function tryFolder(path: string): Promise<void> {
  try {
    await rmdir(await mkdtemp(join(path, '.can-write-')));
  } catch (error) {
    // A full disk is not an error here, because the data can still be read.
    if (!isDiskFull(error)) throw error;
  }
}

/** Closes our files and folders in the data folder to all users except their owner. The database has its own. */
async function closeEntries(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (name === 'postgres' || !isDataEntry(name)) continue;
    const entry = join(path, name);
    const found = await lstat(entry).catch(() => undefined); // another process may just have deleted it
    if (found === undefined || found.isSymbolicLink() || (found.mode & 0o077) === 0) continue;
    await chmod(entry, found.mode & 0o700);
  }
}

/**
 * Creates a folder and its parents. Node's own recursive `mkdir` never returns when an existing parent refuses new
 * folders with ENOENT, as /proc does.
 */
async function makeFolders(
  path: string,
  mode: { readonly leaf: number; readonly above: number },
): Promise<void> {
  const missing = await makeFolder(path, mode.leaf);
  if (missing === undefined) return;
  if (dirname(path) === path) throw missing;
  await makeFolders(dirname(path), { leaf: mode.above, above: mode.above });
  const refused = await makeFolder(path, mode.leaf);
  if (refused !== undefined) throw refused;
}

/** Creates one folder unless it exists. @returns the system's error when the parent is missing; else undefined */
async function makeFolder(path: string, mode: number): Promise<Error | undefined> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return error as Error;
    if (code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
  return undefined;
}
