import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

/** Quality 4 of 11: as fast as gzip and smaller; 11 takes a hundred times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const [compressBrotli, compressZstd, compressGzip] = [
  promisify(brotliCompress),
  promisify(zstdCompress),
  promisify(gzip),
];

/** Codings offered, the best first. */
const CODINGS = {
  br: (bytes: Buffer) => compressBrotli(bytes, BROTLI),
  zstd: (bytes: Buffer) => compressZstd(bytes),
  gzip: (bytes: Buffer) => compressGzip(bytes),
} as const;
export type Coding = keyof typeof CODINGS;
const OFFERED = Object.keys(CODINGS) as Coding[];

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
