import { MAD_TO_SIGMA, medianInPlace } from '../../../numerics/median.ts';
import { ModifiedResidualFit } from '../../../anomaly/modified-residual-fit.ts';
import { seasonDesign, STRIDE } from '../../../anomaly/season-design.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../../base/time.ts';
import { strongestStep } from '../../../risk/subsidence/displacement-steps.ts';
import type { TimeSeries } from '../time-series.ts';

const WEEK_MS = 7 * DAY_MS;
/** Period over which a rate is fitted [ms]. */
const RATE_MS = 2 * JULIAN_YEAR_MS;
/**
 * Requirements for the observations of a fit (our choice): minimum span [ms], minimum number of weeks with
 * observations, and maximum age of the last observation [ms].
 */
const LEAST_SPAN_MS = 1.5 * JULIAN_YEAR_MS;
const LEAST_OBSERVATIONS = 15;
const LATEST_MS = 60 * DAY_MS;
/**
 * Number of columns of the design matrix that are always fitted: the time in years, the constant 1, and two for the
 * annual harmonic. Jumps use the remaining columns.
 */
const COLUMNS = 4;
const MOST_JUMPS = STRIDE - COLUMNS;
/** Number of weekly values on each side of a jump; the medians of the two sides are compared (our choice). */
const NEAR_WEEKS = 3;
/**
 * Minimum difference between these medians, as a share of the size that `strongestStep` finds for the jump [1] (our
 * choice). If the difference is smaller, the values change gradually: they show a movement, not a jump.
 */
const ABRUPT = 0.75;
/**
 * Minimum size of a jump, in standard deviations of a weekly value [1] (our choice); the standard deviation is
 * estimated from the differences between successive weeks. Smaller jumps do not affect a rate.
 */
const LEAST_JUMP = 3;
/**
 * Maximum absolute residual of an observation that has full weight, in standard deviations [1]. Gives 95 %
 * efficiency on normal errors (Huber 1964, doi:10.1214/aoms/1177703732).
 */
const HUBER = 1.345;
/** Maximum number of iterations of the regression (our choice). */
const MOST_STEPS = 100;
/** Change of the rate below which the iteration ends [standard deviations per year] (our choice). */
const CONVERGED = 1e-6;

/**
 * Rate of displacement over the two years before the first day of each month [mm/yr], for months with enough
 * observations. The rate is fitted to weekly medians, together with an annual term, by Huber's robust regression. Jumps
 * within the two years (an earthquake, a new antenna) are fitted as separate terms and do not affect the rate.
 */
export function displacementRates(observed: TimeSeries): TimeSeries {
  const { timesMs, values, lastMs } = weekly(observed);
  const { rows } = seasonDesign(timesMs);
  const [times, found]: [number[], number[]] = [[], []];
  const first = new Date(timesMs[0]!);
  let [from, to] = [0, 0];
  for (let month = first.getUTCMonth() + 1; ; month++) {
    const atMs = Date.UTC(first.getUTCFullYear(), month, 1);
    if (!(observed.timesMs.at(-1)! >= atMs)) break;
    while (to < timesMs.length && lastMs[to]! < atMs) to++;
    while (from < to && timesMs[from]! < atMs - RATE_MS) from++;
    if (to - from < LEAST_OBSERVATIONS) continue;
    const last = timesMs[to - 1]!;
    if (atMs - last > LATEST_MS || last - timesMs[from]! < LEAST_SPAN_MS) continue;
    const rate = rateOf(rows, timesMs, values, from, to);
    if (rate === undefined) continue;
    times.push(atMs);
    found.push(Number(rate.toFixed(3)));
  }
  return { timesMs: Float64Array.from(times), values: Float64Array.from(found) };
}

/**
 * Rate of the observations `[from, to)` [mm/yr]; undefined if the observation times do not allow the rate to be
 * separated from the other terms.
 */
function rateOf(
  rows: Float64Array,
  timesMs: Float64Array,
  values: Float64Array,
  from: number,
  to: number,
): number | undefined {
  const jumps = jumpsIn(timesMs.slice(from, to), values.slice(from, to));
  if (jumps.length === 0) return robustRate(rows, values, from, to, COLUMNS);
  const design = rows.slice(from * STRIDE, to * STRIDE);
  for (const [j, index] of jumps.entries())
    for (let i = 0; i < to - from; i++) design[i * STRIDE + COLUMNS + j] = i < index ? 0 : 1;
  return robustRate(design, values.slice(from, to), 0, to - from, COLUMNS + jumps.length);
}

