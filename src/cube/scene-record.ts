import { crc32 } from 'node:zlib';
import type { CubeScene, CubeSpec } from '../app/series/cube-store.ts';
import { SAMPLE_CODES, sceneBytes } from './sample-layout.ts';

/**
 * One record of a log: a header with the key, the CRC-32 of every frame of 4096 bytes, then the uncompressed samples.
 * This layout lets samples be written without a copy, and a few pixels be read and verified without the rest.
 *
 * Header (little-endian): 0 magic, 8 header length with the key, padded to 8 [u32], 12 key length [u32],
 * 16 time [f64 ms], 24 width [u32], 28 height [u32], 32 sample type [u32], 36 frame length [u32],
 * 40 samples length [f64 bytes; 0 in a removal], 48 SHA-256 of the samples [32 bytes],
 * 80 CRC-32 of the header with this field zero.
 */
const MAGIC = Buffer.from('GWSCENE2', 'latin1');
/** Length of the header before the key [bytes]. */
export const HEADER_BYTES = 96;
/** Length of one frame of samples [bytes]: one memory page. */
export const FRAME_BYTES = 4096;
/** Length of a frame's CRC-32 [bytes]. */
export const SUM_BYTES = 4;
/** Maximum length of a key [bytes of UTF-8]. */
export const MAX_KEY_BYTES = 1024;
const NO_DIGEST = '0'.repeat(64);

/** Entry of a source (segment or log): a scene, or the removal of a scene. */
export interface SceneEntry extends CubeScene {
  /** True for a removal: the scene with this key is no longer in the cube. */
  readonly removed?: boolean;
}

/** A record found in a log. */
export interface SceneRecord extends SceneEntry {
  readonly removed: boolean;
  /** Position of the header [bytes from the file's start]. */
  readonly headerAt: number;
  /** Position of the frames' checksums [bytes from the file's start]. */
  readonly sumsAt: number;
  /** Position of the first frame [bytes from the file's start]. */
  readonly framesAt: number;
  /** Position after the last byte of the record [bytes from the file's start]. */
  readonly end: number;
}

/** Number of frames in a payload (the stored bytes of a scene). */
export function frameCount(payloadBytes: number): number {
  return Math.ceil(payloadBytes / FRAME_BYTES);
}

/** CRC-32 of every frame of a payload. */
export function frameSums(payload: Uint8Array): Uint32Array {
  const sums = new Uint32Array(frameCount(payload.byteLength));
  for (let i = 0; i < sums.length; i++) {
    sums[i] = crc32(payload.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES));
  }
  return sums;
}

/** Encodes the header of a scene's record. In the file, it is followed by the frame checksums and the samples. */
export function encodeHeader(spec: CubeSpec, { key, timeMs, sha256, removed = false }: SceneEntry): Buffer {
  const keyBytes = Buffer.from(key, 'utf8');
  const header = Buffer.alloc(Math.ceil((HEADER_BYTES + keyBytes.length) / 8) * 8);
  MAGIC.copy(header, 0);
  header.writeUInt32LE(header.length, 8);
  header.writeUInt32LE(keyBytes.length, 12);
  header.writeDoubleLE(timeMs, 16);
  header.writeUInt32LE(spec.width, 24);
  header.writeUInt32LE(spec.height, 28);
  header.writeUInt32LE(SAMPLE_CODES[spec.sampleType], 32);
  header.writeUInt32LE(FRAME_BYTES, 36);
  header.writeDoubleLE(removed ? 0 : sceneBytes(spec), 40);
  header.write(sha256, 48, 'hex');
  keyBytes.copy(header, HEADER_BYTES);
  header.writeUInt32LE(crc32(header), 80);
  return header;
}

/** Encodes a record that removes a scene from the cube: a header without samples. */
export function encodeRemoval(spec: CubeSpec, key: string): Buffer {
  return encodeHeader(spec, { key, timeMs: 0, sha256: NO_DIGEST, removed: true });
}

/**
 * Reads the length of a header, including its key [bytes], from its first bytes; null if they are not those of a
 * record of this cube.
 */
export function headerLength(spec: CubeSpec, head: Buffer): number | null {
  if (head.length < HEADER_BYTES || !MAGIC.equals(head.subarray(0, MAGIC.length))) return null;
  const length = head.readUInt32LE(8);
  const keyBytes = head.readUInt32LE(12);
  const payload = head.readDoubleLE(40);
  const plausible =
    keyBytes > 0 &&
    keyBytes <= MAX_KEY_BYTES &&
    length === Math.ceil((HEADER_BYTES + keyBytes) / 8) * 8 &&
    head.readUInt32LE(24) === spec.width &&
    head.readUInt32LE(28) === spec.height &&
    head.readUInt32LE(32) === SAMPLE_CODES[spec.sampleType] &&
    head.readUInt32LE(36) === FRAME_BYTES &&
    (payload === 0 || payload === sceneBytes(spec));
  return plausible ? length : null;
}

/** Decodes a header that starts at `position` of the file; null when its checksum fails. */
export function decodeHeader(header: Buffer, position: number): SceneRecord | null {
  const stated = header.readUInt32LE(80);
  const copy = Buffer.from(header);
  copy.writeUInt32LE(0, 80);
  if (crc32(copy) !== stated) return null;
  const payloadBytes = header.readDoubleLE(40);
  const sumsAt = position + header.length;
  const framesAt = sumsAt + frameCount(payloadBytes) * SUM_BYTES;
  return {
    key: header.toString('utf8', HEADER_BYTES, HEADER_BYTES + header.readUInt32LE(12)),
    timeMs: header.readDoubleLE(16),
    sha256: header.toString('hex', 48, 80),
    removed: payloadBytes === 0,
    headerAt: position,
    sumsAt,
    framesAt,
    end: framesAt + payloadBytes,
  };
}
