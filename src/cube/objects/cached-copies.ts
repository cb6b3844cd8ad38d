import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Free space that is enough on any disk [bytes]. */
const LEAST_FREE_BYTES = 256e6;

/** A copy of a cube in a folder. */
export interface CachedCopy {
  readonly name: string;
  readonly bytes: number;
  /** When it was used last [ms since the epoch]. */
  readonly usedMs: number;
}

/** The copies of cubes in a folder, the one that was not used for longest first. */
export async function copiesIn(root: string): Promise<readonly CachedCopy[]> {
  const copies: CachedCopy[] = [];
  for (const name of await namesIn(root)) {
    let [bytes, usedMs] = [0, 0];
    for (const file of await namesIn(join(root, name))) {
      const found = await stat(join(root, name, file)).catch(() => undefined); // it may have been deleted meanwhile
      bytes += found?.size ?? 0;
      usedMs = Math.max(usedMs, found?.mtimeMs ?? 0);
    }
    copies.push({ name, bytes, usedMs });
  }
  return copies.toSorted((a, b) => a.usedMs - b.usedMs);
}

/**
 * Space that the disk of a folder lacks [bytes]: it should have a quarter, or 256 MB, whichever is less. Not positive when
 * it has that.
 */
export async function spaceMissing(folder: string): Promise<number> {
  const disk = await statfs(folder).catch(() => undefined); // the folder is made with the first copy
  if (disk === undefined) return 0;
  return Math.min((disk.blocks * disk.bsize) / 4, LEAST_FREE_BYTES) - disk.bavail * disk.bsize;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}
