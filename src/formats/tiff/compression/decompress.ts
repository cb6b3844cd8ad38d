import { promisify } from 'node:util';
import { inflate, inflateSync, zstdDecompress } from 'node:zlib';
import type { TiffImage } from '../image.ts';
import { decodeLerc } from './lerc.ts';
import { decodeLzw } from './lzw.ts';
import { decodePackBits } from './packbits.ts';

/**
 * Number of bytes by which the output buffer is larger than a block, so that zlib does not need a second buffer. 64 is
 * the smallest buffer that zlib accepts.
 */
export const SLACK_BYTES = 64;

const inflateAsync = promisify(inflate);
const zstdDecompressAsync = promisify(zstdDecompress);

/**
 * Most bytes that one stored byte can become, by code of TIFF's Compression field. LZW: a code of 12 bits for a string
 * of up to 3,838 bytes. DEFLATE: 258 bytes for two bits. PackBits: 128 bytes for two. Zstandard: 128 KiB for four bytes
 * (RFC 8878 section 3.1.1.2). The others have no such limit.
 */
const MOST_PER_BYTE: Readonly<Record<number, number>> = {
  1: 1,
  5: 2600,
  8: 1032,
  32946: 1032,
  32773: 64,
  50000: 32_768,
};

/** Most bytes that a block of a stored length can decode to; Infinity for a method without such a limit. */
export function mostDecoded(compression: number, stored: number): number {
  return stored * (MOST_PER_BYTE[compression] ?? Infinity);
}

/**
 * Options for zlib: one output buffer for a whole block. By default zlib returns chunks of 16 kB, which are then
 * joined.
 */
function room(bytes: number): { readonly maxOutputLength: number; readonly chunkSize: number } {
  return { maxOutputLength: bytes, chunkSize: bytes + SLACK_BYTES };
}

/**
 * Decompresses a block. Every method stops, or fails, when the block would become larger than its shape allows.
 * @param bytes size of a full block
 * @throws Error when the block is damaged, or too large
 */
export async function decompress(image: TiffImage, stored: Uint8Array, bytes: number): Promise<Uint8Array> {
  switch (image.compression) {
    case 1:
      return stored;
    case 5:
      return decodeLzw(stored, bytes);
    case 8:
    case 32946:
      return await inflateAsync(stored, room(bytes)); // runs in the thread pool
    case 32773:
      return decodePackBits(stored, bytes);
    case 34887:
      return await decodeLerc(stored, image.directory.numbers('LercParameters'), image.interleaved, bytes);
    case 50000:
      return await zstdDecompressAsync(stored, room(bytes));
    default:
      throw new RangeError(`compression ${image.compression} is not known`);
  }
}

/** Inflates a block of a DEFLATE file. Unlike `decompress`, it is synchronous. */
export function inflateAtOnce(stored: Uint8Array, bytes: number): Uint8Array {
  return inflateSync(stored, room(bytes));
}
