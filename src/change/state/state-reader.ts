import { fromHalfBits } from './half-precision.ts';
import type { StateStream } from './state-stream.ts';
import { BITS_OF_BYTE, MORE, RECORD_BYTES } from './state-format.ts';

/** For each byte, the number of its bits that are set. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** Reads what a `StateWriter` wrote. The methods must be called in the same order as those of the writer. */
export class StateReader implements StateStream {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #at = 0;
  #record = 0;
  /** First scene of the history that `skipHistory` skipped; -1 if it has none. */
  firstOfHistory = -1;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Begins to read the next record, whose fields are then read one by one. */
  beginRecord(): void {
    this.#record = this.#at;
    this.#take(RECORD_BYTES);
  }

  /** Returns to the beginning of the current record, which can then be begun again. */
  rewindRecord(): void {
    this.#at = this.#record;
  }

  /** Ends the current record, all of whose fields were read. @throws RangeError when fields are left or are missing */
  endRecord(): void {
    const bytes = this.#view.getUint32(this.#record, true) >>> 1;
    if (this.#at !== this.#record + bytes)
      throw new RangeError(`a saved record of ${bytes} bytes was read as ${this.#at - this.#record}`);
  }

  /** Whether the next record is at rest; see `StateWriter.endRecord`. */
  get isAtRest(): boolean {
    return (this.#bytes[this.#at]! & 1) === 1;
  }

  /** Skips the next record. Returns a view of its bytes. */
  skipRecord(): Uint8Array {
    const from = this.#at;
    this.#take(RECORD_BYTES);
    this.#at = from;
    this.#take(this.#view.getUint32(from, true) >>> 1);
    return this.#bytes.subarray(from, this.#at);
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  single(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  half(): number {
    return fromHalfBits(this.#view.getUint16(this.#take(2), true));
  }

  natural(): number {
    let shift = 0;
    let sum = 0;
    for (;;) {
      const byte = this.#bytes[this.#take(1)]!;
      sum |= (byte & BITS_OF_BYTE) << shift;
      if (byte < MORE) return sum;
      shift += 7;
    }
  }

  whole(): number {
    const folded = this.natural();
    return (folded & 1) === 1 ? -(folded >> 1) - 1 : folded >> 1;
  }

  scene(): number {
    return this.natural() - 1;
  }

  byte(): number {
    return this.#bytes[this.#take(1)]!;
  }

  flag(): boolean {
    return this.byte() === 1;
  }

  /**
   * Reads ascending scenes and, if `numbers` is given, one number for each scene.
   * @param scenes receives the scenes
   * @param numbers receives each number at the index of its scene
   * @returns the number of scenes
   */
  history(scenes: Int32Array, numbers?: Float32Array): number {
    const length = this.natural();
    const mask = this.#take(length);
    const bytes = this.#bytes;
    let n = 0;
    // Without branches: clouds are random, and a mispredicted branch takes as long as some bits.
    for (let scene = 0; scene < 8 * length; scene++) {
      scenes[n] = scene;
      n += (bytes[mask + (scene >> 3)]! >> (scene & 7)) & 1;
    }
    if (numbers === undefined) return n;
    const from = this.#take(2 * n);
    const view = this.#view;
    for (let i = 0; i < n; i++) numbers[scenes[i]!] = fromHalfBits(view.getUint16(from + 2 * i, true));
    return n;
  }

  /**
   * Skips a history, and its numbers if it has any. Returns the number of its scenes; `firstOfHistory` is then its
   * first scene.
   */
  skipHistory(hasNumbers: boolean): number {
    const length = this.natural();
    const mask = this.#take(length);
    this.firstOfHistory = -1;
    let n = 0;
    for (let b = 0; b < length; b++) {
      const bits = this.#bytes[mask + b]!;
      if (n === 0 && bits !== 0) this.firstOfHistory = 8 * b + 31 - Math.clz32(bits & -bits);
      n += ONES[bits]!;
    }
    if (hasNumbers) this.#take(2 * n);
    return n;
  }

  /** Advances by `bytes` bytes and returns their position. @throws RangeError when fewer bytes are left */
  #take(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    if (this.#at > this.#bytes.byteLength) throw new RangeError('the saved state is shorter than its fields');
    return at;
  }
}
