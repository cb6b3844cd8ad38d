import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../connection/error-code.ts';

const UNFINISHED = /\.new-(\d+)-[0-9a-f]{8}$/;

/** Name under which a folder is built before it is renamed to `path`; it tells who builds it. */
export function newFolderName(path: string): string {
  return `${path}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** Deletes what processes that are gone left half-built under `parent`, as far as that can be done now. */
export async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const builder = UNFINISHED.exec(name)?.[1];
    if (builder !== undefined && Number(builder) !== process.pid && !isAlive(Number(builder))) {
      // A child of the dead process may still be writing there: the next start tries again.
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** Whether a process of that id exists, whoever owns it. A zombie counts as alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
