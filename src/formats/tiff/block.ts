import { readSync } from 'node:fs';
import { promisify } from 'node:util';
import { inflate, inflateSync, zstdDecompress } from 'node:zlib';
import { getDecoder } from 'geotiff';
import { InvalidInput } from '../../base/errors.ts';
import type { RandomAccess } from '../random-access.ts';
import { rowBytes, STORED_KINDS, widen } from './stored-kind.ts';
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

/**
 * Number of bytes by which the output buffer is larger than a block, so that zlib does not need a second buffer. 64 is
 * the smallest buffer that zlib accepts.
 */
const SLACK_BYTES = 64;

const inflateAsync = promisify(inflate);
const zstdDecompressAsync = promisify(zstdDecompress);

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
 * Options for zlib: one output buffer for a whole block. By default zlib returns chunks of 16 kB, which are then
 * joined.
 */
function room(bytes: number): { readonly maxOutputLength: number; readonly chunkSize: number } {
  return { maxOutputLength: bytes, chunkSize: bytes + SLACK_BYTES };
}

async function decompress(image: TiffImage, stored: Uint8Array, bytes: number): Promise<Uint8Array> {
  switch (image.compression) {
    case 1:
      return stored;
    case 8:
    case 32946:
      // Runs in the thread pool, and stops when a block inflates to more bytes than its shape allows.
      return await inflateAsync(stored, room(bytes));
    case 50000:
      return await zstdDecompressAsync(stored, room(bytes));
    default: {
      const decoder = await getDecoder(image.compression, {
        tileWidth: image.blockWidth,
        tileHeight: image.blockHeight,
        // Predictors are undone in this file: geotiff.js undoes them before it fixes the byte order.
        predictor: 1,
        bitsPerSample: STORED_KINDS[image.stored].bits,
        planarConfiguration: image.interleaved ? 1 : 2,
        ...decoderExtras(image),
      });
      // A copy, because geotiff.js decodes whole ArrayBuffers.
      return new Uint8Array(await decoder.decode(new Uint8Array(stored).buffer));
    }
  }
}

/** Further fields that some decoders of geotiff.js need. */
function decoderExtras(image: TiffImage): object {
  const lerc = image.directory.numbers('LercParameters');
  return lerc === null ? {} : { LercParameters: lerc };
}

/**
 * Reads and decodes one block; null when the file omits the block, which means that all its pixels are nodata.
 * @param index index of the block in `offsets`
 * @returns samples row by row, all bands of a pixel together when interleaved
 * @throws InvalidInput when the block has fewer samples than its shape, or cannot be decoded
 */
export async function readBlock(
  file: RandomAccess,
  image: TiffImage,
  index: number,
  rows: number,
): Promise<BlockSamples | null> {
  const length = image.lengths[index]!;
  if (length === 0) return null;
  const stored = Buffer.alloc(length);
  const { bytesRead } = await file.read(stored, 0, length, image.offsets[index]!);
  try {
    if (bytesRead < length) throw new RangeError(CUT);
    // The buffer has room for a full block, because some writers store the last strip in full height.
    return samplesIn(image, await decompress(image, stored, blockBytes(image, image.blockHeight)), rows);
  } catch (error) {
    throw damaged(image, index, error);
  }
}

/**
 * Reads and decodes one block of a DEFLATE file. Unlike `readBlock`, it is synchronous and blocks the event loop.
 * @throws InvalidInput as `readBlock` does
 */
export function readBlockAtOnce(fd: number, image: TiffImage, index: number): BlockSamples | null {
  const length = image.lengths[index]!;
  if (length === 0) return null;
  const stored = Buffer.allocUnsafe(length);
  try {
    if (readSync(fd, stored, 0, length, image.offsets[index]!) < length) throw new RangeError(CUT);
    const bytes = inflateSync(stored, room(blockBytes(image, image.blockHeight)));
    return samplesIn(image, bytes, image.blockHeight);
  } catch (error) {
    throw damaged(image, index, error);
  }
}

const CUT = 'the file became shorter';

function damaged(image: TiffImage, index: number, cause: unknown): InvalidInput {
  return new InvalidInput(
    `${image.name} is damaged: block ${index + 1} of ${image.offsets.length} cannot be decoded`,
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
  const width = Math.max(1, STORED_KINDS[image.stored].bits / 8);
  const rowSamples = image.blockWidth * step;
  const wanted = blockBytes(image, rows);
  if (decoded.byteLength < wanted) throw new RangeError(`${decoded.byteLength} bytes instead of ${wanted}`);
  let bytes = decoded.subarray(0, wanted);
  // The constructor copies the bytes, which aligns them; Buffer.slice would share them.
  if (bytes.byteOffset % width !== 0) bytes = new Uint8Array(bytes);
  // Bytes are swapped even for LERC, because libtiff swaps the samples before it encodes them.
  if (!image.littleEndian && image.predictor !== 3) swapBytes(bytes, width);
  if (image.predictor === 2) addAlongRows(bytes, width, rowSamples, step);
  if (image.predictor === 3) joinFloatPlanes(bytes, width, rowSamples, step);
  return image.stored === image.kind ? samplesOf(bytes, image.kind) : widen(bytes, image.stored, rowSamples);
}
