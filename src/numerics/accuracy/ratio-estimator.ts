/** The sampled units of one stratum, each with a numerator and a denominator. */
export interface StratumSample {
  /** Size of the stratum: pixels, area or a share; only the proportions between strata matter. */
  readonly size: number;
  /** Numerator (`y`) and denominator (`x`) of each sampled unit. */
  readonly y: ArrayLike<number>;
  readonly x: ArrayLike<number>;
}

/** An estimated share with its sampling error. */
export interface Estimate {
  readonly value: number;
  /** Standard error; NaN when a stratum that contributes to the share has only one sampled unit. */
  readonly standardError: number;
  /** Number of sampled units that count in the denominator of the share. */
  readonly units: number;
}

const NORMAL_95 = 1.959964; // two-sided 95 % quantile of the standard normal

/**
 * 95 % confidence interval of a share, by the score method of Wilson. The sample size used is the number of units
 * that would give the same standard error under simple random sampling; if the standard error is 0 or NaN, it is
 * the number of sampled units. Unlike value +- 1.96 standard errors, the interval never has zero width.
 * @see doi:10.1080/01621459.1927.10502953 (Wilson 1927); effective sample size: Kish 1965, Survey Sampling,
 *   section 8.2
 */
export function interval95({ value, standardError, units }: Estimate): readonly [low: number, high: number] {
  const n = standardError > 0 ? (value * (1 - value)) / standardError ** 2 : units;
  const z2 = NORMAL_95 ** 2;
  const centre = (n * value + z2 / 2) / (n + z2);
  const half = (NORMAL_95 / (n + z2)) * Math.sqrt(n * value * (1 - value) + z2 / 4);
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

/**
 * Ratio of two totals under stratified random sampling. Overall, user's and producer's accuracy are such ratios,
 * whether or not the strata are the map's classes. NaN when the total of the denominators is 0.
 * @see doi:10.1080/01431161.2014.930207 (Stehman 2014), equations 27 and 28; if the strata are the map's classes,
 *   these equal doi:10.1016/j.rse.2014.02.015 (Olofsson et al. 2014), equations 5 to 7
 */
export function stratifiedRatio(strata: readonly StratumSample[]): Estimate {
  let [top, bottom] = [0, 0];
  for (const { size, y, x } of strata) {
    if (y.length === 0) continue;
    top += size * mean(y);
    bottom += size * mean(x);
  }
  const value = top / bottom;
  let [variance, units] = [0, 0];
  for (const { size, y, x } of strata) {
    if (y.length === 0) continue;
    // The variance of y - R x equals the term s2y + R2 s2x - 2 R sxy of equation 28.
    const departures = Float64Array.from({ length: y.length }, (_, i) => y[i]! - value * x[i]!);
    const centre = mean(departures);
    const squares = departures.reduce((sum, d) => sum + (d - centre) ** 2, 0);
    const counting = Array.from(x).filter((each) => each !== 0).length;
    units += counting;
    if (y.length > 1) variance += (size ** 2 * squares) / (y.length - 1) / y.length;
    else if (counting > 0) variance = Number.NaN;
  }
  return { value, standardError: Math.sqrt(variance) / bottom, units };
}

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}
