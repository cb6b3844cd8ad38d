import { robustDeviation } from './huber-fit.ts';

/** Fewest residuals that tell correlated noise from white (ours). */
const LEAST_RESIDUALS = 64;
/** Fewest averages whose scatter is taken (ours): its own relative error is then a quarter. */
const LEAST_BINS = 8;
/** Correlation times tried, each this factor longer than the last [1] (ours). */
const TIME_STEP = 1.25;

/**
 * Factor of at least 1 by which correlation in time raises standard errors over those of white noise. Residuals are
 * averaged over ever longer intervals T; the variance of the averages times their counts, over that of single
 * residuals, is 1 at every T for white noise and climbs towards a ceiling, `c (1 - exp(-T / tau))`, for a first-order
 * Gauss-Markov process. The fitted ceiling's root is the factor, so `n / factor^2` is the effective number of
 * observations. It holds for gaps and uneven times. Fewer than 64 residuals cannot tell: 1.
 *
 * @param years ascending
 * @see doi:10.1007/978-3-030-21718-1_5 (Floyd & Herring 2020, "realistic sigma")
 */
export function correlationFactor(years: Float64Array, residuals: Float64Array): number {
  const n = residuals.length;
  if (n < LEAST_RESIDUALS) return 1;
  const deviation = robustDeviation(residuals);
  if (!(deviation > 0)) return 1;
  const span = years[n - 1]! - years[0]!;
  const intervals: number[] = [];
  const ratios: number[] = [];
  const spacing = span / (n - 1);
  for (let interval = 2 * spacing; interval <= span / LEAST_BINS; interval *= Math.SQRT2) {
    const scaled = scaledAverages(years, residuals, interval, deviation);
    if (scaled.length < LEAST_BINS) continue;
    intervals.push(interval);
    ratios.push(scaled.reduce((sum, z) => sum + z * z, 0) / scaled.length);
  }
  return intervals.length === 0 ? 1 : Math.sqrt(Math.max(1, ceilingOf(intervals, ratios, span)));
}

/** Averages over intervals, each in units of the error that white noise would leave it. */
function scaledAverages(
  years: Float64Array,
  residuals: Float64Array,
  interval: number,
  deviation: number,
): number[] {
  const averages: number[] = [];
  let bin = 0;
  let sum = 0;
  let count = 0;
  for (let i = 0; i < residuals.length; i++) {
    const at = Math.floor((years[i]! - years[0]!) / interval);
    if (at !== bin && count > 0) {
      averages.push(sum / Math.sqrt(count) / deviation);
      sum = 0;
      count = 0;
    }
    bin = at;
    sum += residuals[i]!;
    count++;
  }
  return averages;
}

/** Ceiling of the exponential that fits best; no correlation time is longer than the span can show. */
function ceilingOf(intervals: readonly number[], ratios: readonly number[], span: number): number {
  let best = Number.POSITIVE_INFINITY;
  let ceiling = 1;
  for (let tau = intervals[0]! / 4; tau <= span / LEAST_BINS; tau *= TIME_STEP) {
    let xy = 0;
    let xx = 0;
    for (let k = 0; k < intervals.length; k++) {
      const x = 1 - Math.exp(-intervals[k]! / tau);
      xy += x * ratios[k]!;
      xx += x * x;
    }
    const c = xy / xx;
    let misfit = 0;
    for (let k = 0; k < intervals.length; k++) {
      misfit += (ratios[k]! - c * (1 - Math.exp(-intervals[k]! / tau))) ** 2;
    }
    if (misfit < best) {
      best = misfit;
      ceiling = c;
    }
  }
  return ceiling;
}
