/** A set of the pixels of one scene, with one bit per pixel. */
export class PixelSet {
  readonly #bits: Uint8Array;

  /** @param pixels number of pixels of the scene */
  constructor(pixels: number) {
    this.#bits = new Uint8Array(Math.ceil(pixels / 8));
  }

  get isEmpty(): boolean {
    return this.#bits.every((bits) => bits === 0);
  }

  add(pixel: number): void {
    this.#bits[pixel >>> 3]! |= 1 << (pixel & 7);
  }

  remove(pixel: number): void {
    this.#bits[pixel >>> 3]! &= ~(1 << (pixel & 7));
  }

  /** Sets the samples of the pixels in the set. */
  mark(samples: Int16Array, value: number): void {
    for (const [byte, bits] of this.#bits.entries()) {
      if (bits === 0) continue;
      for (let bit = 0; bit < 8; bit++) if ((bits & (1 << bit)) !== 0) samples[byte * 8 + bit] = value;
    }
  }
}
