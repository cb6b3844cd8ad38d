import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Syncs a folder, so that files created or renamed in it survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder for fsync. There, the journal of NTFS protects file names.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file atomically. Readers see either the old or the new content, even after the process was killed. A
 * killed process may leave a file that ends in `.tmp` next to the file. The new content survives a power cut only
 * after {@link syncFolder}.
 * @param mode permissions of the new file, before the umask of the process is applied
 * @throws Error of the system; the old content is then unchanged
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
 * Creates a file atomically and durably. If several processes create the file at the same time, only one succeeds.
 * @returns false when the file exists already
 */
export async function makeFile(path: string, content: string, mode?: number): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await replaceFile(draft, content, mode);
  try {
    await link(draft, path); // throws when the file exists
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
    await syncFolder(dirname(path));
  }
}

/** Replaces a file like {@link swapFile}, and syncs its folder, so that the new content survives a power cut. */
export async function replaceFile(path: string, content: string, mode?: number): Promise<void> {
  await swapFile(path, content, mode);
  await syncFolder(dirname(path));
}
