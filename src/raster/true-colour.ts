import type { Band } from './spectral-index.ts';

/** Bands of a picture in true colour, in the order in which it is stored and encoded. */
export const COLOUR_BANDS = ['red', 'green', 'blue'] as const satisfies readonly Band[];

/** Brightness of a pixel of a picture without an observation. Observations have 1 to `BRIGHTEST`. */
export const UNSEEN = 0;
const BRIGHTEST = 255;
/** Reflectance that is shown white [1]: of bright soil and roofs; clouds and snow pass it (own choice). */
export const WHITE_REFLECTANCE = 0.35;
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
 * Mean of each block of `step` x `step` values, row-major; a block at the edge may be smaller. NaN are left out; a block
 * of NaN alone is NaN.
 */
export function blockMeans(values: Float32Array, width: number, height: number, step: number): Float32Array {
  if (step === 1) return values;
  const [columns, rows] = [Math.ceil(width / step), Math.ceil(height / step)];
  const sums = new Float64Array(columns * rows);
  const counts = new Uint32Array(columns * rows);
  for (let row = 0; row < height; row++)
    for (let col = 0; col < width; col++) {
      const value = values[row * width + col]!;
      if (Number.isNaN(value)) continue;
      const block = Math.floor(row / step) * columns + Math.floor(col / step);
      sums[block]! += value;
      counts[block]!++;
    }
  return Float32Array.from(sums, (sum, block) => (counts[block] === 0 ? Number.NaN : sum / counts[block]!));
}
