/** Median of the first `count` entries, which are sorted in place; NaN when there are none. */
export function medianInPlace(values: Float64Array, count: number): number {
  if (count === 0) return Number.NaN;
  const part = values.subarray(0, count).sort();
  const middle = count >> 1;
  return count % 2 === 1 ? part[middle]! : (part[middle - 1]! + part[middle]!) / 2;
}

/** Standard deviation of a normal law over its median absolute deviation: 1 / .6744897502, the .75 quantile. */
export const MAD_TO_SIGMA = 1.482602219;
