import { correlationFactor } from '../../numerics/correlated-noise.ts';
import { designOf, type Start, type Terms, termsOf } from './displacement-design.ts';
import { seasonTilt } from './displacement-season.ts';
import { JULIAN_YEAR_MS } from '../../base/time.ts';
import { jumpLeft, strongestStep, WIDEST_WINDOW } from './displacement-steps.ts';
import { huberFit, plainFit, type WeightedFit } from '../../numerics/huber-fit.ts';

/** Displacements of one point along one direction, in order of time. */
export interface DisplacementSeries {
  /** Times of the observations, ascending [ms since the Unix epoch]. */
  readonly timesMs: ArrayLike<number>;
  /** Displacements [mm]; NaN where nothing was measured. */
  readonly displacementsMm: ArrayLike<number>;
}

/** Options of `fitDisplacement`. The default of a term depends on the length of the series. */
export interface DisplacementFitOptions {
  /** `plain` is ordinary least squares with white-noise errors; `robust`, the default, is Huber's regression. */
  readonly method?: 'plain' | 'robust';
  readonly acceleration?: boolean;
  /** Harmonics of the year that are fitted: 0 none, 1 annual, 2 annual and semi-annual. */
  readonly harmonics?: 0 | 1 | 2;
  /**
   * Times of known steps, such as changes of equipment or earthquakes [ms since the Unix epoch]. They are always
   * fitted if there are observations before and after.
   */
  readonly knownStepsMs?: readonly number[];
  /** Maximum number of steps to find in addition to the known ones, by default 10; 0 disables the search. */
  readonly maxFoundSteps?: number;
}

/** A fitted value and its standard error, in the same unit. */
export interface Estimate {
  readonly value: number;
  readonly error: number;
}

/** A sudden change of displacement. */
export interface DisplacementStep {
  /** Time of the first observation after the step; for a known step, the given time [ms since the epoch]. */
  readonly timeMs: number;
  /** [mm] */
  readonly size: Estimate;
  readonly isKnown: boolean;
  /** Decaying movement after the step, `amplitude ln(1 + t / timeYears)` [mm]; null if it is not significant. */
  readonly decay: { readonly timeYears: number; readonly amplitude: Estimate } | null;
}

/**
 * A fit of `d(t) = c + v t + 1/2 a t^2 + annual and semi-annual terms + steps and their decays`, t in years from
 * `epochMs`.
 */
export interface DisplacementFit {
  /** Middle of the observed span [ms since the epoch]; `velocity` is the velocity at this time. */
  readonly epochMs: number;
  /** [mm/yr] */
  readonly velocity: Estimate;
  /** Acceleration [mm/yr2]; null if it was not fitted. */
  readonly acceleration: Estimate | null;
  /** Amplitudes of the harmonics, annual first [mm]. */
  readonly amplitudes: readonly Estimate[];
  readonly steps: readonly DisplacementStep[];
  /** Share of the variance that the model explains [1]. */
  readonly rSquared: number;
  /** Standard deviation of one observation about the model [mm]. */
  readonly deviationMm: number;
  readonly observationCount: number;
  /**
   * Factor of at least 1 by which the correlation of noise in time increases the errors, compared with white
   * noise [1]. The errors of a robust fit already include it.
   */
  readonly correlationFactor: number;
}

/**
 * If two found steps cancel each other and are at most this far apart [ms], both are dropped, because the movement
 * does not last: a quarter of a year (our choice).
 */
const SEASON_MS = JULIAN_YEAR_MS / 4;
const MAX_FOUND_STEPS = 10;
/** Minimum size of found steps, and of decays, in standard errors [1] (our choice). Smaller ones are dropped. */
const SIGNIFICANT = 3;
const SIGNIFICANT_DECAY = 5;
/**
 * A jump that remains in the residuals at a step is added to the size of this step if the jump is at least this
 * multiple of the usual spread of such jumps [1] (our choice).
 */
const BENT = 3;
/**
 * Decay times that are tried [years]: published fits to postseismic series use days to years.
 * @see doi:10.1007/s00190-013-0685-5 (Bevis & Brown 2014)
 */
const DECAY_TIMES = [0.03, 0.1, 0.3, 1, 3] as const;
/** Minimum time [years] and minimum number of observations [1] after a step for fitting a decay (our choice). */
const DECAY_SPAN_YEARS = 1;
const DECAY_OBSERVATIONS = 50;

