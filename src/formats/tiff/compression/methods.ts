import { InvalidInput } from '../../../base/errors.ts';

/**
 * Codes of TIFF's Compression field that can be read. Lossy JPEG and WebP are refused: their pixels are not
 * measurements.
 */
const COMPRESSIONS: Readonly<Record<number, string>> = {
  1: 'none',
  5: 'LZW',
  8: 'DEFLATE',
  32773: 'PackBits',
  32946: 'DEFLATE',
  34887: 'LERC',
  50000: 'ZSTD',
};
/**
 * Names of the compressions that are refused, by code, for the message: TIFF 6.0, its supplements, and GDAL's
 * additions.
 */
const OTHER_COMPRESSIONS: Readonly<Record<number, string>> = {
  2: 'CCITT RLE',
  3: 'CCITT fax 3',
  4: 'CCITT fax 4',
  6: 'JPEG',
  7: 'JPEG',
  34712: 'JPEG 2000',
  34925: 'LZMA',
  50001: 'WebP',
  50002: 'JPEG XL',
};

/** Checks a code of the Compression field. @throws InvalidInput for a method that is not read */
export function compressionOf(name: string, compression: number): number {
  if (COMPRESSIONS[compression] !== undefined) return compression;
  const known = [...new Set(Object.values(COMPRESSIONS))].join(', ');
  const other = OTHER_COMPRESSIONS[compression];
  throw new InvalidInput(
    `${name} is compressed by ${other === undefined ? `method ${compression}` : other}; expected one of ${known}`,
  );
}
