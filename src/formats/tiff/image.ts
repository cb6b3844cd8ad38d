import { InvalidInput } from '../../base/errors.ts';
import { type SampleKind, STORED_KINDS, type StoredKind } from './stored-kind.ts';
import type { TiffDirectory, TiffFile, TiffTag } from './directory.ts';

export type { SampleKind } from './stored-kind.ts';

/** Bytes of one sample of each kind. */
export const KIND_BYTES: Readonly<Record<SampleKind, number>> = {
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  float32: 4,
  float64: 8,
};

/** Codes of TIFF's Compression field that can be read. Lossy photographs (JPEG, WebP) are no measurements. */
export const COMPRESSIONS: Readonly<Record<number, string>> = {
  1: 'none',
  5: 'LZW',
  8: 'DEFLATE',
  32773: 'PackBits',
  32946: 'DEFLATE',
  34887: 'LERC',
  50000: 'ZSTD',
};
/** Codes that are refused by name: TIFF 6.0, its supplements, and what GDAL adds. */
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
/** Pixels of a band that is read whole: 16384 x 16384, one and a half Sentinel-2 tiles on each side. */
export const MAX_BAND_PIXELS = 2 ** 28;
/** One block, a strip or tile, decoded [bytes]. */
const MAX_BLOCK_BYTES = 2 ** 29;
/** Bands of one file: a century of dates, daily. */
const MAX_BANDS = 36_525;

/** The layout of one image: where each block is, and what is in it. */
export interface TiffImage {
  /** The file's name in messages. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly bandCount: number;
  readonly kind: SampleKind;
  /** How the file has them, which may be a form that no array has. */
  readonly stored: StoredKind;
  /** Whether a block holds all bands of its pixels, band fastest; otherwise one band only. */
  readonly interleaved: boolean;
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** Whether the last row of blocks is stored in full height (tiles) or cut (strips). */
  readonly tiled: boolean;
  /** Byte position and length of each block, row-major, band after band when not interleaved; length 0 is empty. */
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  readonly compression: number;
  /** Whether that is zlib's, by either of its numbers. */
  readonly isDeflated: boolean;
  readonly predictor: number;
  readonly littleEndian: boolean;
  readonly directory: TiffDirectory;
}

function storedKind(name: string, directory: TiffDirectory, bandCount: number): StoredKind {
  const bits = directory.numbers('BitsPerSample') ?? new Float64Array(bandCount).fill(1);
  const formats = directory.numbers('SampleFormat') ?? new Float64Array(1).fill(1);
  const uniform = (values: Float64Array): boolean => values.every((value) => value === values[0]);
  if (!uniform(bits) || !uniform(formats)) {
    throw new InvalidInput(`${name} has bands of different sample types; expected one type for all`);
  }
  const families: Readonly<Record<number, string>> = { 1: 'uint', 2: 'int', 3: 'float', 4: 'uint' };
  const kind = `${families[formats[0]!] ?? 'complex'}${bits[0]}`;
  if (!Object.hasOwn(STORED_KINDS, kind)) {
    throw new InvalidInput(
      `${name} holds ${kind} samples; expected one of ${Object.keys(STORED_KINDS).join(', ')}`,
    );
  }
  return kind as StoredKind;
}

function bitKind(name: string, directory: TiffDirectory): StoredKind {
  const bits = directory.numbers('BitsPerSample')?.[0] ?? 1;
  if (bits !== 1) throw new InvalidInput(`${name} has ${bits} bits a pixel; expected 1`);
  return 'uint8';
}

function subfileType(page: TiffDirectory): number {
  return page.numbers('NewSubfileType')?.[0] ?? 0;
}

/**
 * The layout of the first page, checked against the file's size before any pixel is read.
 * @param maxPixels most pixels that a band may claim, so that a lying header cannot ask for the memory
 * @throws InvalidInput when a block lies beyond the file's end, the header claims what cannot be read, or there is a mask
 */
export function describeImage(file: TiffFile, name: string, maxPixels: number): TiffImage {
  if (file.pages.some((page) => (subfileType(page) & 4) !== 0)) {
    throw new InvalidInput(
      `${name} has an internal mask, which is not read; mark missing pixels by a nodata value`,
    );
  }
  return describePage(file, file.pages[0]!, name, maxPixels, 1);
}

/** ExtraSamples: a band of how opaque a pixel is, whether the others are multiplied by it or not (TIFF 6.0, section 18). */
const ALPHA: ReadonlySet<number> = new Set([1, 2]);

/** Band that tells by 0 where the others hold nothing, from 0; null when there is none. */
export function alphaBand({ directory, bandCount }: TiffImage): number | null {
  const extra = directory.numbers('ExtraSamples') ?? new Float64Array();
  const at = extra.findIndex((value) => ALPHA.has(value));
  return at === -1 ? null : bandCount - extra.length + at;
}

/** An image, and which of its pixels hold something. */
export interface MaskedImage {
  readonly image: TiffImage;
  /** Bits, eight pixels to a sample, the first the highest; 0 where the pixel is to be left out. Null: all hold something. */
  readonly mask: TiffImage | null;
}

