import type { CubeSpec } from '../app/series/cube-store.ts';
import type { ByteCache } from './byte-cache.ts';
import { DamagedFile } from './damaged-file.ts';
import { EMPTY_LOG, readLogHead } from './log-head.ts';
import type { LogHead } from './log-head.ts';
import { FrameBlock, NO_FRAME, readFrames, readRecord } from './record-reader.ts';
import { SAMPLE_BYTES } from './sample-layout.ts';
import { FRAME_BYTES } from './scene-record.ts';
import type { SceneRecord } from './scene-record.ts';
import { SharedFile } from './shared-file.ts';

/**
 * A log of a cube: one record per scene, in order of arrival. Its head contains the acknowledged end. Bytes after this
 * end belong to an unfinished append and are ignored. A file that ends earlier is reported as damaged.
 */
export class OpenLog {
  readonly file: SharedFile;
  readonly records: SceneRecord[] = [];
  static #opened = 0;
  #id = ++OpenLog.#opened;
  readonly #spec: CubeSpec;
  readonly #columns: ByteCache<string, Uint8Array[]>;
  /** Reads frames that are not cached. */
  readonly #block: FrameBlock;
  #head: LogHead = EMPTY_LOG;

  /** @throws DamagedFile when the end of the file is missing, or the file is not a log of this cube */
  constructor(path: string, spec: CubeSpec, columns: ByteCache<string, Uint8Array[]>) {
    this.file = new SharedFile(path);
    this.#spec = spec;
    this.#columns = columns;
    this.#block = new FrameBlock(this.file, spec);
    try {
      this.refresh();
    } catch (error) {
      this.file.release();
      throw error;
    }
  }

  /** The acknowledged part of the log when it was last read. */
  get head(): LogHead {
    return this.#head;
  }

  /** Reads records that this or another process has appended since the last call. @returns whether the log changed */
  refresh(): boolean {
    const head = readLogHead(this.file, this.#spec);
    if (head.end === this.#head.end && head.records === this.records.length) return false;
    if (head.end < this.#head.end) {
      // A writer withdrew records that could not be synced to disk. All records read so far are discarded.
      this.#id = ++OpenLog.#opened;
      this.#head = EMPTY_LOG;
      this.records.length = 0;
      this.#block.clear();
    }
    const size = this.file.size();
    if (size < head.end) {
      throw new DamagedFile(this.file.path, `it has ${size} bytes where its head says ${head.end}`);
    }
    const found: SceneRecord[] = [];
    let position = this.#head.end;
    while (position < head.end) {
      const record = readRecord(this.file, this.#spec, position, head.end);
      if (record === null) {
        throw new DamagedFile(this.file.path, `the scene at byte ${position} fails its checksum`);
      }
      found.push(record);
      position = record.end;
    }
    if (this.records.length + found.length !== head.records) {
      throw new DamagedFile(
        this.file.path,
        `it holds ${this.records.length + found.length} scenes where its head says ${head.records}`,
      );
    }
    this.records.push(...found);
    this.#head = head;
    return true;
  }

  /** Reads the stored bytes of pixels `[from, to)` of several records. `from` must be the first pixel of a frame. */
  chunk(indices: readonly number[], from: number, to: number): readonly Uint8Array[] {
    const framePixels = FRAME_BYTES / SAMPLE_BYTES[this.#spec.sampleType];
    return indices.map((i) =>
      readFrames(this.file, this.#spec, this.records[i]!, from / framePixels, Math.ceil(to / framePixels)),
    );
  }

  /**
   * Returns frame `i` of every record, from the cache if possible. Empty for a record that removes a scene. Without a
   * cache it is valid until the next call.
   */
  column(i: number): readonly Uint8Array[] {
    if (!this.#columns.isUsed) return this.#block.column(this.records, i);
    const name = `${this.#id}:${i}`;
    const column = this.#columns.get(name) ?? [];
    if (column.length < this.records.length) {
      while (column.length < this.records.length) {
        const record = this.records[column.length]!;
        column.push(record.removed ? NO_FRAME : readFrames(this.file, this.#spec, record, i, i + 1));
      }
      this.#columns.set(name, column, column.length * FRAME_BYTES);
    }
    return column;
  }
}
