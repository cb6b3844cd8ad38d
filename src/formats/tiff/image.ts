import { InvalidInput } from '../../base/errors.ts';
import { compressionOf } from './compression/methods.ts';
import { type SampleKind, STORED_KINDS, STORED_KINDS_IN_WORDS, type StoredKind } from './stored-kind.ts';
import type { TiffDirectory, TiffFile, TiffTag } from './directory.ts';

export type { SampleKind } from './stored-kind.ts';

/** Number of bytes of one sample of each kind. */
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

/**
 * Maximum number of pixels of a band that is read whole: 16384 x 16384, which is one and a half times the width and
 * height of a Sentinel-2 tile.
 */
export const MAX_BAND_PIXELS = 2 ** 28;
/** Maximum size of one decoded block, which is a strip or a tile [bytes]. */
const MAX_BLOCK_BYTES = 2 ** 29;
/** Maximum number of bands of one file: a century of daily dates. */
const MAX_BANDS = 36_525;

/** The layout of one image: its shape, sample type, and the position of each block. */
export interface TiffImage {
  /** Name of the file, for messages. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly bandCount: number;
  readonly kind: SampleKind;
  /** Type of the samples in the file. There may be no typed array for it. */
  readonly stored: StoredKind;
  /** Whether a block contains all bands, with the samples of each pixel together; otherwise it contains one band. */
  readonly interleaved: boolean;
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** Whether the last row of blocks is stored in full height (tiles) or only with its remaining rows (strips). */
  readonly tiled: boolean;
  /**
   * Byte position and length of each block, row-major, band after band when not interleaved; length 0 means omitted.
   */
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  readonly compression: number;
  /** Whether the compression is DEFLATE, which has two codes. */
  readonly isDeflated: boolean;
  readonly predictor: number;
  readonly littleEndian: boolean;
  readonly directory: TiffDirectory;
}

