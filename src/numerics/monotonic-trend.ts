import { normalProbability, normalQuantile } from './normal.ts';

/** A monotonic trend of a series, and the test of its significance. */
export interface MonotonicTrend {
  /** Median of the slopes between all pairs of values (Theil & Sen), in the unit of the values per unit of time. */
  readonly slope: number;
  /** Standard error of the slope: a 3.29th of the width of its 90 % interval (Sen 1968). */
  readonly slopeError: number;
  /** Probability of a Kendall score at least as extreme in a series without trend [0, 1], two-sided. */
  readonly pValue: number;
}

/**
 * Tests a series for a monotonic trend by the Mann-Kendall test, with the variance for tied values and the correction
 * for continuity, and estimates its slope. Values are taken as independent, as yearly maxima are.
 * @param times distinct
 * @param values as many as times, at least four
 * @throws RangeError on fewer than four values, or times that are not distinct
 * @see doi:10.2307/1907187 (Mann 1945)
 * @see doi:10.1080/01621459.1968.10480934 (Sen 1968)
 */
export function monotonicTrend(times: ArrayLike<number>, values: ArrayLike<number>): MonotonicTrend {
  const n = values.length;
  if (n < 4 || times.length !== n)
    throw new RangeError(`${n} values, at least 4 expected, one for each time`);
  const slopes: number[] = [];
  let score = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) {
      const run = times[i]! - times[j]!;
      if (run === 0) throw new RangeError(`time ${times[i]} stands twice`);
      const slope = (values[i]! - values[j]!) / run;
      slopes.push(slope);
      score += Math.sign(slope);
    }
  const variance = (n * (n - 1) * (2 * n + 5) - tiesOf(values)) / 18;
  const deviate = variance > 0 ? Math.max(0, Math.abs(score) - 1) / Math.sqrt(variance) : 0;
  slopes.sort((a, b) => a - b);
  const half = normalQuantile(0.95) * Math.sqrt(Math.max(0, variance));
  const at = (rank: number): number => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))]!;
  const [low, high] = [at((slopes.length - half) / 2), at((slopes.length + half) / 2)];
  const middle = slopes.length >> 1;
  const slope = slopes.length % 2 === 1 ? slopes[middle]! : (slopes[middle - 1]! + slopes[middle]!) / 2;
  return {
    slope,
    slopeError: (high - low) / (2 * normalQuantile(0.95)),
    pValue: 2 * (1 - normalProbability(deviate)),
  };
}

/** Sum over groups of t equal values of t (t - 1) (2 t + 5). */
function tiesOf(values: ArrayLike<number>): number {
  const counts = new Map<number, number>();
  for (let i = 0; i < values.length; i++) counts.set(values[i]!, (counts.get(values[i]!) ?? 0) + 1);
  return [...counts.values()].reduce((sum, t) => sum + t * (t - 1) * (2 * t + 5), 0);
}
