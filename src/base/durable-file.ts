import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the names in a folder durable: after it, a created or renamed file survives a power cut. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder for fsync; NTFS journals names by itself.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file whole: readers, and a start after a kill, see the old content or the new. What a kill leaves beside it
 * ends in `.tmp`. Which of the two a power cut leaves is open until {@link syncFolder}.
 * @param mode of the new file, less the process's mask
 * @throws Error of the system; the old content is there still
 */
export async function swapFile(path: string, content: string, mode = 0o666): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * Makes a file whole and durably unless there is one of that name: of several processes at once, one does.
 * @returns false when there is one
 */
export async function makeFile(path: string, content: string, mode?: number): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await replaceFile(draft, content, mode);
  try {
    await link(draft, path); // never over another
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
    await syncFolder(dirname(path));
  }
}

/** {@link swapFile}, and the new content survives a power cut. */
export async function replaceFile(path: string, content: string, mode?: number): Promise<void> {
  await swapFile(path, content, mode);
  await syncFolder(dirname(path));
}
