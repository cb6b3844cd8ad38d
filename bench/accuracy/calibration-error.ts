const BINS = 10; // number of bins of equal width, as usual for this figure

/**
 * Expected calibration error: the mean over the cases of the distance between the mean probability and the frequency
 * in the bin of the case. Bins are tenths.
 * @param weights weight of each case; 1 if absent
 * @see doi:10.1609/aaai.v29i1.9602 (Naeini, Cooper & Hauskrecht 2015)
 */
export function calibrationError(
  probabilities: readonly number[],
  outcomes: readonly boolean[],
  weights?: ArrayLike<number>,
): number {
  const stated = new Float64Array(BINS);
  const happened = new Float64Array(BINS);
  let total = 0;
  for (const [i, probability] of probabilities.entries()) {
    const weight = weights?.[i] ?? 1;
    const bin = Math.min(BINS - 1, Math.floor(probability * BINS));
    stated[bin] = stated[bin]! + weight * probability;
    happened[bin] = happened[bin]! + (outcomes[i]! ? weight : 0);
    total += weight;
  }
  return stated.reduce((sum, of, bin) => sum + Math.abs(of - happened[bin]!), 0) / total;
}
