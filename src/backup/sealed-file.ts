import { openBytes, SEAL_BYTES, sealBytes } from '../base/sealed-bytes.ts';
import type { TarEntry } from './tar.ts';

const PIECE = 1024 * 1024; // bytes of a file that are sealed together

/** Returns an entry of an archive with the content of another, encrypted under a key, piece by piece. */
export function sealedEntry(entry: TarEntry, name: string, key: Buffer): TarEntry {
  const size = entry.size + Math.ceil(entry.size / PIECE) * SEAL_BYTES;
  return { ...entry, name, size, content: sealed(entry.content, name, key) };
}

async function* sealed(content: AsyncIterable<Buffer>, name: string, key: Buffer): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const piece of inPieces(content, PIECE)) yield sealBytes(key, piece, `${name} ${count++}`);
}

/** Decrypts the content of a {@link sealedEntry}. @throws Error when it is damaged, or was sealed under another key */
export async function* openedContent({ name, content }: TarEntry, key: Buffer): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const piece of inPieces(content, PIECE + SEAL_BYTES))
    yield openBytes(key, piece, `${name} ${count++}`);
}

/** Divides a content into pieces of one size. The last may be smaller. */
async function* inPieces(content: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    held.push(chunk);
    length += chunk.length;
    if (length < size) continue;
    let bytes = Buffer.concat(held);
    for (; bytes.length >= size; bytes = bytes.subarray(size)) yield bytes.subarray(0, size);
    held = [bytes];
    length = bytes.length;
  }
  if (length > 0) yield Buffer.concat(held);
}
