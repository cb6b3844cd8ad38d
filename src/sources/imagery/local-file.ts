import { open, stat } from 'node:fs/promises';
import { InvalidInput } from '../../base/errors.ts';
import { openZipEntry, type ZipEntry, zipEntries } from '../../formats/zip/archive.ts';
import { readText } from '../../formats/csv/table.ts';
import { readBytes } from '../../formats/memory-file.ts';
import type { RandomAccess } from '../../formats/random-access.ts';

/** Maximum size of a packed file of an archive, which is unpacked in memory [bytes]. A Sentinel-2 band has 130 MB. */
const MOST_UNPACKED = 2 ** 28;

/** A file that has to be closed. */
export interface OpenFile {
  readonly file: RandomAccess;
  readonly close: () => Promise<void>;
}

/** Paths of the files in a ZIP archive, each as the path of the archive and the name in it. @throws InvalidInput */
export async function filesOfArchive(path: string): Promise<readonly string[]> {
  const file = await open(path, 'r');
  try {
    const entries = await zipEntries(file, path);
    return entries
      .map(({ name }) => name)
      .filter((name) => !name.endsWith('/'))
      .map((name) => `${path}/${name}`)
      .toSorted();
  } finally {
    await file.close();
  }
}

/**
 * Opens a file by its path, or a file in a ZIP archive by a path that goes through the archive.
 * @throws InvalidInput, or an error of the file system
 */
export async function openLocalFile(path: string): Promise<OpenFile> {
  const through = await archiveIn(path);
  const file = await open(through?.archive ?? path, 'r');
  const close = (): Promise<void> => file.close();
  if (through === undefined) return { file, close };
  try {
    const { archive, name } = through;
    const entry: ZipEntry | undefined = (await zipEntries(file, archive)).find((one) => one.name === name);
    if (entry === undefined) throw new InvalidInput(`${archive} has no file ${name}`);
    return { file: await openZipEntry(file, archive, entry, MOST_UNPACKED), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The whole text of a file, which may be in a ZIP archive. @throws InvalidInput */
export async function readLocalText(path: string): Promise<string> {
  if ((await archiveIn(path)) === undefined) return readText(path);
  const { file, close } = await openLocalFile(path);
  try {
    return (await readBytes(file, 0, (await file.stat()).size)).toString('utf8');
  } finally {
    await close();
  }
}

/** The archive that a path goes through, and the name in it; undefined for a plain path. */
async function archiveIn(
  path: string,
): Promise<{ readonly archive: string; readonly name: string } | undefined> {
  for (const { index, 0: found } of path.matchAll(/\.zip[/\\]/gi)) {
    const end = index + found.length;
    const archive = path.slice(0, end - 1);
    if ((await stat(archive).catch(() => undefined))?.isFile() === true)
      return { archive, name: path.slice(end) };
  }
  return undefined;
}