function storedKind(name: string, directory: TiffDirectory, bandCount: number): StoredKind {
  const bits = directory.numbers('BitsPerSample') ?? new Float64Array(bandCount).fill(1);
  const formats = directory.numbers('SampleFormat') ?? new Float64Array(1).fill(1);
  if (bits.length === 0 || formats.length === 0)
    throw new InvalidInput(
      `${name} has an empty list of bits or formats of its samples; expected one a band`,
    );
  const uniform = (values: Float64Array): boolean => values.every((value) => value === values[0]);
  if (!uniform(bits) || !uniform(formats)) {
    throw new InvalidInput(`${name} has bands of different sample types; expected one type for all`);
  }
  const families: Readonly<Record<number, string>> = { 1: 'uint', 2: 'int', 3: 'float', 4: 'uint' };
  const kind = `${families[formats[0]!] ?? 'complex'}${bits[0]}`;
  if (!Object.hasOwn(STORED_KINDS, kind)) {
    throw new InvalidInput(`${name} holds ${kind} samples; expected ${STORED_KINDS_IN_WORDS}`);
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
 * @param maxPixels maximum number of pixels of a band, so that a false header cannot allocate too much memory
 * @throws InvalidInput when a block is beyond the file's end, the layout cannot be read, there is an internal mask, or
 *   another page of the same size
 */
export function describeImage(file: TiffFile, name: string, maxPixels: number): TiffImage {
  if (file.pages.some((page) => (subfileType(page) & 4) !== 0)) {
    throw new InvalidInput(
      `${name} has an internal mask, which is not read; mark missing pixels by a nodata value`,
    );
  }
  return describeFirst(file, name, maxPixels);
}

/** The layout of the first page, which must be the only one of its size: others would not be read. */
function describeFirst(file: TiffFile, name: string, maxPixels: number): TiffImage {
  const image = describePage(file, file.pages[0]!, name, maxPixels, 1);
  const alike = file.pages.filter(
    (page) =>
      (subfileType(page) & 5) === 0 && // neither an overview nor a mask
      page.numbers('ImageWidth')?.[0] === image.width &&
      page.numbers('ImageLength')?.[0] === image.height,
  );
  if (alike.length > 1)
    throw new InvalidInput(
      `${name} has ${alike.length} pages of ${image.width} x ${image.height} pixels; expected one page, whose bands are the images: ` +
        `write each page to a file of its own first, the first one by gdal_translate GTIFF_DIR:1:${name} 1.tif`,
    );
  return image;
}

/** Values of ExtraSamples for an alpha band, premultiplied or not (TIFF 6.0, section 18). */
const ALPHA: ReadonlySet<number> = new Set([1, 2]);

/** Index of the alpha band, from 0; null when there is none. Pixels of alpha 0 are nodata. */
export function alphaBand({ directory, bandCount }: TiffImage): number | null {
  const extra = directory.numbers('ExtraSamples') ?? new Float64Array();
  const at = extra.findIndex((value) => ALPHA.has(value));
  return at === -1 || extra.length > bandCount ? null : bandCount - extra.length + at;
}

/** An image, and which of its pixels are valid. */
export interface MaskedImage {
  readonly image: TiffImage;
  /**
   * Mask of one bit per pixel, with the first pixel in the highest bit of a byte; 0 is nodata. Null: all pixels are
   * valid.
   */
  readonly mask: TiffImage | null;
}

/**
 * The layout of the first page and of its mask.
 * @throws InvalidInput when the layout of either cannot be read, the mask has another shape than the image, or another
 *   page has the size of the image
 */
export function describeMaskedImage(file: TiffFile, name: string, maxPixels: number): MaskedImage {
  const image = describeFirst(file, name, maxPixels);
  // The bit of value 4 marks a mask. Masks of overviews also have the bit of value 1.
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

const isPlace = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;

/** @param pixelsPerSample 8 for a mask, which has one bit per pixel; else 1 */
function describePage(
  file: TiffFile,
  directory: TiffDirectory,
  name: string,
  maxPixels: number,
  pixelsPerSample: 1 | 8,
): TiffImage {
  const shape = readShape(name, directory, maxPixels);
  const { width, height, bandCount } = shape;
  const compression = compressionOf(name, one(directory, 'Compression', 1));
  const stored = pixelsPerSample === 8 ? bitKind(name, directory) : storedKind(name, directory, bandCount);
  const { kind } = STORED_KINDS[stored];
  const predictor = readPredictor(name, directory, stored);
  const tiled = directory.numbers('TileOffsets') !== null;
  const blockWidth = tiled ? one(directory, 'TileWidth', 0) : width;
  const blockHeight = tiled
    ? one(directory, 'TileLength', 0)
    : Math.min(one(directory, 'RowsPerStrip', height), height);
  if (!isCount(blockWidth) || !isCount(blockHeight)) {
    throw new InvalidInput(
      `${name} says that it is stored in blocks of ${blockWidth} x ${blockHeight} pixels; expected whole numbers from 1`,
    );
  }
  const interleaved = bandCount > 1 && one(directory, 'PlanarConfiguration', 1) === 1;
  const bands = interleaved ? bandCount : 1;
  const blockSamples = Math.ceil(blockWidth / pixelsPerSample);
  const blockBytes = blockSamples * blockHeight * bands * KIND_BYTES[kind];
  if (!(blockBytes > 0) || blockBytes > MAX_BLOCK_BYTES) {
    throw new InvalidInput(
      `${name} is stored in blocks of ${blockWidth} x ${blockHeight} pixels and ${bands} bands, ${blockBytes} bytes; ` +
        `expected at most ${MAX_BLOCK_BYTES}: convert it to tiles`,
    );
  }
  const blocks =
    Math.ceil(width / blockWidth) * Math.ceil(height / blockHeight) * (interleaved ? 1 : bandCount);
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
    ...readBlockPositions(file, name, directory, blocks),
    compression,
    isDeflated: compression === 8 || compression === 32946,
    predictor,
    littleEndian: file.littleEndian,
    directory,
  };
}

function one(directory: TiffDirectory, tag: TiffTag, absent: number): number {
  return directory.numbers(tag)?.[0] ?? absent;
}

function readShape(
  name: string,
  directory: TiffDirectory,
  maxPixels: number,
): Pick<TiffImage, 'width' | 'height' | 'bandCount'> {
  const width = one(directory, 'ImageWidth', 0);
  const height = one(directory, 'ImageLength', 0);
  const bandCount = one(directory, 'SamplesPerPixel', 1);
  if (![width, height, bandCount].every(isCount)) {
    throw new InvalidInput(
      `${name} says that it has ${width} x ${height} pixels and ${bandCount} bands; expected whole numbers from 1`,
    );
  }
  if (width * height > maxPixels || bandCount > MAX_BANDS) {
    throw new InvalidInput(
      `${name} says that it has ${width} x ${height} pixels and ${bandCount} bands; ` +
        `at most ${maxPixels} pixels and ${MAX_BANDS} bands can be read: cut it into pieces`,
    );
  }
  return { width, height, bandCount };
}

function readPredictor(name: string, directory: TiffDirectory, stored: StoredKind): number {
  const predictor = one(directory, 'Predictor', 1);
  if (
    ![1, 2, 3].includes(predictor) ||
    (predictor === 2 && STORED_KINDS[stored].bits % 8 !== 0) ||
    (predictor === 3 && !stored.startsWith('float'))
  ) {
    throw new InvalidInput(`${name} uses predictor ${predictor}, which does not go with ${stored} samples`);
  }
  return predictor;
}

/** @throws InvalidInput when the number of blocks does not match the shape, or a block is beyond the file's end */
function readBlockPositions(
  file: TiffFile,
  name: string,
  directory: TiffDirectory,
  blocks: number,
): Pick<TiffImage, 'offsets' | 'lengths'> {
  const tiled = directory.numbers('TileOffsets') !== null;
  const offsets = directory.numbers(tiled ? 'TileOffsets' : 'StripOffsets');
  const lengths = directory.numbers(tiled ? 'TileByteCounts' : 'StripByteCounts');
  if (offsets?.length !== blocks || lengths?.length !== blocks) {
    throw new InvalidInput(
      `${name} lists ${offsets?.length ?? 0} block positions and ${lengths?.length ?? 0} lengths; its shape needs ${blocks}`,
    );
  }
  for (let i = 0; i < blocks; i++) {
    const end = offsets[i]! + lengths[i]!;
    if (!isPlace(offsets[i]!) || !isPlace(lengths[i]!))
      throw new InvalidInput(
        `${name} says that block ${i + 1} of ${blocks} stands at byte ${offsets[i]} and has ${lengths[i]} bytes; expected whole numbers`,
      );
    if (end > file.sizeBytes) {
      throw new InvalidInput(
        `${name} is truncated: block ${i + 1} of ${blocks} ends at byte ${end}, the file has ${file.sizeBytes}`,
      );
    }
  }
  return { offsets, lengths };
}
