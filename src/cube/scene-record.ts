import { crc32 } from 'node:zlib';
import type { CubeScene, CubeSpec } from '../app/ports.ts';
import { SAMPLE_CODES, sceneBytes } from './sample-layout.ts';

/**
 * One record of the open log: a header, the key, then the samples in frames of at most 4096 bytes, each followed by
 * its CRC-32, so that a few pixels of a scene can be read and proved without reading the rest.
 *
 * Header (little-endian): 0 magic, 8 header length with the key, padded to 8 [u32], 12 key length [u32],
 * 16 time [f64 ms], 24 width [u32], 28 height [u32], 32 sample type [u32], 36 frame length [u32],
 * 40 samples length [f64 bytes], 48 SHA-256 of the samples [32 bytes], 80 CRC-32 of the header with this field zero.
 */
const MAGIC = Buffer.from('GWSCENE1', 'latin1');
/** Bytes of the header before the key. */
export const HEADER_BYTES = 96;
/** Samples in one frame [bytes]; a page. */
export const FRAME_BYTES = 4096;
/** Bytes of a frame's CRC-32. */
const CRC_BYTES = 4;
/** Longest key [bytes of UTF-8]. */
export const MAX_KEY_BYTES = 1024;

/** A record found in the log. */
export interface SceneRecord extends CubeScene {
  /** Position of the first frame [bytes from the file's start]. */
  readonly framesAt: number;
  /** Position after the last byte of the record. */
  readonly end: number;
}

/** Bytes that frames of a payload take with their checksums. */
export function framedBytes(payloadBytes: number): number {
  return payloadBytes + Math.ceil(payloadBytes / FRAME_BYTES) * CRC_BYTES;
}

/** The longest record that the cube can have [bytes]. */
export function maxRecordBytes(spec: CubeSpec): number {
  return HEADER_BYTES + MAX_KEY_BYTES + framedBytes(sceneBytes(spec));
}

/** Position and length of frame `i` within the framed payload, checksum left out. */
export function frameAt(
  payloadBytes: number,
  i: number,
): { readonly offset: number; readonly length: number } {
  const start = i * FRAME_BYTES;
  return { offset: i * (FRAME_BYTES + CRC_BYTES), length: Math.min(FRAME_BYTES, payloadBytes - start) };
}

/** A whole record, ready for one write. */
export function encodeRecord(spec: CubeSpec, scene: CubeScene, payload: Uint8Array): Buffer {
  const key = Buffer.from(scene.key, 'utf8');
  const headerBytes = Math.ceil((HEADER_BYTES + key.length) / 8) * 8;
  const record = Buffer.alloc(headerBytes + framedBytes(payload.byteLength));
  MAGIC.copy(record, 0);
  record.writeUInt32LE(headerBytes, 8);
  record.writeUInt32LE(key.length, 12);
  record.writeDoubleLE(scene.timeMs, 16);
  record.writeUInt32LE(spec.width, 24);
  record.writeUInt32LE(spec.height, 28);
  record.writeUInt32LE(SAMPLE_CODES[spec.sampleType], 32);
  record.writeUInt32LE(FRAME_BYTES, 36);
  record.writeDoubleLE(payload.byteLength, 40);
  record.write(scene.sha256, 48, 'hex');
  key.copy(record, HEADER_BYTES);
  record.writeUInt32LE(crc32(record.subarray(0, headerBytes)), 80);
  let at = headerBytes;
  for (let start = 0; start < payload.byteLength; start += FRAME_BYTES) {
    const frame = payload.subarray(start, start + FRAME_BYTES);
    record.set(frame, at);
    at += frame.byteLength;
    record.writeUInt32LE(crc32(frame), at);
    at += CRC_BYTES;
  }
  return record;
}

/** Length of the header with its key as the first bytes state it; null when they are no header of this cube. */
export function headerLength(spec: CubeSpec, head: Buffer): number | null {
  if (head.length < HEADER_BYTES || !MAGIC.equals(head.subarray(0, MAGIC.length))) return null;
  const length = head.readUInt32LE(8);
  const keyBytes = head.readUInt32LE(12);
  const plausible =
    keyBytes > 0 &&
    keyBytes <= MAX_KEY_BYTES &&
    length === Math.ceil((HEADER_BYTES + keyBytes) / 8) * 8 &&
    head.readUInt32LE(24) === spec.width &&
    head.readUInt32LE(28) === spec.height &&
    head.readUInt32LE(32) === SAMPLE_CODES[spec.sampleType] &&
    head.readUInt32LE(36) === FRAME_BYTES &&
    head.readDoubleLE(40) === sceneBytes(spec);
  return plausible ? length : null;
}

/** Reads a whole header that starts at `position` of the file; null when its checksum fails. */
export function decodeHeader(header: Buffer, position: number): SceneRecord | null {
  const stated = header.readUInt32LE(80);
  const copy = Buffer.from(header);
  copy.writeUInt32LE(0, 80);
  if (crc32(copy) !== stated) return null;
  const framesAt = position + header.length;
  return {
    key: header.toString('utf8', HEADER_BYTES, HEADER_BYTES + header.readUInt32LE(12)),
    timeMs: header.readDoubleLE(16),
    sha256: header.toString('hex', 48, 80),
    framesAt,
    end: framesAt + framedBytes(header.readDoubleLE(40)),
  };
}

/** Whether a frame equals its checksum, which stands after it. */
export function frameHolds(frame: Buffer): boolean {
  const length = frame.length - CRC_BYTES;
  return crc32(frame.subarray(0, length)) === frame.readUInt32LE(length);
}

/** Bytes of a frame with its checksum. */
export function frameWithCrc(length: number): number {
  return length + CRC_BYTES;
}
