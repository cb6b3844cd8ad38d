import { fromHalfBits, halfBits } from './half-precision.ts';

/** Bytes that a tape begins with; it doubles as it fills. */
const FIRST_BYTES = 65_536;
/** Bytes before each record: its length and, in the lowest bit, whether it is at rest. */
const RECORD_BYTES = 4;
/** Seven bits of a whole number in a byte, and the bit that says that more follow. */
const SEVEN_BITS = 0x7f;
const MORE = 0x80;

/**
 * State of pixels, written and read by one and the same walk over their fields: each call takes what a field holds and
 * answers what it is to hold, which is the same while recording and what was recorded while playing.
 */
export class StateTape {
  readonly isPlaying: boolean;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #at = 0;
  #record = 0;

  /** @param recorded what to play; absent: to record */
  constructor(recorded?: Uint8Array<ArrayBuffer>) {
    this.isPlaying = recorded !== undefined;
    this.#bytes = recorded ?? new Uint8Array(FIRST_BYTES);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
  }

  /** Begins the record of a pixel: what is in one can be passed over, or on, as a whole. */
  beginRecord(): void {
    this.#record = this.#take(RECORD_BYTES);
  }

  /** Ends it. `isAtRest`: nothing is to be told of it until the pixel is seen again. */
  endRecord(isAtRest: boolean): void {
    this.#view.setUint32(this.#record, 2 * (this.#at - this.#record) + (isAtRest ? 1 : 0), true);
  }

  /** Whether the next record is at rest. */
  get isAtRest(): boolean {
    return (this.#bytes[this.#at]! & 1) === 1;
  }

  /** Plays nothing of the next record, and records it elsewhere as it is. */
  passRecord(to: StateTape | undefined): void {
    const from = this.#at;
    this.#take(RECORD_BYTES);
    this.#at = from;
    this.#take(this.#view.getUint32(from, true) >>> 1);
    if (to === undefined) return;
    const at = to.#take(this.#at - from);
    to.#bytes.set(this.#bytes.subarray(from, this.#at), at);
  }

  /** A double. */
  double(value: number): number {
    const at = this.#take(8);
    if (this.isPlaying) return this.#view.getFloat64(at, true);
    this.#view.setFloat64(at, value, true);
    return value;
  }

  /** A number in single precision. */
  single(value: number): number {
    const at = this.#take(4);
    if (this.isPlaying) return this.#view.getFloat32(at, true);
    this.#view.setFloat32(at, value, true);
    return value;
  }

  /** A number in half precision. */
  half(value: number): number {
    const at = this.#take(2);
    if (this.isPlaying) return fromHalfBits(this.#view.getUint16(at, true));
    this.#view.setUint16(at, halfBits(value), true);
    return value;
  }

  /** A whole number from 0 to 2^31 - 1; the small ones take a byte. */
  natural(value: number): number {
    if (this.isPlaying) {
      let shift = 0;
      let sum = 0;
      for (;;) {
        const byte = this.#bytes[this.#take(1)]!;
        sum |= (byte & SEVEN_BITS) << shift;
        if (byte < MORE) return sum;
        shift += 7;
      }
    }
    let rest = value;
    for (; rest >= MORE; rest >>>= 7) this.byte((rest & SEVEN_BITS) | MORE);
    this.byte(rest);
    return value;
  }

  /** A whole number from -2^30 to 2^30 - 1. */
  whole(value: number): number {
    const folded = this.natural(value < 0 ? -2 * value - 1 : 2 * value);
    return (folded & 1) === 1 ? -(folded >> 1) - 1 : folded >> 1;
  }

  /** A scene or a count of scenes, or -1 for none. */
  scene(value: number): number {
    return this.natural(value + 1) - 1;
  }

  /** A byte without sign. */
  byte(value: number): number {
    const at = this.#take(1);
    if (this.isPlaying) return this.#bytes[at]!;
    this.#bytes[at] = value;
    return value;
  }

  flag(value: boolean): boolean {
    return this.byte(value ? 1 : 0) === 1;
  }

  /**
   * So many ascending scenes, a bit each up to the last; and of each, where asked for, a number in half precision, which lies
   * at its scene.
   * @returns how many
   */
  history(scenes: Int32Array, count: number, numbers?: Float32Array): number {
    const length = this.natural(count === 0 ? 0 : (scenes[count - 1]! >> 3) + 1);
    const mask = this.#take(length);
    let n = count;
    if (this.isPlaying) {
      const bytes = this.#bytes;
      n = 0;
      for (let b = 0; b < length; b++)
        for (let bits = bytes[mask + b]!; bits !== 0; bits &= bits - 1)
          scenes[n++] = 8 * b + 31 - Math.clz32(bits & -bits);
    } else {
      this.#bytes.fill(0, mask, mask + length);
      for (let i = 0; i < count; i++) {
        const scene = scenes[i]!;
        this.#bytes[mask + (scene >> 3)]! |= 1 << (scene & 7);
      }
    }
    if (numbers === undefined) return n;
    const from = this.#take(2 * n);
    const view = this.#view;
    if (this.isPlaying)
      for (let i = 0; i < n; i++) numbers[scenes[i]!] = fromHalfBits(view.getUint16(from + 2 * i, true));
    else for (let i = 0; i < n; i++) view.setUint16(from + 2 * i, halfBits(numbers[scenes[i]!]!), true);
    return n;
  }

  /** Everything recorded so far, with room for more bytes after it. */
  recorded(room = 0): Uint8Array<ArrayBuffer> {
    const copy = new Uint8Array(this.#at + room);
    copy.set(this.#bytes.subarray(0, this.#at));
    return copy;
  }

  /** Begins again, in the memory that there is. */
  rewind(): void {
    this.#at = 0;
  }

  #take(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    if (this.#at > this.#bytes.byteLength) {
      if (this.isPlaying) throw new RangeError('the recorded state ends before what it is to hold');
      const larger = new Uint8Array(Math.max(this.#at, 2 * this.#bytes.byteLength));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}

/** Tapes of a strip's pixels, one after the other: what earlier scenes left, and what is kept for later ones. */
export interface StripTapes {
  readonly left?: StateTape | undefined;
  readonly kept?: StateTape | undefined;
}
