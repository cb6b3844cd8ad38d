import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WriteFailed } from './write-failed.ts';

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

/** Writes all bytes at a position, however many calls it takes. */
export async function writeFully(
  handle: FileHandle,
  buffers: readonly Uint8Array[],
  at: number,
): Promise<number> {
  let position = at;
  for (const buffer of buffers) {
    let done = 0;
    while (done < buffer.byteLength) {
      const { bytesWritten } = await handle.write(buffer, done, buffer.byteLength - done, position);
      done += bytesWritten;
      position += bytesWritten;
    }
  }
  return position;
}

/**
 * Replaces a file whole: readers see the old content or the new, and the new survives a power cut.
 * @throws WriteFailed; the old content is there still
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const handle = await open(temporary, 'w');
    try {
      await writeFully(handle, [Buffer.from(content)], 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new WriteFailed(path, error);
  }
  await syncFolder(dirname(path));
}
