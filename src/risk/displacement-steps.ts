import { percentile } from './confidence.ts';
import { robustDeviation } from './huber-fit.ts';

/** Observations on each side whose medians are compared: at most, at least, and the share of the series [1] (ours). */
const WIDEST_WINDOW = 20;
const NARROWEST_WINDOW = 6;
const WINDOW_SHARE = 1 / 12;
/** Longest time that one side may take [years] (ours): over a gap, drift is not a step. */
const LONGEST_SIDE_YEARS = 1;
/**
 * Contrasts from here up, in their usual spread over the same series, are steps [1] (ours). Correlated noise widens the
 * spread too, so the limit holds for it; a series has some hundreds of separate contrasts, whose highest is near 3.
 */
const LIMIT = 5;
/** Smallest part of the usual scatter of one observation that counts as a step [1] (ours): below, it does not matter. */
const LEAST_SIZE = 1;

/** Where a series jumps. */
export interface FoundStep {
  /** Position of the first observation after it. */
  readonly index: number;
  /** Difference of the medians around it, in the usual spread of such differences [1]. */
  readonly strength: number;
}

/**
 * The strongest jump that is left in the residuals of a fit, or null. At each epoch the median of the next observations
 * is held against that of the last; the jump is where the two sides then fall apart best.
 * @param years ascending
 */
export function strongestStep(years: Float64Array, residuals: Float64Array): FoundStep | null {
  const n = residuals.length;
  const w = Math.min(WIDEST_WINDOW, Math.floor(n * WINDOW_SHARE));
  if (w < NARROWEST_WINDOW) return null;
  const contrasts = new Float64Array(n - 2 * w + 1);
  const medians = Float64Array.from({ length: n - w + 1 }, (_, i) =>
    percentile(residuals.slice(i, i + w), 0.5),
  );
  for (let k = 0; k < contrasts.length; k++) {
    const i = k + w; // first observation after
    const isClose =
      years[i - 1]! - years[i - w]! <= LONGEST_SIDE_YEARS &&
      years[i + w - 1]! - years[i]! <= LONGEST_SIDE_YEARS;
    contrasts[k] = isClose ? medians[i]! - medians[i - w]! : 0;
  }
  const spread = robustDeviation(contrasts);
  let peak = 0;
  for (let k = 1; k < contrasts.length; k++) {
    if (Math.abs(contrasts[k]!) > Math.abs(contrasts[peak]!)) peak = k;
  }
  const size = Math.abs(contrasts[peak]!);
  if (!(size > LIMIT * spread) || !(size > LEAST_SIZE * noiseOf(residuals))) return null;
  return { index: bestSplit(residuals, peak, peak + 2 * w), strength: spread > 0 ? size / spread : Infinity };
}

/** Scatter of one observation from the differences of neighbours, which slow signals leave alone. */
function noiseOf(residuals: Float64Array): number {
  return robustDeviation(residuals.subarray(1).map((r, i) => r - residuals[i]!)) / Math.SQRT2;
}

/** Position that leaves the smallest absolute deviations from the medians of both sides of a window. */
function bestSplit(residuals: Float64Array, from: number, to: number): number {
  let best = Number.POSITIVE_INFINITY;
  let found = from;
  for (let i = from + 3; i <= to - 3; i++) {
    const left = deviations(residuals.slice(from, i));
    const misfit = left + deviations(residuals.slice(i, to));
    if (misfit < best) {
      best = misfit;
      found = i;
    }
  }
  return found;
}

function deviations(sample: Float64Array): number {
  const centre = percentile(sample, 0.5);
  return sample.reduce((sum, value) => sum + Math.abs(value - centre), 0);
}
