import { fstatSync } from 'node:fs';
import type { CubeSpec } from '../app/ports.ts';
import type { ByteCache } from './byte-cache.ts';
import { DamagedFile } from './damaged-file.ts';
import { sceneBytes } from './sample-layout.ts';
import {
  decodeHeader,
  FRAME_BYTES,
  frameAt,
  frameHolds,
  framedBytes,
  frameWithCrc,
  HEADER_BYTES,
  headerLength,
  maxRecordBytes,
} from './scene-record.ts';
import type { SceneRecord } from './scene-record.ts';
import { SharedFile } from './shared-file.ts';

/** Frames read at once when a record is proved: 1 MiB. */
const FRAMES_PER_READ = 256;

/** The same frame of all records, in record order; grows as records are added. */
type FrameColumn = Uint8Array[];

/**
 * The open part of a cube: one record a scene, in order of arrival.
 *
 * Every record was synced before the next was begun, so that only the last can be torn. A torn tail is not part of the
 * log; `tornBytes` tells the next writer to cut it off.
 */
export class OpenLog {
  readonly file: SharedFile;
  readonly records: SceneRecord[] = [];
  static #opened = 0;
  readonly #id = ++OpenLog.#opened;
  readonly #spec: CubeSpec;
  readonly #columns: ByteCache<string, FrameColumn>;
  #end = 0;
  #size = 0;

  constructor(path: string, spec: CubeSpec, columns: ByteCache<string, FrameColumn>) {
    this.file = new SharedFile(path);
    this.#spec = spec;
    this.#columns = columns;
    try {
      this.refresh();
    } catch (error) {
      this.file.release();
      throw error;
    }
  }

  /** Position after the last whole record [bytes]. */
  get end(): number {
    return this.#end;
  }

  /** Bytes after the last whole record: an append that did not finish. */
  get tornBytes(): number {
    return this.#size - this.#end;
  }

  /** Takes in records added since, also by another process. Answers whether there were any. */
  refresh(): boolean {
    this.#size = fstatSync(this.file.fd).size;
    const before = this.records.length;
    const found: SceneRecord[] = [];
    let position = this.#end;
    while (position < this.#size) {
      const record = this.#recordAt(position);
      if (record === null) break;
      found.push(record);
      position = record.end;
    }
    const last = found.at(-1);
    if (last !== undefined && !this.#holds(last)) found.pop();
    const end = found.at(-1)?.end ?? this.#end;
    if (this.#size - end > maxRecordBytes(this.#spec)) {
      throw new DamagedFile(
        this.file.path,
        `no scene starts at byte ${end}, though more bytes follow than one`,
      );
    }
    this.records.push(...found);
    this.#end = end;
    return this.records.length > before;
  }

  #recordAt(position: number): SceneRecord | null {
    if (position + HEADER_BYTES > this.#size) return null;
    const head = Buffer.allocUnsafe(HEADER_BYTES);
    this.file.read(head, position);
    const length = headerLength(this.#spec, head);
    if (length === null || position + length > this.#size) return null;
    const header = Buffer.allocUnsafe(length);
    this.file.read(header, position);
    const record = decodeHeader(header, position);
    return record === null || record.end > this.#size ? null : record;
  }

  /** Whether every frame of a record equals its checksum. */
  #holds(record: SceneRecord): boolean {
    const frames = Math.ceil(sceneBytes(this.#spec) / FRAME_BYTES);
    for (let first = 0; first < frames; first += FRAMES_PER_READ) {
      if (this.#badFrame(record, first, Math.min(frames, first + FRAMES_PER_READ), null) !== -1) return false;
    }
    return true;
  }

  /** Reads and proves frames `[first, last)`; copies them to the target; answers the first that fails, or -1. */
  #badFrame(record: SceneRecord, first: number, last: number, target: Uint8Array | null): number {
    const payload = sceneBytes(this.#spec);
    const start = frameAt(payload, first).offset;
    const stop = last * FRAME_BYTES >= payload ? framedBytes(payload) : frameAt(payload, last).offset;
    const bytes = Buffer.allocUnsafe(stop - start);
    this.file.read(bytes, record.framesAt + start);
    for (let i = first; i < last; i++) {
      const { offset, length } = frameAt(payload, i);
      const frame = bytes.subarray(offset - start, offset - start + frameWithCrc(length));
      if (!frameHolds(frame)) return i;
      target?.set(frame.subarray(0, length), (i - first) * FRAME_BYTES);
    }
    return -1;
  }

  /**
   * Samples of frames `[first, last)` of one record, as stored bytes.
   * @throws DamagedFile when a frame fails its checksum
   */
  frames(index: number, first: number, last: number): Uint8Array {
    const record = this.records[index]!;
    const bytes = Math.min(last * FRAME_BYTES, sceneBytes(this.#spec)) - first * FRAME_BYTES;
    const target = new Uint8Array(bytes);
    const bad = this.#badFrame(record, first, last, target);
    if (bad !== -1) {
      throw new DamagedFile(this.file.path, `frame ${bad} of scene '${record.key}' fails its checksum`);
    }
    return target;
  }

  /** Frame `i` of every record, from memory where it was read before. */
  column(i: number): readonly Uint8Array[] {
    const name = `${this.#id}:${i}`;
    const column = this.#columns.get(name) ?? [];
    if (column.length < this.records.length) {
      while (column.length < this.records.length) column.push(this.frames(column.length, i, i + 1));
      this.#columns.set(name, column, column.length * FRAME_BYTES);
    }
    return column;
  }
}
