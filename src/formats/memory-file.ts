import type { RandomAccess } from './random-access.ts';

/** Bytes in memory as a file. */
export function memoryFile(bytes: Uint8Array): RandomAccess {
  return {
    stat: async () => ({ size: bytes.length }),
    async read(into, at, length, position) {
      const found = bytes.subarray(position, Math.min(position + length, bytes.length));
      into.set(found, at);
      return { bytesRead: found.length };
    },
  };
}

/** Part of a file as a file of its own. */
export function filePart(file: RandomAccess, from: number, size: number): RandomAccess {
  return {
    stat: async () => ({ size }),
    async read(into, at, length, position) {
      const left = Math.min(length, size - position);
      return left > 0 ? file.read(into, at, left, from + position) : { bytesRead: 0 };
    },
  };
}

/** Reads bytes `[from, from + length)`; fewer at the end of the file. */
export async function readBytes(file: RandomAccess, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
