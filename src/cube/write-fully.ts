import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes at a position, in as many calls as needed. @returns the position after the last byte */
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