/**
 * Fits the standard model of ground displacement to a series, which may have gaps. By default, terms that the
 * series cannot determine are left out: no seasons below 2.5 years, no acceleration below 3 years. Found steps
 * are kept only if they last and are significant in the final fit. A logarithmic decay after a step is fitted if
 * it is significant.
 * @throws RangeError when the times do not ascend, the lengths differ, or fewer than three displacements are
 *   finite
 */
export function fitDisplacement(
  series: DisplacementSeries,
  choice: DisplacementFitOptions = {},
): DisplacementFit {
  const { timesMs, values } = finiteOf(series);
  const n = values.length;
  if (n < 3) throw new RangeError(`${n} observations: at least 3 expected for a velocity and its error`);
  const epochMs = (timesMs[0]! + timesMs[n - 1]!) / 2;
  const years = timesMs.map((ms) => (ms - epochMs) / JULIAN_YEAR_MS);
  const terms = termsOf(years, choice);
  const solve = choice.method === 'plain' ? plainFit : huberFit;
  const fitted = (starts: readonly Start[]): DisplacementFit & { readonly residuals: Float64Array } => {
    const { rows, p } = designOf(years, terms, starts, epochMs);
    const fit = solve(rows, values, p);
    const factor = choice.method === 'plain' ? 1 : correlationFactor(years, fit.residuals, p);
    return { ...describe(fit, values, epochMs, terms, starts, factor), residuals: fit.residuals };
  };
  const known = (choice.knownStepsMs ?? []).filter((ms) => ms > timesMs[0]! && ms <= timesMs[n - 1]!);
  let starts: readonly Start[] = [...new Set(known)].map((timeMs) => ({
    timeMs,
    isKnown: true,
    decayYears: null,
  }));
  let best = fitted(starts);
  const withDecay = (timeMs: number): void => {
    const after = timesMs.filter((ms) => ms >= timeMs).length;
    if (timesMs[n - 1]! - timeMs < DECAY_SPAN_YEARS * JULIAN_YEAR_MS || after < DECAY_OBSERVATIONS) return;
    const tried = DECAY_TIMES.map((decayYears) => {
      const changed = starts.map((start) => (start.timeMs === timeMs ? { ...start, decayYears } : start));
      return { changed, fit: fitted(changed) };
    });
    const nearest = tried.reduce((a, b) => (b.fit.deviationMm < a.fit.deviationMm ? b : a));
    const { amplitude } = nearest.fit.steps.find((other) => other.timeMs === timeMs)!.decay!;
    if (Math.abs(amplitude.value) < SIGNIFICANT_DECAY * amplitude.error) return;
    starts = nearest.changed;
    best = nearest.fit;
  };
  if (choice.method !== 'plain') for (const { timeMs } of starts) withDecay(timeMs);
  const wanted = choice.maxFoundSteps ?? MAX_FOUND_STEPS;
  for (let k = 0; k < wanted; k++) {
    const bend = best.acceleration?.value ?? 0;
    // If a jump was fitted as an acceleration, the residuals do not show the jump. Therefore, add the acceleration
    // back to the residuals before the search.
    const step = strongestStep(
      years,
      best.residuals.map((r, i) => r + 0.5 * bend * years[i]! ** 2),
    );
    const timeMs = step === null ? Number.NaN : timesMs[step.index]!;
    if (step === null || starts.some((other) => isSameStep(timesMs, other.timeMs, timeMs))) break;
    starts = [...starts, { timeMs, isKnown: false, decayYears: null }];
    best = fitted(starts);
    withDecay(timeMs);
  }
  for (;;) {
    const doubt = weakest(best.steps) ?? episode(best.steps, timesMs);
    if (doubt.length === 0) break;
    starts = starts.filter(({ timeMs }) => !doubt.includes(timeMs));
    best = fitted(starts);
  }
  const { residuals, ...description } = best;
  if (choice.method === 'plain') return description;
  const tilt = terms.harmonics === 0 ? seasonTilt(years[n - 1]! - years[0]!) : 0;
  const { value, error } = description.velocity;
  const velocity = { value, error: Math.hypot(error, tilt) };
  const steps = description.steps.map((step) => {
    const left = jumpLeft(
      years,
      residuals,
      timesMs.findIndex((ms) => ms >= step.timeMs),
    );
    if (left === null || Math.abs(left.size) < BENT * left.spread) return step;
    return { ...step, size: { value: step.size.value + left.size, error: left.spread } };
  });
  return { ...description, velocity, steps };
}

