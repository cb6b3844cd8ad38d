/** Bytes that a tape begins with; it doubles as it fills. */
const FIRST_BYTES = 65_536;

/**
 * State of pixels, written and read by one and the same walk over their fields: each call takes what a field holds and
 * answers what it is to hold, which is the same while recording and what was recorded while playing.
 */
export class StateTape {
  readonly isPlaying: boolean;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #at = 0;

  /** @param recorded what to play; absent: to record */
  constructor(recorded?: Uint8Array<ArrayBuffer>) {
    this.isPlaying = recorded !== undefined;
    this.#bytes = recorded ?? new Uint8Array(FIRST_BYTES);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
  }

  /** A double. */
  double(value: number): number {
    const at = this.#take(8);
    if (this.isPlaying) return this.#view.getFloat64(at, true);
    this.#view.setFloat64(at, value, true);
    return value;
  }

  /** A whole number of 32 bits. */
  whole(value: number): number {
    const at = this.#take(4);
    if (this.isPlaying) return this.#view.getInt32(at, true);
    this.#view.setInt32(at, value, true);
    return value;
  }

  /** A whole number of 16 bits, -1 to 65,534: a scene or a count of scenes. */
  scene(value: number): number {
    const at = this.#take(2);
    if (this.isPlaying) return this.#view.getUint16(at, true) - 1;
    this.#view.setUint16(at, value + 1, true);
    return value;
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

  /** The first so many doubles. */
  doubles(values: Float64Array, count: number): void {
    const from = this.#take(8 * count);
    const view = this.#view;
    if (this.isPlaying) for (let i = 0; i < count; i++) values[i] = view.getFloat64(from + 8 * i, true);
    else for (let i = 0; i < count; i++) view.setFloat64(from + 8 * i, values[i]!, true);
  }

  /** So many ascending scenes, a bit each up to the last; and of each a number in single precision, which lies at its scene. */
  history(scenes: Int32Array, count: number, numbers: Float32Array): void {
    const length = this.scene(count === 0 ? 0 : (scenes[count - 1]! >> 3) + 1);
    const mask = this.#take(length);
    const bytes = this.#bytes;
    if (this.isPlaying) {
      let n = 0;
      for (let b = 0; b < length; b++)
        for (let bits = bytes[mask + b]!; bits !== 0; bits &= bits - 1)
          scenes[n++] = 8 * b + 31 - Math.clz32(bits & -bits);
    } else {
      bytes.fill(0, mask, mask + length);
      for (let i = 0; i < count; i++) {
        const scene = scenes[i]!;
        bytes[mask + (scene >> 3)]! |= 1 << (scene & 7);
      }
    }
    const from = this.#take(4 * count);
    const view = this.#view;
    if (this.isPlaying)
      for (let i = 0; i < count; i++) numbers[scenes[i]!] = view.getFloat32(from + 4 * i, true);
    else for (let i = 0; i < count; i++) view.setFloat32(from + 4 * i, numbers[scenes[i]!]!, true);
  }

  /** Everything recorded so far. */
  recorded(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at);
  }

  #take(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    if (this.#at > this.#bytes.byteLength) {
      if (this.isPlaying) throw new RangeError('the recorded state ends before what it is to hold');
      const larger = new Uint8Array(2 * this.#bytes.byteLength);
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
