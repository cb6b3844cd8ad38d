/**
 * The first two L-moments of a sample, in the unit of its values, and the ratios of the third and fourth to the
 * second [1].
 */
export interface LMoments {
  /** L-location: the mean. */
  readonly l1: number;
  /** L-scale: half the mean absolute difference between two values; positive. */
  readonly l2: number;
  /** L-skewness, in (-1, 1). */
  readonly t3: number;
  /** L-kurtosis; NaN for fewer than four values. */
  readonly t4: number;
}

/**
 * Unbiased sample L-moments, by probability-weighted moments of the ordered sample.
 * @param values in any order; they are not changed
 * @throws RangeError on fewer than three values, a value that is not finite, or a constant sample
 * @see Hosking 1990, J. R. Stat. Soc. B 52, 105-124, section 3
 */
export function sampleLMoments(values: ArrayLike<number>): LMoments {
  const x = Float64Array.from(values).sort();
  const n = x.length;
  if (n < 3) throw new RangeError(`${n} values, at least 3 expected`);
  if (!x.every(Number.isFinite)) throw new RangeError('every value must be finite');
  let b0 = 0;
  let b1 = 0;
  let b2 = 0;
  let b3 = 0;
  for (let i = 0; i < n; i++) {
    const w1 = i / (n - 1);
    const w2 = (w1 * (i - 1)) / (n - 2);
    b0 += x[i]!;
    b1 += w1 * x[i]!;
    b2 += w2 * x[i]!;
    if (n > 3) b3 += ((w2 * (i - 2)) / (n - 3)) * x[i]!;
  }
  b0 /= n;
  b1 /= n;
  b2 /= n;
  b3 /= n;
  const l2 = 2 * b1 - b0;
  if (!(x[n - 1]! > x[0]!)) throw new RangeError('a constant sample has no scale');
  return {
    l1: b0,
    l2,
    t3: (6 * b2 - 6 * b1 + b0) / l2,
    t4: n > 3 ? (20 * b3 - 30 * b2 + 12 * b1 - b0) / l2 : Number.NaN,
  };
}
