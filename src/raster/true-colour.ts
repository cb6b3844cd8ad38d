import type { Band } from './spectral-index.ts';

/** Bands of a picture in true colour, in the order in which it is stored and encoded. */
export const COLOUR_BANDS = ['red', 'green', 'blue'] as const satisfies readonly Band[];

/** Brightness of a pixel of a picture without an observation. Observations have 1 to `BRIGHTEST`. */
export const UNSEEN = 0;
const BRIGHTEST = 255;
/** Reflectance that is shown white [1]: of bright soil and roofs; clouds and snow pass it (own choice). */
const WHITE_REFLECTANCE = 0.35;
/** Exponent that lifts dark ground, of which vegetation and water are, as displays expect it (sRGB has about 1/2.2). */
const GAMMA = 1 / 1.8;

/**
 * Brightness of a reflectance [1] in a picture: 1 to 255, `UNSEEN` for NaN. The curve is fixed, so that pictures of two
 * dates compare.
 */
export function brightnessOf(reflectance: number): number {
  if (Number.isNaN(reflectance)) return UNSEEN;
  const share = Math.min(1, Math.max(0, reflectance / WHITE_REFLECTANCE));
  return 1 + Math.round((BRIGHTEST - 1) * share ** GAMMA);
}

/**
 * Mean of each block of `step` x `step` values of a grid, whose rows are added from the first to the last. A block at
 * the edge may be smaller. NaN are left out; a block of NaN alone is NaN.
 */
export class BlockMeans {
  readonly #width: number;
  readonly #step: number;
  readonly #columns: number;
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;

  constructor(width: number, height: number, step: number) {
    this.#width = width;
    this.#step = step;
    this.#columns = Math.ceil(width / step);
    const blocks = this.#columns * Math.ceil(height / step);
    this.#sums = new Float64Array(blocks);
    this.#counts = new Uint32Array(blocks);
  }

  /** Adds whole rows, row-major, of which the first is `firstRow`. */
  add(values: Float32Array, firstRow: number): void {
    for (let p = 0, row = firstRow; p < values.length; row++) {
      const first = Math.floor(row / this.#step) * this.#columns;
      for (let col = 0; col < this.#width; col++, p++) {
        const value = values[p]!;
        if (Number.isNaN(value)) continue;
        const block = first + Math.floor(col / this.#step);
        this.#sums[block]! += value;
        this.#counts[block]!++;
      }
    }
  }

  /** The means, row-major. */
  means(): Float32Array {
    return Float32Array.from(this.#sums, (sum, block) => sum / this.#counts[block]!);
  }
}
