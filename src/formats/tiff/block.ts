import { readSync } from 'node:fs';
import { InvalidInput } from '../../base/errors.ts';
import { release } from '../../base/release.ts';
import type { RandomAccess } from '../random-access.ts';
import { decompress, inflateAtOnce, mostDecoded, SLACK_BYTES } from './compression/decompress.ts';
import { rowBytes, sampleBytes, widen } from './stored-kind.ts';
import { KIND_BYTES } from './image.ts';
import type { SampleKind, TiffImage } from './image.ts';

export type BlockSamples =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** Number of rows that a block stores: all rows of a tile, but fewer in the last strip. */
export function storedRows(image: TiffImage, blockRow: number): number {
  return image.tiled
    ? image.blockHeight
    : Math.min(image.blockHeight, image.height - blockRow * image.blockHeight);
}

/** The typed array of each kind of sample. */
export const BLOCK_ARRAYS = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

/** Views bytes as samples. The offset of the bytes in their buffer must be a multiple of the sample's size. */
function samplesOf(bytes: Uint8Array, kind: SampleKind): BlockSamples {
  const length = Math.floor(bytes.byteLength / KIND_BYTES[kind]);
  return new BLOCK_ARRAYS[kind](bytes.buffer as ArrayBuffer, bytes.byteOffset, length);
}

function swapBytes(bytes: Uint8Array, width: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (width === 2) buffer.swap16();
  else if (width === 4) buffer.swap32();
  else if (width === 8) buffer.swap64();
}

/**
 * Undoes horizontal differencing in place (TIFF 6.0 section 14): each stored value is the difference from the left
 * neighbour.
 */
function addAlongRows(bytes: Uint8Array, width: number, rowSamples: number, step: number): void {
  // Differences wrap around as unsigned integers. For floats, this applies to their bits.
  const unsigned: SampleKind = width === 1 ? 'uint8' : width === 2 ? 'uint16' : 'uint32';
  if (width === 8) {
    const values = new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
    for (let row = 0; row < values.length; row += rowSamples) {
      for (let i = row + step; i < row + rowSamples; i++) values[i] = values[i]! + values[i - step]!;
    }
    return;
  }
  const values = samplesOf(bytes, unsigned);
  for (let row = 0; row < values.length; row += rowSamples) {
    for (let i = row + step; i < row + rowSamples; i++) values[i] = values[i]! + values[i - step]!;
  }
}

/**
 * Undoes the floating point predictor in place. The predictor stores the bytes of a row in planes, the most
 * significant bytes first, and each byte as the difference from the byte `step` places before it (Adobe TIFF Technical
 * Note 3).
 */
function joinFloatPlanes(bytes: Uint8Array, width: number, rowSamples: number, step: number): void {
  const rowBytes = rowSamples * width;
  const row = new Uint8Array(rowBytes);
  for (let start = 0; start + rowBytes <= bytes.byteLength; start += rowBytes) {
    row.set(bytes.subarray(start, start + rowBytes));
    for (let i = step; i < rowBytes; i++) row[i] = row[i]! + row[i - step]!;
    for (let i = 0; i < rowSamples; i++) {
      for (let b = 0; b < width; b++) {
        bytes[start + i * width + b] = row[(width - b - 1) * rowSamples + i]!;
      }
    }
  }
}

/**
 * Reads and decodes one block; null when the file omits the block, which means that all its pixels are nodata.
 * @param index index of the block in `offsets`
 * @returns samples row by row, all bands of a pixel together when interleaved
 * @throws InvalidInput when the block has fewer samples than its shape, or cannot be decoded
 */
async function readBlock(
  file: RandomAccess,
  image: TiffImage,
  index: number,
  rows: number,
): Promise<BlockSamples | null> {
  const length = storedBytes(image, index, rows);
  if (length === 0) return null;
  const stored = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(stored, 0, length, image.offsets[index]!);
  try {
    if (bytesRead < length) throw new RangeError(CUT);
    // The buffer has room for a full block, because some writers store the last strip in full height.
    const decoded = await decompress(image, stored, blockBytes(image, image.blockHeight));
    if (decoded.buffer !== stored.buffer) release(stored);
    return samplesIn(image, decoded, rows);
  } catch (error) {
    throw damaged(image, index, error);
  }
}

/**
 * Frees the memory of a block that `readBlock` returned and nobody uses any more; its samples are then empty. The garbage
 * collector lets 64 MB of blocks pass before it looks for them, and the C library keeps most of that memory afterwards.
 */
export function releaseBlock(block: BlockSamples): void {
  release(block, SLACK_BYTES);
}

/**
 * Checks that the stored bytes of blocks can hold them, before any memory is taken for their pixels: a file of a
 * kilobyte may say that it has fifty million.
 * @throws InvalidInput naming the first block that cannot be whole
 */
export function checkBlocks(
  image: TiffImage,
  blocks: Iterable<{ readonly index: number; readonly rows: number }>,
): void {
  for (const { index, rows } of blocks) storedBytes(image, index, rows);
}

