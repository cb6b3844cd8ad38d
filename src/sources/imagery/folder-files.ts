import { opendir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import { toServiceError } from './stac-catalogue.ts';

const MAX_DEPTH = 8; // maximum depth of nested folders; a Sentinel-2 product has five levels

/**
 * Paths of all files in a folder and its subfolders, in order of name.
 * @param expected text for the message when `where` is a file
 * @throws InvalidInput when it is not a folder
 */
export async function* filesOfFolder(where: string, expected: string): AsyncGenerator<string> {
  yield* filesIn(await folderAt(where, expected), MAX_DEPTH);
}

async function folderAt(where: string, expected: string): Promise<string> {
  try {
    if ((await stat(where)).isDirectory()) return resolve(where);
  } catch (error) {
    throw toServiceError(where, error);
  }
  throw new InvalidInput(`${where}: expected ${expected}`);
}

async function* filesIn(folder: string, depth: number): AsyncGenerator<string> {
  const entries = [];
  for await (const entry of await opendir(folder)) entries.push(entry);
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const isLinked = async (): Promise<boolean> =>
      entry.isSymbolicLink() && (await stat(path).catch(() => undefined))?.isFile() === true;
    if (entry.isFile() || (await isLinked())) yield path;
    else if (entry.isDirectory() && depth > 0) yield* filesIn(path, depth - 1);
  }
}
