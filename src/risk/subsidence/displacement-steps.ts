import { percentile } from '../../numerics/percentile.ts';
import { robustDeviation } from '../../numerics/huber-fit.ts';

/**
 * Maximum number of observations in each of the two windows, before and after a step, whose medians are compared
 * (our choice). Medians over a quarter of a year are not affected by snow that melts from an antenna.
 */
export const WIDEST_WINDOW = 90;
/** Maximum number of observations in each of the two windows when `jumpLeft` measures the jump directly at a step. */
const NEAR_WINDOW = 20;
/**
 * Minimum number of observations in each of the two windows, and the number of observations in a window as a
 * share of the whole series [1] (our choice).
 */
const NARROWEST_WINDOW = 6;
const WINDOW_SHARE = 1 / 12;
/** Maximum time that each of the two windows may span [years] (our choice): drift over a gap is not a step. */
const LONGEST_SIDE_YEARS = 1;
/**
 * A contrast (see `Contrasts`) counts as a step if it is at least this multiple of the usual spread of the
 * contrasts in the series [1] (our choice). Correlated noise also increases the usual spread, so the limit also
 * works for correlated noise. By chance, the largest of a few hundred independent contrasts is near 3 times the
 * usual spread.
 */
const LIMIT = 4.5;
/**
 * Minimum size of a step in units of the usual scatter of one observation [1] (our choice): smaller steps do not
 * matter.
 */
const LEAST_SIZE = 1;
/** A step found in a series. */
export interface FoundStep {
  /** Index of the first observation after the step. */
  readonly index: number;
  /** Difference of the medians after and before the step [mm]. */
  readonly sizeMm: number;
  /** The same difference in units of the usual spread of such differences [1]. */
  readonly strength: number;
}

/**
 * Differences between the medians of the windows after and before each observation: `sizes[k]` is for observation
 * `k + width`; NaN if a window spans too long a time.
 */
interface Contrasts {
  readonly width: number;
  /** Differences, minus their median, which removes a steady trend. */
  readonly sizes: Float64Array;
  readonly spread: number;
}

/**
 * Returns the strongest lasting step of a series without seasons, or null. At each observation the median of the
 * following observations is compared with the median of the preceding ones. The step is placed where the series
 * is best divided into two levels.
 * @param years ascending
 * @param displacements residuals of the model so far; a steady trend may remain
 */
export function strongestStep(years: Float64Array, displacements: Float64Array): FoundStep | null {
  const contrasts = contrastsOf(years, displacements, WIDEST_WINDOW);
  if (contrasts === null) return null;
  const { width, sizes, spread } = contrasts;
  let peak = -1;
  for (const [k, size] of sizes.entries()) {
    if (Math.abs(size) > (peak < 0 ? 0 : Math.abs(sizes[peak]!))) peak = k;
  }
  if (peak < 0) return null;
  const size = Math.abs(sizes[peak]!);
  if (!(size > LIMIT * spread) || !(size > LEAST_SIZE * noiseOf(displacements))) return null;
  const index = bestSplit(displacements, peak, peak + 2 * width);
  return { index, sizeMm: sizes[peak]!, strength: spread > 0 ? size / spread : Number.POSITIVE_INFINITY };
}

/**
 * Returns the jump that remains in the residuals of a fit at a step, and the usual spread of such jumps. A jump
 * can remain because a curved model absorbs a part of it. Null if the jump cannot be measured, for example
 * because the series is too short.
 */
export function jumpLeft(
  years: Float64Array,
  residuals: Float64Array,
  index: number,
): { readonly size: number; readonly spread: number } | null {
  const contrasts = contrastsOf(years, residuals, NEAR_WINDOW);
  if (contrasts === null) return null;
  const size = contrasts.sizes[index - contrasts.width] ?? Number.NaN;
  return Number.isFinite(size) ? { size, spread: contrasts.spread } : null;
}

function contrastsOf(years: Float64Array, values: Float64Array, most: number): Contrasts | null {
  const width = Math.min(most, Math.floor(values.length * WINDOW_SHARE));
  if (width < NARROWEST_WINDOW) return null;
  const medians = Float64Array.from({ length: values.length - width + 1 }, (_, i) =>
    percentile(values.slice(i, i + width), 0.5),
  );
  const isClose = (i: number): boolean =>
    years[i - 1]! - years[i - width]! <= LONGEST_SIDE_YEARS &&
    years[i + width - 1]! - years[i]! <= LONGEST_SIDE_YEARS;
  const found = Float64Array.from({ length: values.length - 2 * width + 1 }, (_, k) =>
    isClose(k + width) ? medians[k + width]! - medians[k]! : Number.NaN,
  );
  const close = found.filter(Number.isFinite);
  if (close.length === 0) return null;
  const usual = percentile(close.slice(), 0.5);
  return { width, sizes: found.map((size) => size - usual), spread: robustDeviation(close) };
}

/**
 * Scatter of one observation, computed from the differences between successive observations, because slow
 * signals hardly affect these differences.
 */
function noiseOf(values: Float64Array): number {
  return robustDeviation(values.subarray(1).map((value, i) => value - values[i]!)) / Math.SQRT2;
}

/**
 * Returns the position that divides a window such that the sum of absolute deviations from the medians of its two
 * parts is smallest.
 */
function bestSplit(values: Float64Array, from: number, to: number): number {
  let best = Number.POSITIVE_INFINITY;
  let found = from;
  for (let i = from + 3; i <= to - 3; i++) {
    const left = deviations(values.slice(from, i));
    const misfit = left + deviations(values.slice(i, to));
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