/**
 * Returns for each jump the index of the first observation after it. Jumps are searched in the observations, not in
 * residuals: a rate and an annual term fitted across a jump would absorb most of the jump.
 */
function jumpsIn(timesMs: Float64Array, values: Float64Array): readonly number[] {
  const years = timesMs.map((ms) => ms / JULIAN_YEAR_MS);
  const differences = values.subarray(1).map((value, i) => value - values[i]!);
  const least = (LEAST_JUMP * deviationOf(differences, differences.slice())) / Math.SQRT2;
  const found: number[] = [];
  // Most series have no jump. This test takes a tenth of the time of `strongestStep`.
  const mayJump = (): boolean => values.some((_, i) => Math.abs(jumpAt(values, i)) >= least);
  while (found.length < MOST_JUMPS && mayJump()) {
    const step = strongestStep(years, values);
    if (step === null || found.includes(step.index)) break;
    const size = jumpAt(values, step.index);
    if (size * step.sizeMm < ABRUPT * step.sizeMm ** 2 || Math.abs(size) < least) break;
    for (let i = step.index; i < values.length; i++) values[i]! -= size;
    found.push(step.index);
  }
  return found;
}

/** Difference between the medians of the weeks directly after and directly before a position. */
function jumpAt(values: Float64Array, index: number): number {
  if (index < NEAR_WEEKS || index > values.length - NEAR_WEEKS) return 0;
  return middleOfThree(values, index) - middleOfThree(values, index - NEAR_WEEKS);
}

/** Median of the three (`NEAR_WEEKS`) values that start at a position. */
function middleOfThree(values: Float64Array, from: number): number {
  const [a, b, c] = [values[from]!, values[from + 1]!, values[from + 2]!];
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** Rate of the observations `[from, to)` [mm/yr], by Huber's regression on the first `columns` columns of a design. */
function robustRate(
  rows: Float64Array,
  values: Float64Array,
  from: number,
  to: number,
  columns: number,
): number | undefined {
  const fit = new ModifiedResidualFit();
  if (!fit.begin(rows, from, to, 0, columns)) return undefined;
  const residuals = new Float64Array(to - from);
  const sorted = new Float64Array(to - from);
  fit.residuals(values, residuals);
  fit.step(residuals);
  for (let k = 0; k < MOST_STEPS; k++) {
    fit.residuals(values, residuals);
    const scale = deviationOf(residuals, sorted);
    if (!(scale > 0)) break;
    const bound = HUBER * scale;
    for (let i = 0; i < residuals.length; i++)
      residuals[i] = Math.max(-bound, Math.min(bound, residuals[i]!));
    const before = fit.coefficient(0);
    fit.step(residuals);
    if (Math.abs(fit.coefficient(0) - before) < CONVERGED * scale) break;
  }
  return fit.coefficient(0);
}

/** Standard deviation estimated from the median absolute deviation. `sorted` is scratch space. */
function deviationOf(residuals: Float64Array, sorted: Float64Array): number {
  sorted.set(residuals);
  const middle = medianInPlace(sorted, sorted.length);
  for (let i = 0; i < sorted.length; i++) sorted[i] = Math.abs(residuals[i]! - middle);
  return MAD_TO_SIGMA * medianInPlace(sorted, sorted.length);
}

/**
 * Computes weekly medians, dated at the middle times of the weeks. Daily values are not needed for a rate, and their
 * errors are correlated.
 */
function weekly({ timesMs, values }: TimeSeries): TimeSeries & { readonly lastMs: readonly number[] } {
  const [times, medians, lastMs]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < timesMs.length;) {
    let end = i;
    while (end < timesMs.length && Math.floor(timesMs[end]! / WEEK_MS) === Math.floor(timesMs[i]! / WEEK_MS))
      end++;
    const sorted = values.slice(i, end).sort();
    const middle = (end - i) >> 1;
    times.push(timesMs[i + middle]!);
    lastMs.push(timesMs[end - 1]!);
    medians.push((end - i) % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2);
    i = end;
  }
  return { timesMs: Float64Array.from(times), values: Float64Array.from(medians), lastMs };
}
