import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../connection/error-code.ts';

const UNFINISHED = /\.new-(\d+)-[0-9a-f]{8}$/;

/** Returns a temporary name, with our process id, for a folder that is renamed to `path` when it is complete. */
export function newFolderName(path: string): string {
  return `${path}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** Deletes incomplete folders of dead processes in `parent`. Ignores errors. */
export async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const builder = UNFINISHED.exec(name)?.[1];
    if (builder !== undefined && Number(builder) !== process.pid && !isAlive(Number(builder))) {
      // Can fail while a child of the dead process still writes into the folder. The next start tries again.
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** Whether a process of any user with this id exists. A zombie counts as alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