/** The layout of the first page and of its mask. @throws InvalidInput as `describeImage` does, or for a mask of another shape */
export function describeMaskedImage(file: TiffFile, name: string, maxPixels: number): MaskedImage {
  const image = describePage(file, file.pages[0]!, name, maxPixels, 1);
  // Those of overviews have another bit set too.
  const page = file.pages.find((other) => (subfileType(other) & 5) === 4);
  if (page === undefined) return { image, mask: null };
  const mask = describePage(file, page, `the mask of ${name}`, maxPixels, 8);
  if (
    page.numbers('ImageWidth')?.[0] !== image.width ||
    mask.height !== image.height ||
    mask.bandCount !== 1
  ) {
    throw new InvalidInput(`${name} has a mask of another shape than its image`);
  }
  return { image, mask };
}

/** @param pixelsPerSample 8 for a mask, whose pixels are bits; else 1 */
function describePage(
  file: TiffFile,
  directory: TiffDirectory,
  name: string,
  maxPixels: number,
  pixelsPerSample: 1 | 8,
): TiffImage {
  const one = (tag: TiffTag, absent: number): number => directory.numbers(tag)?.[0] ?? absent;
  const width = one('ImageWidth', 0);
  const height = one('ImageLength', 0);
  const bandCount = one('SamplesPerPixel', 1);
  if (width < 1 || height < 1 || bandCount < 1) {
    throw new InvalidInput(`${name} says that it has ${width} x ${height} pixels and ${bandCount} bands`);
  }
  if (width * height > maxPixels || bandCount > MAX_BANDS) {
    throw new InvalidInput(
      `${name} says that it has ${width} x ${height} pixels and ${bandCount} bands; ` +
        `at most ${maxPixels} pixels and ${MAX_BANDS} bands can be read: cut it into pieces`,
    );
  }
  const compression = one('Compression', 1);
  if (COMPRESSIONS[compression] === undefined) {
    const known = [...new Set(Object.values(COMPRESSIONS))].join(', ');
    const other = OTHER_COMPRESSIONS[compression];
    throw new InvalidInput(
      `${name} is compressed by ${other === undefined ? `method ${compression}` : other}; expected one of ${known}`,
    );
  }
  const stored = pixelsPerSample === 8 ? bitKind(name, directory) : storedKind(name, directory, bandCount);
  const { bits, kind } = STORED_KINDS[stored];
  const predictor = one('Predictor', 1);
  if (
    ![1, 2, 3].includes(predictor) ||
    (predictor === 2 && bits < 8) ||
    (predictor === 3 && !stored.startsWith('float'))
  ) {
    throw new InvalidInput(`${name} uses predictor ${predictor}, which does not go with ${stored} samples`);
  }
  const tiled = directory.numbers('TileOffsets') !== null;
  const blockWidth = tiled ? one('TileWidth', 0) : width;
  const blockHeight = tiled ? one('TileLength', 0) : Math.min(one('RowsPerStrip', height), height);
  const interleaved = bandCount > 1 && one('PlanarConfiguration', 1) === 1;
  const bands = interleaved ? bandCount : 1;
  const blockSamples = Math.ceil(blockWidth / pixelsPerSample);
  const blockBytes = blockSamples * blockHeight * bands * KIND_BYTES[kind];
  if (!(blockBytes > 0) || blockBytes > MAX_BLOCK_BYTES) {
    throw new InvalidInput(
      `${name} is stored in blocks of ${blockWidth} x ${blockHeight} pixels and ${bands} bands, ${blockBytes} bytes; ` +
        `expected at most ${MAX_BLOCK_BYTES}: convert it to tiles`,
    );
  }
  const offsets = directory.numbers(tiled ? 'TileOffsets' : 'StripOffsets');
  const lengths = directory.numbers(tiled ? 'TileByteCounts' : 'StripByteCounts');
  const blocks =
    Math.ceil(width / blockWidth) * Math.ceil(height / blockHeight) * (interleaved ? 1 : bandCount);
  if (offsets?.length !== blocks || lengths?.length !== blocks) {
    throw new InvalidInput(
      `${name} lists ${offsets?.length ?? 0} block positions and ${lengths?.length ?? 0} lengths; its shape needs ${blocks}`,
    );
  }
  for (const [i, offset] of offsets.entries()) {
    if (offset + lengths[i]! > file.sizeBytes) {
      throw new InvalidInput(
        `${name} is truncated: block ${i + 1} of ${blocks} ends at byte ${offset + lengths[i]!}, the file has ${file.sizeBytes}`,
      );
    }
  }
  return {
    name,
    width: Math.ceil(width / pixelsPerSample),
    height,
    bandCount,
    kind,
    stored,
    interleaved,
    blockWidth: blockSamples,
    blockHeight,
    tiled,
    offsets,
    lengths,
    compression,
    isDeflated: compression === 8 || compression === 32946,
    predictor,
    littleEndian: file.littleEndian,
    directory,
  };
}
