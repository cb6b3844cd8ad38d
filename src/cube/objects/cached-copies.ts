import type { Dirent } from 'node:fs';
import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '../../base/disk-full.ts';
import { MANIFEST_NAME } from '../manifest.ts';
import { DEAD_MS, hasPart, isYounger, JOURNAL_SUFFIX, PART_SUFFIX } from '../state-file.ts';
import { WriterLock } from '../writer-lock.ts';

/** File in the folder of a copy that says which head the folder has. It is touched when the copy is used. */
export const MARK = 'objects-mark.json';
/** Lock of the folder of a copy. */
export const LOCK = 'objects.lock';
/** Time for which a state that is not written on stays in a cache [ms]: a search may go on from it. */
const LEFT_PART_MS = 60_000;

/** Free space that is enough on any disk [bytes]. */
const LEAST_FREE_BYTES = 256e6;

/** A folder of this machine with copies of cubes, each in a folder of its own. The objects have all that they have. */
export interface CopiesAt {
  readonly cache: string;
  /** Size above which copies that are not in use are deleted [bytes]. */
  readonly cacheBytes: number;
}

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
  for (const entry of await entriesIn(root)) {
    if (!entry.isDirectory()) continue;
    const { name } = entry;
    let [bytes, usedMs] = [0, 0];
    for (const file of await entriesIn(join(root, name))) {
      const found = await stat(join(root, name, file.name)).catch(() => undefined); // it may have been deleted meanwhile
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
 * @param freeBytes space that is needed; ignored if that is more than half of it
 */
export async function spaceMissing(folder: string, freeBytes = 0): Promise<number> {
  const disk = await statfs(folder).catch(() => undefined); // the folder is made with the first copy
  if (disk === undefined) return 0;
  const size = disk.blocks * disk.bsize;
  const least = Math.min(size / 4, LEAST_FREE_BYTES);
  return Math.max(least, freeBytes > size / 2 ? 0 : freeBytes) - disk.bavail * disk.bsize;
}

/**
 * Deletes copies of cubes that were not used for `idleMs`, the oldest first, while their folder is too large or its disk
 * too full.
 * @param leftMs see `evictCopy`
 * @param freeBytes space that is needed; ignored if that is more than half of the disk, or than all copies have
 * @param leastShare share of all copies that is deleted at least
 */
export async function trimCopies(
  { cache, cacheBytes }: CopiesAt,
  {
    idleMs,
    leftMs = LEFT_PART_MS,
    freeBytes,
    leastShare = 0,
  }: { idleMs: number; leftMs?: number; freeBytes?: number; leastShare?: number },
): Promise<void> {
  const copies = await copiesIn(cache);
  const total = copies.reduce((sum, { bytes }) => sum + bytes, 0);
  let missing = await spaceMissing(cache, freeBytes);
  if (missing > total) missing = await spaceMissing(cache);
  let excess = Math.max(total - cacheBytes, missing, leastShare * total);
  for (const { name, bytes } of copies) {
    if (excess <= 0) break;
    if (bytes > 0) excess -= await evictCopy(join(cache, name), idleMs, leftMs).catch(noneIfGone);
  }
}

/** Another process may remove a cube, with its folder, at any time. */
function noneIfGone(error: NodeJS.ErrnoException): number {
  if (error.code !== 'ENOENT') throw error;
  return 0;
}

/**
 * Deletes copies but those that are being written, while the disk is too full. It needs no free byte.
 * @param isRefused whether the system refused a write. A quarter of the copies is deleted then at least: free blocks are
 *   of no use when a quota or the number of files is reached
 */
export async function makeRoom(at: CopiesAt, isRefused = false): Promise<void> {
  await trimCopies(at, { idleMs: 0, leftMs: DEAD_MS, leastShare: isRefused ? 0.25 : 0 });
}

/**
 * Deletes a copy of a cube unless it is in use: by a writer, or within `idleMs`. A state that is not whole counts as in
 * use until `leftMs` after it was written on last; a writer that lives touches it each second. Where one is written,
 * what other writers have left is deleted.
 * @returns bytes that were deleted
 */
async function evictCopy(folder: string, idleMs: number, leftMs: number): Promise<number> {
  const lock = lockOf(folder);
  if (lock === null) return 0;
  try {
    if (await isYounger(join(folder, MARK), idleMs)) return 0;
    const isWritten = await hasPart(folder, leftMs);
    return await deleteFrom(folder, async (name) => {
      if (!isWritten) return !name.includes('.lock');
      // A writer touches its file, but not its journal.
      const touched = name.replace(JOURNAL_SUFFIX, PART_SUFFIX);
      return isUnfinished(name) && !(await isYounger(join(folder, touched), LEFT_PART_MS));
    });
  } finally {
    lock.release();
  }
}

/** Whether a file of a copy is one that its writer would have renamed or deleted. */
function isUnfinished(name: string): boolean {
  return name.endsWith('.tmp') || name.endsWith(PART_SUFFIX) || name.endsWith(JOURNAL_SUFFIX);
}

/** Deletes the files in the folder of a copy but its locks. */
export async function clearCopy(folder: string): Promise<void> {
  await deleteFrom(folder, async (name) => !name.includes('.lock'));
}

/** Files that make a folder a copy: what says that it is whole, and what makes it a cube. */
const FIRST_DELETED: readonly string[] = [MARK, MANIFEST_NAME];

/**
 * Deletes files of a copy, first those that make it one. A process that is killed between two files, or that reads
 * beside, then finds no copy, instead of one that lacks files.
 * @returns bytes that were deleted
 */
async function deleteFrom(folder: string, isDead: (name: string) => Promise<boolean>): Promise<number> {
  let bytes = 0;
  const names = (await readdir(folder)).filter((name) => !FIRST_DELETED.includes(name));
  for (const name of [...FIRST_DELETED, ...names]) {
    if (!(await isDead(name))) continue;
    const found = await stat(join(folder, name)).catch(() => undefined);
    await rm(join(folder, name), { force: true });
    bytes += found?.size ?? 0;
  }
  return bytes;
}

/** Takes the lock of a copy; null when another holder has it, or the copy is gone. */
function lockOf(folder: string): WriterLock | null {
  try {
    return WriterLock.tryTake(folder, LOCK);
  } catch (error) {
    // Without a lock this copy stays. Others may be deleted.
    if (isDiskFull(error) || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
