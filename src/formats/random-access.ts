import { ReadFailed, type GuardedReader } from '../net/guarded-reader.ts';

/** A file that is read in pieces, such as a `FileHandle`. */
export interface RandomAccess {
  stat(): Promise<{ readonly size: number }>;
  /**
   * Reads `length` bytes from `position` in the file into `into`, starting at index `at`. Reads fewer at the end of
   * the file.
   */
  read(into: Uint8Array, at: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

/**
 * Size of the first read of a remote file [bytes]. The header of a cloud-optimised Sentinel-2 tile takes about 16 kB.
 */
const HEAD_BYTES = 65_536;

/** Opens a file on a web server that supports range requests. @throws the errors of the reader */
export async function openRemoteFile(reader: GuardedReader, url: string): Promise<RandomAccess> {
  const head = await reader.readPiece(url, 0, HEAD_BYTES);
  return {
    stat: async () => ({ size: head.size }),
    async read(into, at, length, position) {
      const end = Math.min(position + length, head.size);
      if (end <= position) return { bytesRead: 0 };
      if (end <= head.bytes.length) {
        into.set(head.bytes.subarray(position, end), at);
        return { bytesRead: end - position };
      }
      const piece = await reader.readPiece(url, position, end);
      if (piece.size !== head.size || piece.version !== head.version)
        throw new ReadFailed(url, 'the file changed while it was read', null);
      into.set(piece.bytes, at);
      return { bytesRead: piece.bytes.length };
    },
  };
}
