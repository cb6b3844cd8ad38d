import { normalQuantile } from '../numerics/normal.ts';

/**
 * Number of draws of a predictive distribution. With 4,096 draws instead, the scores of 66 cities change by at
 * most 0.025 and their confidences by at most 0.11, but an answer takes sixty times as long.
 */
export const DRAW_COUNT = 64;

/**
 * Bases of the Halton sequence, one per uncertain quantity: the primes whose sequences have the least correlation
 * over the 64 points used.
 */
const BASES = [2, 3, 5, 7, 11, 19] as const;

/** Number of points skipped at the start of the sequences, where different bases are still correlated. */
const SKIPPED = 19;

/**
 * Standard normal quasi-random draws: `DRAWS[dimension][draw]`, the same in every process. Halton points are
 * converted by the normal quantile and their mean is subtracted, so that a symmetric spread does not shift the
 * mean.
 * @see doi:10.1007/BF01386213 (Halton 1960)
 */
export const DRAWS: readonly Float64Array[] = BASES.map((base) => {
  const draws = Float64Array.from({ length: DRAW_COUNT }, (_, k) =>
    normalQuantile(radicalInverse(k + SKIPPED, base)),
  );
  const mean = draws.reduce((sum, z) => sum + z, 0) / DRAW_COUNT;
  return draws.map((z) => z - mean);
});

function radicalInverse(index: number, base: number): number {
  let inverse = 0;
  let digitWeight = 1 / base;
  for (let rest = index; rest > 0; rest = Math.floor(rest / base)) {
    inverse += (rest % base) * digitWeight;
    digitWeight /= base;
  }
  return inverse;
}
