import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { release } from '../../../base/release.ts';
import type { SavedState } from './saved-state.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** Name of this encoding. A state with another one is not read: its search begins at the first scene. */
export const ENCODING = 'zstd';

/** A part is the number of its bytes (u32), these bytes compressed by zstd, and the CRC-32 of both (u32). */
const LENGTH_BYTES = 4;
const CHECKSUM_BYTES = 4;
/** Level 1 of zstd: level 3 saves 4 % more bytes and takes twice the time (bench/results/monitoring-state.md). */
const COMPRESSION = { [constants.ZSTD_c_compressionLevel]: 1 };
/** Margin of the buffers of zlib [bytes], so that one buffer is enough. */
const SLACK_BYTES = 1024;

/** Frees the memory of the bytes of a part that `readPart` or `unsealed` returned. */
export function releasePart(bytes: Bytes): void {
  release(bytes, SLACK_BYTES);
}

/** Compresses bytes to a part of a saved state, with a checksum. */
export function sealed(bytes: Uint8Array): Bytes {
  const packed = zstdCompressSync(bytes, { params: COMPRESSION, chunkSize: bytes.byteLength + SLACK_BYTES });
  const end = LENGTH_BYTES + packed.byteLength;
  const part = new Uint8Array(end + CHECKSUM_BYTES);
  const view = new DataView(part.buffer);
  view.setUint32(0, bytes.byteLength, true);
  part.set(packed, LENGTH_BYTES);
  // The buffer is as large as the bytes, most of it unused.
  if (packed.buffer.byteLength === bytes.byteLength + SLACK_BYTES) release(new Uint8Array(packed.buffer));
  view.setUint32(end, crc32(part.subarray(0, end)), true);
  return part;
}

/** Reads a part of a saved state. @throws RangeError when the checksum does not match */
export async function readPart(state: SavedState, name: string): Promise<Bytes> {
  const part = await state.part(name);
  const bytes = unsealed(part);
  release(part);
  if (bytes === undefined) throw new RangeError(`the saved state is damaged: ${name} fails its checksum`);
  return bytes;
}

/** The bytes of a part; undefined when it is damaged. */
export function unsealed(part: Uint8Array): Bytes | undefined {
  const end = part.byteLength - CHECKSUM_BYTES;
  if (end < LENGTH_BYTES) return undefined;
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
  if (view.getUint32(end, true) !== crc32(part.subarray(0, end))) return undefined;
  const length = view.getUint32(0, true);
  try {
    const bytes = zstdDecompressSync(part.subarray(LENGTH_BYTES, end), {
      chunkSize: length + SLACK_BYTES,
      maxOutputLength: length + SLACK_BYTES,
    });
    return bytes.byteLength === length ? bytes : undefined;
  } catch {
    return undefined; // an earlier version wrote it
  }
}
