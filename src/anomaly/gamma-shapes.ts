import { logGamma } from './gamma-tails.ts';

/** Logarithms of the shapes of the table: from .05, rain of a desert, to 1e4, as good as normal (ours). */
const LOG_LEAST = Math.log(0.05);
const LOG_MOST = Math.log(1e4);
/** Shapes that are told apart (ours), .6 % from one to the next: the nearest is .15 % of variation off, where ten years of days tell it to 3 %. */
const NODES = 2000;

/** Shapes by node. */
export const SHAPES = Float64Array.from({ length: NODES + 1 }, (_, i) =>
  Math.exp(LOG_LEAST + ((LOG_MOST - LOG_LEAST) * i) / NODES),
);
/** Logarithm of the gamma function of each. */
export const LOG_GAMMAS = SHAPES.map(logGamma);
/** Mean of the cube root at unit scale. */
export const ROOTS = SHAPES.map((shape, i) => Math.exp(logGamma(shape + 1 / 3) - LOG_GAMMAS[i]!));
/** Coefficient of variation of the cube root. */
const VARIATIONS = SHAPES.map((shape, i) =>
  Math.sqrt(Math.expm1(logGamma(shape + 2 / 3) + LOG_GAMMAS[i]! - 2 * logGamma(shape + 1 / 3))),
);

/** Node of the shape whose cube root has a coefficient of variation, or of the nearest. */
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

/** Shape of the gamma law whose cube root has a coefficient of variation, to .3 %; within [.05, 1e4]. */
export function shapeOfCubeRoots(variation: number): number {
  return SHAPES[nodeOf(variation)]!;
}
