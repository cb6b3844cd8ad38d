import { robustDeviation } from './huber-fit.ts';

/** Minimum number of residuals for averaging them over intervals: see `correlationFactor` (our choice). */
const LEAST_RESIDUALS = 64;
/** Maximum correlation of successive residuals [1] (our choice). A higher one is taken as a trend, not as noise. */
const HIGHEST_CORRELATION = 0.9;
/**
 * Number of standard deviations at which residuals are clipped [1] (our choice), so that outliers do not look like
 * correlation.
 */
const CLIPPED = 3;
/**
 * Minimum number of intervals whose averages give a variance (our choice). With eight averages, the relative error of
 * the standard deviation is a quarter.
 */
const LEAST_BINS = 8;
/** The fit tries a series of correlation times, each longer than the previous one by this factor [1] (our choice). */
const TIME_STEP = 1.25;

/**
 * Factor of at least 1 by which correlation in time raises standard errors over those of white noise. Residuals are
 * averaged over intervals of increasing length T. For each T, each average is multiplied by the square root of its
 * count, and the variance of these products is divided by that of single residuals. For white noise this ratio is 1
 * at every T. For a first-order Gauss-Markov process it rises towards a ceiling c as `c (1 - exp(-T / tau))`. The
 * factor is the square root of the fitted ceiling, so `n / factor^2` is the effective number of observations. Gaps
 * and uneven times are allowed. The factor is at least that of a first-order autoregression (`neighbourFactor`). For
 * fewer than 64 residuals, only that factor is used.
 *
 * @param years ascending
 * @param p number of fitted terms
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

/** Averages of residuals over intervals, each divided by the standard error that it would have for white noise. */
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

/**
 * Ceiling c of the best-fitting `c (1 - exp(-T / tau))`. Correlation times tau up to an eighth of the span are
 * tried.
 */
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

/** Correlation of successive residuals [1]; 0 when all are 0. */
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
 * Factor of at least 1 by which the correlation of successive residuals raises a standard error:
 * `sqrt((1 + r) / (1 - r))` for a first-order autoregression with correlation r. Fitting p parameters biases the
 * observed correlation downwards. Its expected value, which is solved for r here, is `r (n - 4)/n - p/n` (Kendall 1954 for p = 2;
 * we extended it to other p).
 * @param seen correlation of successive residuals
 * @see doi:10.2307/2332925 (Marriott & Pope 1954)
 */
function neighbourFactor(seen: number, n: number, p: number): number {
  if (n <= 4) return 1;
  const correlation = Math.min(HIGHEST_CORRELATION, Math.max(0, (seen * n + p) / (n - 4)));
  return Math.sqrt((1 + correlation) / (1 - correlation));
}
