import { release } from '../../../base/release.ts';

/**
 * Arrays whose memory is used again, because it takes longer to allocate a strip than to fill it, and its memory would be
 * freed late.
 */
export class SpareArrays<T extends Float32Array | Float64Array | Int16Array> {
  readonly #arrays: T[] = [];
  readonly #most: number;

  /** @param most maximum number of arrays; one more frees the oldest */
  constructor(most: number) {
    this.#most = most;
  }

  /** Keeps an array that nothing reads any more. Ignores shared memory. */
  keep(array: T): void {
    if (!(array.buffer instanceof ArrayBuffer)) return;
    this.#arrays.push(array);
    if (this.#arrays.length > this.#most) release(this.#arrays.shift()!);
  }

  /** Takes an array of a length and a type. Undefined when there is none. */
  take(length: number, type: new (length: number) => T): T | undefined {
    const i = this.#arrays.findIndex((array) => array.length === length && array instanceof type);
    return i < 0 ? undefined : this.#arrays.splice(i, 1)[0];
  }

  /** Lets go of all arrays. */
  clear(): void {
    this.#arrays.length = 0;
  }
}
