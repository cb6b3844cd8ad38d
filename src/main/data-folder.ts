import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidInput } from '../base/errors.ts';

/**
 * Makes the data folder where it is missing. As root the database server runs as another user, who must be able to pass
 * through; what is secret is closed itself.
 * @throws InvalidInput naming the setting, for what cannot be made or written
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

/** Sees that something can be made in it, so that this is said once, not by whatever happens to write first. */
async function tryFolder(path: string): Promise<void> {
  try {
    await rmdir(await mkdtemp(join(path, '.can-write-')));
  } catch (error) {
    // On a full disk there is still much to read.
    if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code!)) throw error;
  }
}

/**
 * Makes a folder and those above it. Node's own recursive `mkdir` never ends where a folder is there and none can be made
 * in it that says so with ENOENT, as /proc does.
 */
async function makeFolders(path: string, mode: number): Promise<void> {
  const missing = await makeFolder(path, mode);
  if (missing === undefined) return;
  if (dirname(path) === path) throw missing;
  await makeFolders(dirname(path), mode);
  const refused = await makeFolder(path, mode);
  if (refused !== undefined) throw refused;
}

/** Makes one folder unless it is there. @returns the system's error when it says that the one above it is missing */
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
