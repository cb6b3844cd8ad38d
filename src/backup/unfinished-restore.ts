import { access, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../base/errors.ts';

/** Name of a file that is in the data folder while a restore is unfinished. */
const MARK = 'restore-unfinished';
/** Files of the embedded database. A new restore keeps them: rows are restored in one transaction, so never partly. */
const DATABASE = new Set(['postgres', 'postgres-location']);

/**
 * Prepares a folder for a restore. It must be empty, or left by an unfinished restore.
 * @throws InvalidInput otherwise
 */
export async function beginRestore(dataFolder: string): Promise<void> {
  const found = await readdir(dataFolder);
  if (found.length > 0 && !found.includes(MARK))
    throw new InvalidInput(
      `GROUNDWATCH_DATA: expected an empty folder to restore into; ${dataFolder} holds ${found.length} files or folders`,
    );
  await writeFile(join(dataFolder, MARK), '', { flush: true });
  for (const name of found)
    if (name !== MARK && !DATABASE.has(name)) await rm(join(dataFolder, name), { recursive: true });
}

/** Marks the restore as finished. */
export async function endRestore(dataFolder: string): Promise<void> {
  await rm(join(dataFolder, MARK));
}

/** @throws InvalidInput when a restore into the folder is unfinished, since it would look like a new installation */
export async function refuseUnfinishedRestore(dataFolder: string): Promise<void> {
  const isThere = await access(join(dataFolder, MARK)).then(
    () => true,
    () => false,
  );
  if (isThere)
    throw new InvalidInput(
      `GROUNDWATCH_DATA: a restore into ${dataFolder} did not end: run groundwatch restore again, which starts again, or delete the folder`,
    );
}