/**
 * Returns the time of the least significant found step if it is not significant; null if all found steps are
 * significant.
 */
function weakest(steps: readonly DisplacementStep[]): readonly number[] | null {
  const strength = ({ size }: DisplacementStep): number => Math.abs(size.value) / size.error;
  const doubtful = steps.filter(
    (step) => !step.isKnown && step.decay === null && strength(step) < SIGNIFICANT,
  );
  if (doubtful.length === 0) return null;
  return [doubtful.reduce((least, step) => (strength(step) < strength(least) ? step : least)).timeMs];
}

/**
 * Returns the times of two successive found steps that cancel each other within a season, for example snow on an
 * antenna; empty if there are none.
 */
function episode(steps: readonly DisplacementStep[], timesMs: Float64Array): readonly number[] {
  for (const [k, after] of steps.entries()) {
    const before = steps[k - 1];
    if (before === undefined || before.isKnown || after.isKnown) continue;
    if (before.size.value * after.size.value > 0) continue;
    const between = timesMs.filter((ms) => ms >= before.timeMs && ms < after.timeMs).length;
    if (between < WIDEST_WINDOW && after.timeMs - before.timeMs < SEASON_MS)
      return [before.timeMs, after.timeMs];
  }
  return [];
}

function finiteOf(series: DisplacementSeries): { timesMs: Float64Array; values: Float64Array } {
  const { timesMs, displacementsMm } = series;
  if (timesMs.length !== displacementsMm.length) throw new RangeError('one time per displacement expected');
  const kept: number[] = [];
  for (let i = 0; i < timesMs.length; i++) {
    if (i > 0 && !(timesMs[i]! > timesMs[i - 1]!)) throw new RangeError('times must ascend');
    if (Number.isFinite(displacementsMm[i]!)) kept.push(i);
  }
  return {
    timesMs: Float64Array.from(kept, (i) => timesMs[i]!),
    values: Float64Array.from(kept, (i) => displacementsMm[i]!),
  };
}

/** Whether fewer than three observations lie between two steps, so that no fit can separate them. */
function isSameStep(timesMs: Float64Array, a: number, b: number): boolean {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  let between = 0;
  for (const ms of timesMs) if (ms >= low && ms < high) between++;
  return between < 3;
}

function describe(
  fit: WeightedFit,
  values: Float64Array,
  epochMs: number,
  { acceleration, harmonics }: Terms,
  starts: readonly Start[],
  factor: number,
): DisplacementFit {
  const n = values.length;
  const p = fit.coefficients.length;
  const unitError = fit.deviation * factor;
  const estimate = (j: number): Estimate => ({
    value: fit.coefficients[j]!,
    error: unitError * Math.sqrt(fit.cofactors[j * p + j]!),
  });
  const firstHarmonic = acceleration ? 3 : 2;
  const amplitudes = Array.from({ length: harmonics }, (_, k): Estimate => {
    const sine = estimate(firstHarmonic + 2 * k);
    const cosine = estimate(firstHarmonic + 2 * k + 1);
    return { value: Math.hypot(sine.value, cosine.value), error: Math.max(sine.error, cosine.error) };
  });
  const firstStep = firstHarmonic + 2 * harmonics;
  let nextDecay = firstStep + starts.length;
  const steps = starts.map(({ timeMs, isKnown, decayYears }, k): DisplacementStep => {
    const decay = decayYears === null ? null : { timeYears: decayYears, amplitude: estimate(nextDecay++) };
    return { timeMs, isKnown, size: estimate(firstStep + k), decay };
  });
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const total = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const left = fit.residuals.reduce((sum, r) => sum + r * r, 0);
  return {
    epochMs,
    velocity: estimate(1),
    acceleration: acceleration ? estimate(2) : null,
    amplitudes,
    steps: steps.sort((a, b) => a.timeMs - b.timeMs),
    rSquared: total > 0 ? 1 - left / total : 1,
    deviationMm: fit.deviation,
    observationCount: n,
    correlationFactor: factor,
  };
}
