import type { CubeSpec } from '../app/series/cube-store.ts';
import { readFrames } from './record-reader.ts';
import { sceneBytes } from './sample-layout.ts';
import { FRAME_BYTES, type SceneRecord } from './scene-record.ts';
import type { SharedFile } from './shared-file.ts';

/**
 * Frames of each record that are read together. A read has two calls of the system, and the reader of a strip asks for
 * the next frame soon. 128 scenes take 2 MB.
 */
const BLOCK_FRAMES = 4;
const NO_FRAME = new Uint8Array(0);

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
