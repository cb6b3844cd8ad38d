import { logGamma } from './gamma-tails.ts';

/**
 * Logarithms of the smallest and largest shape in the table (our choice): .05 (desert rain) and 1e4 (practically
 * normal).
 */
const LOG_LEAST = Math.log(0.05);
const LOG_MOST = Math.log(1e4);
/**
 * Number of steps of the table (our choice). Neighbouring shapes differ by .6 %, so the coefficient of variation of
 * the nearest shape differs from the given one by at most .15 %. For comparison, ten years of daily values determine
 * the coefficient of variation to 3 %.
 */
const NODES = 2000;

/** Shape at each node. */
export const SHAPES = Float64Array.from({ length: NODES + 1 }, (_, i) =>
  Math.exp(LOG_LEAST + ((LOG_MOST - LOG_LEAST) * i) / NODES),
);
/** Logarithm of the gamma function of each shape. */
export const LOG_GAMMAS = SHAPES.map(logGamma);
/** Mean of the cube root of a gamma variate of each shape, at unit scale. */
export const ROOTS = SHAPES.map((shape, i) => Math.exp(logGamma(shape + 1 / 3) - LOG_GAMMAS[i]!));
/** Coefficient of variation of the cube root of a gamma variate of each shape. */
const VARIATIONS = SHAPES.map((shape, i) =>
  Math.sqrt(Math.expm1(logGamma(shape + 2 / 3) + LOG_GAMMAS[i]! - 2 * logGamma(shape + 1 / 3))),
);

/** Index in the tables of the shape whose cube root has the coefficient of variation nearest to `variation`. */
export function nodeOf(variation: number): number {
  let low = 0;
  let high = NODES;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (VARIATIONS[middle]! >= variation) low = middle;
    else high = middle;
  }
  return VARIATIONS[low]! * VARIATIONS[high]! > variation * variation ? high : low;
}
