import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { CubeSpec } from '../app/series/cube-store.ts';
import { DamagedFile } from './damaged-file.ts';
import { SAMPLE_CODES } from './sample-layout.ts';
import type { SharedFile } from './shared-file.ts';
import { writeFully } from './write-fully.ts';

/**
 * The first page of a log contains its head: the number of acknowledged records and where they end. The head is written
 * after these records are synced to disk. Bytes after the acknowledged end belong to an unfinished append. A file that
 * ends before the acknowledged end is damaged.
 *
 * Head (little-endian): 0 magic, 8 end of the last acknowledged record [f64 bytes], 16 acknowledged records [u32],
 * 20 width [u32], 24 height [u32], 28 sample type [u32], 32 CRC-32 of the bytes before. The head fits in one sector,
 * which a disk writes completely or not at all.
 */
const MAGIC = Buffer.from('GWLOG002', 'latin1');
const HEAD_BYTES = 36;
/** Position of the first record [bytes]: one page, so that rewriting the head never touches a record. */
export const LOG_HEAD_BYTES = 4096;
/** A head is taken to be damaged after this many failed attempts to read it. Another process may be writing it. */
const READ_TRIES = 5;

/** The acknowledged part of a log. */
export interface LogHead {
  /** Position after the last acknowledged record [bytes]. */
  readonly end: number;
  /** Number of acknowledged records. */
  readonly records: number;
}

export const EMPTY_LOG: LogHead = { end: LOG_HEAD_BYTES, records: 0 };

/** Writes the head and waits until it is on disk. */
export async function writeLogHead(handle: FileHandle, spec: CubeSpec, head: LogHead): Promise<void> {
  const bytes = Buffer.alloc(head.records === 0 ? LOG_HEAD_BYTES : HEAD_BYTES);
  MAGIC.copy(bytes, 0);
  bytes.writeDoubleLE(head.end, 8);
  bytes.writeUInt32LE(head.records, 16);
  bytes.writeUInt32LE(spec.width, 20);
  bytes.writeUInt32LE(spec.height, 24);
  bytes.writeUInt32LE(SAMPLE_CODES[spec.sampleType], 28);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 32)), 32);
  await writeFully(handle, [bytes], 0);
  await handle.datasync();
}

/** Reads the head. @throws DamagedFile when it fails its checksum or belongs to a cube of another shape */
export function readLogHead(file: SharedFile, spec: CubeSpec): LogHead {
  const bytes = Buffer.alloc(HEAD_BYTES);
  for (let tries = 1; ; tries++) {
    file.read(bytes, 0);
    const whole =
      MAGIC.equals(bytes.subarray(0, MAGIC.length)) &&
      crc32(bytes.subarray(0, 32)) === bytes.readUInt32LE(32);
    if (whole) break;
    if (tries === READ_TRIES) throw new DamagedFile(file.path, 'its head fails its checksum');
  }
  const sameCube =
    bytes.readUInt32LE(20) === spec.width &&
    bytes.readUInt32LE(24) === spec.height &&
    bytes.readUInt32LE(28) === SAMPLE_CODES[spec.sampleType];
  if (!sameCube) throw new DamagedFile(file.path, 'it belongs to a cube of another shape');
  return { end: bytes.readDoubleLE(8), records: bytes.readUInt32LE(16) };
}
