/**
 * Median of the first `count` entries; NaN for a count of 0. The entries must not be NaN and are reordered in
 * place.
 */
export function medianInPlace(values: Float64Array, count: number): number {
  if (count === 0) return Number.NaN;
  const middle = count >> 1;
  select(values, count, middle);
  const upper = values[middle]!;
  if (count % 2 === 1) return upper;
  let lower = values[0]!;
  for (let i = 1; i < middle; i++) lower = Math.max(lower, values[i]!);
  return (lower + upper) / 2;
}

/**
 * Moves the `rank`th smallest of the first `count` entries to the position it has when sorted; no entry before that
 * position is then larger, and none after it is smaller. The entries must not be NaN. Faster than a sort. @see doi:10.1145/366622.366647 (Hoare
 * 1961, algorithm 65)
 */
export function select(values: Float64Array, count: number, rank: number): void {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const pivot = values[rank]!;
    let i = low;
    let j = high;
    do {
      while (values[i]! < pivot) i += 1;
      while (pivot < values[j]!) j -= 1;
      if (i <= j) {
        const swapped = values[i]!;
        values[i] = values[j]!;
        values[j] = swapped;
        i += 1;
        j -= 1;
      }
    } while (i <= j);
    if (j < rank) low = i;
    if (rank < i) high = j;
  }
}

/**
 * Ratio of the standard deviation of a normal distribution to its median absolute deviation: 1 / 0.6744897502,
 * where 0.6744897502 is the 0.75 quantile of the standard normal distribution.
 */
export const MAD_TO_SIGMA = 1.482602219;