/** Maximum memory for blocks that are decoded at the same time [bytes]. */
const MAX_BYTES_AT_ONCE = 2 ** 28;
/** Maximum number of blocks that are decoded at the same time: the default size of Node's thread pool. */
const MAX_AT_ONCE = 4;

/**
 * Reads and decodes some blocks, several at the same time. After a block that is refused, no further one is read.
 * @param blocks index of each block in `offsets`, and the number of its rows that are needed
 * @param take called with each block, in any order; null: the file omits it
 * @throws InvalidInput as {@link readBlock} does
 */
export async function readBlocks(
  file: RandomAccess,
  image: TiffImage,
  blocks: readonly { readonly index: number; readonly rows: number }[],
  take: (samples: BlockSamples | null, position: number) => void,
): Promise<void> {
  let next = 0;
  const reader = async (): Promise<void> => {
    while (next < blocks.length) {
      const position = next++;
      const { index, rows } = blocks[position]!;
      try {
        take(await readBlock(file, image, index, rows), position);
      } catch (error) {
        next = blocks.length;
        throw error;
      }
    }
  };
  const room = Math.floor(MAX_BYTES_AT_ONCE / blockBytes(image, image.blockHeight));
  const readers = Array.from({ length: Math.max(1, Math.min(MAX_AT_ONCE, room, blocks.length)) }, reader);
  const refused = (await Promise.allSettled(readers)).find(({ status }) => status === 'rejected');
  if (refused !== undefined) throw (refused as PromiseRejectedResult).reason;
}

/**
 * Reads and decodes one block of a DEFLATE file. Unlike `readBlock`, it is synchronous and blocks the event loop.
 * @throws InvalidInput as `readBlock` does
 */
export function readBlockAtOnce(fd: number, image: TiffImage, index: number): BlockSamples | null {
  const length = storedBytes(image, index, image.blockHeight);
  if (length === 0) return null;
  const stored = Buffer.allocUnsafe(length);
  try {
    if (readSync(fd, stored, 0, length, image.offsets[index]!) < length) throw new RangeError(CUT);
    const bytes = inflateAtOnce(stored, blockBytes(image, image.blockHeight));
    return samplesIn(image, bytes, image.blockHeight);
  } catch (error) {
    throw damaged(image, index, error);
  }
}

const CUT = 'the file became shorter';

/**
 * Number of bytes to read for a block; 0 when the file omits it.
 * @throws InvalidInput when so few bytes cannot hold the block, before any memory is taken for it
 */
function storedBytes(image: TiffImage, index: number, rows: number): number {
  const stored = image.lengths[index]!;
  const wanted = blockBytes(image, rows);
  const most = mostDecoded(image.compression, stored);
  if (stored > 0 && most < wanted)
    throw damaged(
      image,
      index,
      new RangeError(`its ${stored} bytes decode to at most ${most}; expected ${wanted}`),
    );
  // No compression makes a block much larger. What stands behind it is not read.
  return Math.min(stored, 2 * blockBytes(image, image.blockHeight) + MARGIN_BYTES);
}

const MARGIN_BYTES = 1 << 16; // heads and checksums of the compression methods

function damaged(image: TiffImage, index: number, cause: unknown): InvalidInput {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new InvalidInput(
    `${image.name} is damaged: block ${index + 1} of ${image.offsets.length} cannot be decoded${why}`,
    { cause },
  );
}

/** Decoded size of some rows of a block [bytes]. */
function blockBytes(image: TiffImage, rows: number): number {
  return rows * rowBytes(image.stored, image.blockWidth * (image.interleaved ? image.bandCount : 1));
}

/** The samples of a block's first rows. @throws RangeError when there are too few bytes */
function samplesIn(image: TiffImage, decoded: Uint8Array, rows: number): BlockSamples {
  const step = image.interleaved ? image.bandCount : 1;
  const width = sampleBytes(image.stored);
  const rowSamples = image.blockWidth * step;
  const wanted = blockBytes(image, rows);
  if (decoded.byteLength < wanted)
    throw new RangeError(`it decodes to ${decoded.byteLength} bytes; expected ${wanted}`);
  let bytes = decoded.subarray(0, wanted);
  // The constructor copies the bytes, which aligns them; Buffer.slice would share them.
  if (bytes.byteOffset % width !== 0) bytes = new Uint8Array(bytes);
  // Bytes are swapped even for LERC, because libtiff swaps the samples before it encodes them.
  if (!image.littleEndian && image.predictor !== 3) swapBytes(bytes, width);
  if (image.predictor === 2) addAlongRows(bytes, width, rowSamples, step);
  if (image.predictor === 3) joinFloatPlanes(bytes, width, rowSamples, step);
  return image.stored === image.kind ? samplesOf(bytes, image.kind) : widen(bytes, image.stored, rowSamples);
}
