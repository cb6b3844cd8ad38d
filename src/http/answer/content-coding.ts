import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

/** Compression level: 4 of 11 is as fast as gzip and compresses better; level 11 takes 100 times as long as 4. */
const BROTLI_QUALITY = 4;

const [compressBrotli, compressZstd, compressGzip] = [
  promisify(brotliCompress),
  promisify(zstdCompress),
  promisify(gzip),
];

/** The content codings that the service offers, in order of preference. */
const CODINGS = {
  br: (bytes: Buffer) => compressBrotli(bytes, { params: brotliParams(bytes.length) }),
  zstd: (bytes: Buffer) => compressZstd(bytes),
  gzip: (bytes: Buffer) => compressGzip(bytes),
} as const;
export type Coding = keyof typeof CODINGS;
const OFFERED = Object.keys(CODINGS) as Coding[];

/**
 * Limits the window of Brotli to the size of the content. A larger window does not compress better, and allocating and
 * freeing megabytes on each call fragments the heap.
 */
function brotliParams(length: number): Record<number, number> {
  const window = Math.ceil(Math.log2(length + 16)); // a window of n bits has 2^n - 16 bytes (RFC 7932 section 9.1)
  return {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: length,
    [constants.BROTLI_PARAM_LGWIN]: Math.min(
      constants.BROTLI_DEFAULT_WINDOW,
      Math.max(constants.BROTLI_MIN_WINDOW_BITS, window),
    ),
  };
}

/** Compresses bytes in Node's thread pool, so that the event loop is not blocked. */
export function encodeContent(coding: Coding, bytes: Buffer): Promise<Buffer> {
  return CODINGS[coding](bytes);
}

/**
 * Returns the offered coding that an `Accept-Encoding` header prefers. If it prefers several equally, returns the
 * first one in the order of the offer. Returns undefined when the header names none: clients that send `*` alone, such as
 * pystac, decode none.
 * @see RFC 9110 section 12.5.3
 */
export function preferredCoding(
  header: string | undefined,
  offered: readonly Coding[] = OFFERED,
): Coding | undefined {
  if (header === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const offer of header.toLowerCase().split(',')) {
    const [name, ...parameters] = offer.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    qualities.set(name === 'x-gzip' ? 'gzip' : name!, quality === undefined ? 1 : Number(quality.slice(2)));
  }
  let best: Coding | undefined;
  let highest = 0;
  for (const coding of offered) {
    const quality = qualities.get(coding) ?? 0;
    if (quality > highest) [best, highest] = [coding, quality];
  }
  return best;
}
