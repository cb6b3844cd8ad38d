import { halfBits } from './half-precision.ts';
import { BITS_OF_BYTE, MORE, RECORD_BYTES } from './state-format.ts';
import type { StateReader } from './state-reader.ts';
import type { StateStream } from './state-stream.ts';

/** Initial size of the buffer [bytes]. The size is doubled when the buffer is full. */
const FIRST_BYTES = 65_536;

/** Writes the state of pixels after the latest scene, little-endian, so that a later run can continue from it. */
export class StateWriter implements StateStream {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  #record = 0;

  /** Begins the record of a pixel. A reader can skip or copy a record as a whole. */
  beginRecord(): void {
    this.#record = this.#take(RECORD_BYTES);
  }

  /** Ends the record. @param isAtRest whether the pixel has no events to report until it is observed again */
  endRecord(isAtRest: boolean): void {
    this.#view.setUint32(this.#record, 2 * (this.#at - this.#record) + (isAtRest ? 1 : 0), true);
  }

  /** Appends a record that another writer wrote, without changes; see `StateReader.skipRecord`. */
  copyRecord(bytes: Uint8Array): void {
    const at = this.#take(bytes.byteLength);
    this.#bytes.set(bytes, at);
  }

  /** Number of bytes written so far. */
  get position(): number {
    return this.#at;
  }

  /** Puts the records that were written into another order. @param starts where each begins, in their new order */
  reorder(starts: Int32Array): void {
    const written = this.#bytes.slice(0, this.#at);
    const view = new DataView(written.buffer);
    let at = starts.length === 0 ? 0 : starts.reduce((least, start) => Math.min(least, start));
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i]!;
      const end = start + (view.getUint32(start, true) >>> 1);
      this.#bytes.set(written.subarray(start, end), at);
      at += end - start;
    }
    written.buffer.transfer(0); // a megabyte, not left to the garbage collector
  }

  double(value: number): number {
    const at = this.#take(8);
    this.#view.setFloat64(at, value, true);
    return value;
  }

  single(value: number): number {
    const at = this.#take(4);
    this.#view.setFloat32(at, value, true);
    return value;
  }

  half(value: number): number {
    const at = this.#take(2);
    this.#view.setUint16(at, halfBits(value), true);
    return value;
  }

  natural(value: number): number {
    let rest = value;
    for (; rest >= MORE; rest >>>= 7) this.byte((rest & BITS_OF_BYTE) | MORE);
    this.byte(rest);
    return value;
  }

  whole(value: number): number {
    this.natural(value < 0 ? -2 * value - 1 : 2 * value);
    return value;
  }

  scene(value: number): number {
    this.natural(value + 1);
    return value;
  }

  byte(value: number): number {
    const at = this.#take(1);
    this.#bytes[at] = value;
    return value;
  }

  flag(value: boolean): boolean {
    this.byte(value ? 1 : 0);
    return value;
  }

  /**
   * Writes ascending scenes as a bit mask that ends with the last scene and, if `numbers` is given, one number for
   * each scene in half precision.
   * @param count number of scenes in `scenes`
   * @param numbers one number for each scene of the stack; only those of the written scenes are written
   */
  history(scenes: Int32Array, count: number, numbers?: Float32Array): void {
    const length = count === 0 ? 0 : (scenes[count - 1]! >> 3) + 1;
    this.natural(length);
    const mask = this.#take(length);
    for (let b = 0; b < length; b++) this.#bytes[mask + b] = 0; // `fill` calls a native function
    for (let i = 0; i < count; i++) {
      const scene = scenes[i]!;
      this.#bytes[mask + (scene >> 3)]! |= 1 << (scene & 7);
    }
    if (numbers === undefined) return;
    const from = this.#take(2 * count);
    const view = this.#view;
    for (let i = 0; i < count; i++) view.setUint16(from + 2 * i, halfBits(numbers[scenes[i]!]!), true);
  }

  /** Returns a copy of the bytes written so far. */
  written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at);
  }

  /** Discards the bytes written so far and keeps the buffer. */
  rewind(): void {
    this.#at = 0;
  }

  /** Frees the buffer. The writer cannot be used afterwards. */
  free(): void {
    this.#bytes.buffer.transfer(0);
  }

  /** Reserves the next `bytes` bytes and returns their position. */
  #take(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    if (this.#at > this.#bytes.byteLength) {
      const larger = new Uint8Array(Math.max(this.#at, 2 * this.#bytes.byteLength));
      larger.set(this.#bytes);
      this.#bytes.buffer.transfer(0);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}

/**
 * Saved state of a strip, pixel after pixel: `left` reads the state that an earlier run saved, and `kept` receives the
 * state for the next run.
 */
export interface StripState {
  readonly left?: StateReader | undefined;
  readonly kept?: StateWriter | undefined;
}
