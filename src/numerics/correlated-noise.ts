import { robustDeviation } from './huber-fit.ts';

/** Fewest residuals whose averages over ever longer intervals tell correlated noise from white (ours). */
const LEAST_RESIDUALS = 64;
/** Highest correlation of neighbours that a short series is believed to show [1] (ours): beyond, it is a trend. */
const HIGHEST_CORRELATION = 0.9;
/** Deviations to which outliers are cut [1] (ours): a wild value is no correlation. */
const CLIPPED = 3;
/** Fewest averages whose scatter is taken (ours): its own relative error is then a quarter. */
const LEAST_BINS = 8;
/** Correlation times tried, each this factor longer than the last [1] (ours). */
const TIME_STEP = 1.25;

/**
 * Factor of at least 1 by which correlation in time raises standard errors over those of white noise. Residuals are
 * averaged over ever longer intervals T; the variance of the averages times their counts, over that of single
 * residuals, is 1 at every T for white noise and climbs towards a ceiling, `c (1 - exp(-T / tau))`, for a first-order
 * Gauss-Markov process. The fitted ceiling's root is the factor, so `n / factor^2` is the effective number of
 * observations. It holds for gaps and uneven times. No smaller than the factor of a first-order
 * autoregression, which is also all that fewer than 64 residuals can tell; see `neighbourFactor`.
 *
 * @param years ascending
 * @param p terms fitted
 * @see doi:10.1007/978-3-030-21718-1_5 (Floyd & Herring 2020, "realistic sigma")
 */
export function correlationFactor(years: Float64Array, residuals: Float64Array, p: number): number {
  const n = residuals.length;
  const deviation = robustDeviation(residuals);
  if (!(deviation > 0)) return 1;
  const bound = CLIPPED * deviation;
  const clipped = residuals.map((r) => Math.min(bound, Math.max(-bound, r)));
  const byNeighbours = neighbourFactor(lagOneCorrelation(clipped), n, p);
  if (n < LEAST_RESIDUALS) return byNeighbours;
  const span = years[n - 1]! - years[0]!;
  const intervals: number[] = [];
  const ratios: number[] = [];
  const spacing = span / (n - 1);
  for (let interval = 2 * spacing; interval <= span / LEAST_BINS; interval *= Math.SQRT2) {
    const scaled = scaledAverages(years, clipped, interval, deviation);
    if (scaled.length < LEAST_BINS) continue;
    intervals.push(interval);
    ratios.push(scaled.reduce((sum, z) => sum + z * z, 0) / scaled.length);
  }
  const byAverages = intervals.length === 0 ? 1 : Math.sqrt(Math.max(1, ceilingOf(intervals, ratios, span)));
  return Math.max(byNeighbours, byAverages);
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

/** Correlation of each residual with the next [1]; 0 where all are 0. */
function lagOneCorrelation(residuals: ArrayLike<number>): number {
  let products = 0;
  let squares = 0;
  for (let i = 0; i < residuals.length; i++) {
    squares += residuals[i]! ** 2;
    if (i > 0) products += residuals[i]! * residuals[i - 1]!;
  }
  return squares > 0 ? products / squares : 0;
}

/**
 * Factor of at least 1 of an autoregression of the first order, `sqrt((1 + r) / (1 - r))`. Fitted terms make neighbours
 * look opposed; `r (n - 4)/n - p/n` is what is seen of r (Kendall 1954 for p = 2; extended to other p, ours).
 * @see doi:10.2307/2332925 (Marriott & Pope 1954)
 */
function neighbourFactor(seen: number, n: number, p: number): number {
  if (n <= 4) return 1;
  const correlation = Math.min(HIGHEST_CORRELATION, Math.max(0, (seen * n + p) / (n - 4)));
  return Math.sqrt((1 + correlation) / (1 - correlation));
}
