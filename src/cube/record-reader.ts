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

/**
 * Frames of each record that are read together. A read has two calls of the system, and the reader of a strip asks for
 * the next frame soon. 128 scenes take 2 MB.
 */
const BLOCK_FRAMES = 4;
/** The frame of a scene that was removed. */
export const NO_FRAME = new Uint8Array(0);

/**
 * Reads frames of the records of a log in memory that is used again: a search reads each frame once, and memory of its
 * own for each is work for the garbage collector.
 */
export class FrameBlock {
  readonly #file: SharedFile;
  readonly #spec: CubeSpec;
  /** First frame of the block; -1 if it has none. */
  #first = -1;
  /** The frames of each record, one after another. */
  readonly #frames: Uint8Array[] = [];
  #read = 0;

  constructor(file: SharedFile, spec: CubeSpec) {
    this.#file = file;
    this.#spec = spec;
  }

  /** Forgets what was read. */
  clear(): void {
    this.#first = -1;
  }

  /**
   * Returns frame `i` of every record, which is valid until the next call. Empty for a record that removes a scene.
   * @throws DamagedFile when a frame of the block fails its checksum
   */
  column(records: readonly SceneRecord[], i: number): readonly Uint8Array[] {
    const first = i - (i % BLOCK_FRAMES);
    if (this.#first !== first) this.#read = 0;
    this.#first = first;
    const last = Math.min(first + BLOCK_FRAMES, Math.ceil(sceneBytes(this.#spec) / FRAME_BYTES));
    for (; this.#read < records.length; this.#read++) {
      const record = records[this.#read]!;
      if (record.removed) continue;
      const into = (this.#frames[this.#read] ??= new Uint8Array(BLOCK_FRAMES * FRAME_BYTES));
      readFrames(this.#file, this.#spec, record, first, last, into);
    }
    const from = (i - first) * FRAME_BYTES;
    const bytes = Math.min(FRAME_BYTES, sceneBytes(this.#spec) - i * FRAME_BYTES);
    return records.map(({ removed }, r) =>
      removed ? NO_FRAME : this.#frames[r]!.subarray(from, from + bytes),
    );
  }
}
