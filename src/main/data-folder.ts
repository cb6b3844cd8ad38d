import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidInput } from '../base/errors.ts';

/**
 * Creates the data folder if it is missing. When the service runs as root, the database server runs as another user,
 * who must be able to enter the folder; the secret files in the folder have stricter modes.
 * @throws InvalidInput naming the setting, when the folder cannot be created or written
 */
export async function makeDataFolder(path: string): Promise<void> {
  try {
    await makeFolders(path, process.getuid?.() === 0 ? 0o711 : 0o700);
    await tryFolder(path);
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
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code!)) throw error;
  }
}

/**
 * Creates a folder and its parents. Node's own recursive `mkdir` never returns when an existing parent refuses new
 * folders with ENOENT, as /proc does.
 */
async function makeFolders(path: string, mode: number): Promise<void> {
  const missing = await makeFolder(path, mode);
  if (missing === undefined) return;
  if (dirname(path) === path) throw missing;
  await makeFolders(dirname(path), mode);
  const refused = await makeFolder(path, mode);
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
