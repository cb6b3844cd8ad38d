import { crc32 } from 'node:zlib';
import type { CubeSpec } from '../app/series/cube-store.ts';
import { DamagedFile } from './damaged-file.ts';
import { sceneBytes } from './sample-layout.ts';
import { decodeHeader, FRAME_BYTES, HEADER_BYTES, headerLength, SUM_BYTES } from './scene-record.ts';
import type { SceneRecord } from './scene-record.ts';
import type { SharedFile } from './shared-file.ts';

/**
 * Reads the record at a position.
 * @returns null when no valid record of this cube begins there and ends before `limit`
 */
export function readRecord(
  file: SharedFile,
  spec: CubeSpec,
  position: number,
  limit: number,
): SceneRecord | null {
  if (position + HEADER_BYTES > limit) return null;
  const first = Buffer.allocUnsafe(HEADER_BYTES);
  file.read(first, position);
  const length = headerLength(spec, first);
  if (length === null || position + length > limit) return null;
  const header = Buffer.allocUnsafe(length);
  file.read(header, position);
  const record = decodeHeader(header, position);
  return record === null || record.end > limit ? null : record;
}

/**
 * Reads the stored bytes of frames `[first, last)` of a record.
 * @param into memory that is used for them if it is given; it has room for them
 * @throws DamagedFile when a frame fails its checksum
 */
export function readFrames(
  file: SharedFile,
  spec: CubeSpec,
  record: SceneRecord,
  first: number,
  last: number,
  into?: Uint8Array,
): Uint8Array {
  const bytes = Math.min(last * FRAME_BYTES, sceneBytes(spec)) - first * FRAME_BYTES;
  const frames = into?.subarray(0, bytes) ?? new Uint8Array(bytes);
  file.read(frames, record.framesAt + first * FRAME_BYTES);
  const sums = new Uint32Array(last - first);
  file.read(new Uint8Array(sums.buffer), record.sumsAt + first * SUM_BYTES);
  for (let i = 0; i < sums.length; i++) {
    if (crc32(frames.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES)) !== sums[i]) {
      throw new DamagedFile(file.path, `frame ${first + i} of scene '${record.key}' fails its checksum`);
    }
  }
  return frames;
}
