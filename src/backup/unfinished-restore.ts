import { access, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../base/errors.ts';

/** Stands in a data folder from the first file that is restored to the last row. */
const MARK = 'restore-unfinished';
/** The database, which is filled all or nothing, and where it is. */
const DATABASE = new Set(['postgres', 'postgres-location']);

/** Takes a folder that is empty, or what a restore that did not end has left there. @throws InvalidInput for any other */
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

/** Everything is there. */
export async function endRestore(dataFolder: string): Promise<void> {
  await rm(join(dataFolder, MARK));
}

/** @throws InvalidInput for a folder in which a restore did not end: half of an installation would pass for a new one */
export async function refuseUnfinishedRestore(dataFolder: string): Promise<void> {
  const isThere = await access(join(dataFolder, MARK)).then(
    () => true,
    () => false,
  );
  if (isThere)
    throw new InvalidInput(
      `GROUNDWATCH_DATA: a restore into ${dataFolder} did not end: run groundwatch restore again, which begins anew, or delete the folder`,
    );
}
