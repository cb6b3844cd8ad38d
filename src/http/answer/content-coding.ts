import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

/** Of 11: as fast as gzip and smaller; 11 takes a hundred times as long. */
const BROTLI_QUALITY = 4;

const [compressBrotli, compressZstd, compressGzip] = [
  promisify(brotliCompress),
  promisify(zstdCompress),
  promisify(gzip),
];

/** Codings offered, the best first. */
const CODINGS = {
  br: (bytes: Buffer) => compressBrotli(bytes, { params: brotliParams(bytes.length) }),
  zstd: (bytes: Buffer) => compressZstd(bytes),
  gzip: (bytes: Buffer) => compressGzip(bytes),
} as const;
export type Coding = keyof typeof CODINGS;
const OFFERED = Object.keys(CODINGS) as Coding[];

/**
 * A window no larger than what is to be coded: it brings nothing, and the megabytes that each call would take and give
 * back leave the process's memory in pieces.
 */
function brotliParams(length: number): Record<number, number> {
  const window = Math.ceil(Math.log2(length + 16)); // RFC 7932 section 9.1: a window of 2^n holds 16 bytes less
  return {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: length,
    [constants.BROTLI_PARAM_LGWIN]: Math.min(
      constants.BROTLI_DEFAULT_WINDOW,
      Math.max(constants.BROTLI_MIN_WINDOW_BITS, window),
    ),
  };
}

/** Codes bytes in Node's thread pool: the event loop goes on answering. */
export function encodeContent(coding: Coding, bytes: Buffer): Promise<Buffer> {
  return CODINGS[coding](bytes);
}

/**
 * The coding that an `Accept-Encoding` likes best; the best offered where it likes several as much, undefined where it
 * takes none. @see RFC 9110 section 12.5.3
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
    const quality = qualities.get(coding) ?? qualities.get('*') ?? 0;
    if (quality > highest) [best, highest] = [coding, quality];
  }
  return best;
}
