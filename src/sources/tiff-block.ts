import { promisify } from 'node:util';
import { inflate, zstdDecompress } from 'node:zlib';
import { getDecoder } from 'geotiff';
import { InvalidInput } from '../app/errors.ts';
import type { RandomAccess } from './random-access.ts';
import { KIND_BYTES } from './tiff-image.ts';
import type { SampleKind, TiffImage } from './tiff-image.ts';

export type BlockSamples =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

const inflateAsync = promisify(inflate);
const zstdDecompressAsync = promisify(zstdDecompress);

/** Rows that a block stores: tiles always all, the last strip fewer. */
export function storedRows(image: TiffImage, blockRow: number): number {
  return image.tiled
    ? image.blockHeight
    : Math.min(image.blockHeight, image.height - blockRow * image.blockHeight);
}

/** The array of each kind of sample. */
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

/** The bytes, which begin at a multiple of the sample's size, as samples of the kind. */
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

/** Undoes horizontal differencing in place (TIFF 6.0 section 14): each sample is its left neighbour's plus what is stored. */
function addAlongRows(bytes: Uint8Array, kind: SampleKind, rowSamples: number, step: number): void {
  const width = KIND_BYTES[kind];
  // Differences wrap as unsigned integers, floats' bits too.
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

/** Undoes the floating point predictor: byte differences over planes, most significant first (Adobe TIFF Technical Note 3). */
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

async function decompress(image: TiffImage, stored: Uint8Array, bytes: number): Promise<Uint8Array> {
  switch (image.compression) {
    case 1:
      return stored;
    case 8:
    case 32946:
      // Off the event loop; and a block that would inflate to more than its shape is stopped there.
      return await inflateAsync(stored, { maxOutputLength: bytes });
    case 50000:
      return await zstdDecompressAsync(stored, { maxOutputLength: bytes });
    default: {
      const decoder = await getDecoder(image.compression, {
        tileWidth: image.blockWidth,
        tileHeight: image.blockHeight,
        // Predictors are undone here: geotiff.js does it before the byte order is right.
        predictor: 1,
        bitsPerSample: KIND_BYTES[image.kind] * 8,
        planarConfiguration: image.interleaved ? 1 : 2,
        ...decoderExtras(image),
      });
      // A copy: geotiff.js takes whole buffers.
      return new Uint8Array(await decoder.decode(new Uint8Array(stored).buffer));
    }
  }
}

/** Fields that single decoders of geotiff.js look for beyond the common ones. */
function decoderExtras(image: TiffImage): object {
  const lerc = image.directory.numbers('LercParameters');
  return lerc === null ? {} : { LercParameters: lerc };
}

/**
 * Reads and decodes one block; null when the file leaves it out, which means nodata throughout.
 * @param index in `offsets`
 * @returns samples row by row, all bands of a pixel together when interleaved
 * @throws InvalidInput when the block does not hold what its shape needs
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
  const step = image.interleaved ? image.bandCount : 1;
  const width = KIND_BYTES[image.kind];
  const rowSamples = image.blockWidth * step;
  const wanted = rows * rowSamples * width;
  // Some writers store the last strip in full height.
  const most = image.blockHeight * rowSamples * width;
  let bytes: Uint8Array;
  try {
    if (bytesRead < length) throw new RangeError('the file became shorter');
    bytes = await decompress(image, stored, most);
    if (bytes.byteLength < wanted) throw new RangeError(`${bytes.byteLength} bytes instead of ${wanted}`);
  } catch (error) {
    throw new InvalidInput(
      `${image.name} is damaged: block ${index + 1} of ${image.offsets.length} cannot be decoded`,
      { cause: error },
    );
  }
  bytes = bytes.subarray(0, wanted);
  // A copy by the constructor: a Buffer's own slice would share the bytes.
  if (bytes.byteOffset % width !== 0) bytes = new Uint8Array(bytes);
  // LERC too: libtiff swaps the samples before it encodes them.
  if (!image.littleEndian && image.predictor !== 3) swapBytes(bytes, width);
  if (image.predictor === 2) addAlongRows(bytes, image.kind, rowSamples, step);
  if (image.predictor === 3) joinFloatPlanes(bytes, width, rowSamples, step);
  return samplesOf(bytes, image.kind);
}
