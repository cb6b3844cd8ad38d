import { correlationFactor } from '../../numerics/correlated-noise.ts';
import { designOf, type Start, type Terms, termsOf } from './displacement-design.ts';
import { seasonTilt } from './displacement-season.ts';
import { JULIAN_YEAR_MS } from '../../base/time.ts';
import { jumpLeft, strongestStep, WIDEST_WINDOW } from './displacement-steps.ts';
import { huberFit, plainFit, type WeightedFit } from '../../numerics/huber-fit.ts';

/** Positions of one point in time along one direction, in the order of time. */
export interface DisplacementSeries {
  /** Ascending, milliseconds since the Unix epoch. */
  readonly timesMs: ArrayLike<number>;
  /** [mm]; NaN where nothing was measured. */
  readonly displacementsMm: ArrayLike<number>;
}

/** What to fit; every term that is not given is chosen by the length of the series. */
export interface FitChoice {
  /** `plain` is ordinary least squares with errors of white noise; `robust`, the default, is Huber's. */
  readonly method?: 'plain' | 'robust';
  readonly acceleration?: boolean;
  /** Harmonics of the year: none, the annual, or the semi-annual too. */
  readonly harmonics?: 0 | 1 | 2;
  /** Times of known changes of equipment or of earthquakes: always fitted where observations lie on both sides. */
  readonly knownStepsMs?: readonly number[];
  /** Steps to look for besides, at most; 0 looks for none. */
  readonly maxFoundSteps?: number;
}

/** A number and its standard error. */
export interface Estimate {
  readonly value: number;
  readonly error: number;
}

export interface DisplacementStep {
  /** Time of the first observation after it; of a known one, the time given. */
  readonly timeMs: number;
  /** [mm] */
  readonly size: Estimate;
  readonly isKnown: boolean;
  /** Movement that goes on after it and slows, `amplitude ln(1 + t / timeYears)`; null where none is seen. */
  readonly decay: { readonly timeYears: number; readonly amplitude: Estimate } | null;
}

/** `d(t) = c + v t + 1/2 a t^2 + annual and semi-annual terms + steps and their decays`, t from `epochMs`. */
export interface DisplacementFit {
  /** Middle of the observed span: the velocity is that of this moment. */
  readonly epochMs: number;
  /** [mm/yr] */
  readonly velocity: Estimate;
  /** [mm/yr2]; null where it was not fitted. */
  readonly acceleration: Estimate | null;
  /** Amplitudes of the harmonics, annual first [mm]. */
  readonly amplitudes: readonly Estimate[];
  readonly steps: readonly DisplacementStep[];
  /** Share of the variance that the whole model explains [1]. */
  readonly rSquared: number;
  /** Scatter of one observation about the model [mm]. */
  readonly deviationMm: number;
  readonly observationCount: number;
  /** Already in every error of a robust fit: how much correlation in time raises it over that of white noise, at least 1. */
  readonly correlationFactor: number;
}

/** A movement that ends sooner is no lasting one [ms]: a quarter of a year (ours). */
const SEASON_MS = JULIAN_YEAR_MS / 4;
const MAX_FOUND_STEPS = 10;
/** Steps, and decays, that are smaller than so many of their standard errors are none [1] (ours). */
const SIGNIFICANT = 3;
const SIGNIFICANT_DECAY = 5;
/** A jump that a fit has left at a step, in its usual spread, from which the size of the step is taken there alone [1] (ours). */
const BENT = 3;
/** Decay times tried [years]: postseismic series are fitted with days to years. @see doi:10.1007/s00190-013-0685-5 (Bevis & Brown 2014) */
const DECAY_TIMES = [0.03, 0.1, 0.3, 1, 3] as const;
/** Least time and observations after a step that a decay is seen in [years, 1] (ours). */
const DECAY_SPAN_YEARS = 1;
const DECAY_OBSERVATIONS = 50;

/**
 * Fits the standard model of ground displacement to a series with any gaps. Terms that the series cannot carry are left
 * out: no seasons under 2.5 years, no acceleration under 3. Steps that are found must last, and stand out of the
 * errors of the final fit; after one a logarithmic decay is fitted where it does.
 * @throws RangeError when the times do not ascend, or fewer than three observations are left
 */
export function fitDisplacement(series: DisplacementSeries, choice: FitChoice = {}): DisplacementFit {
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
    // A bend that was fitted to a jump hides it.
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

/** Time of the found step that stands out least, of those that do not stand out of their errors; null where all do. */
function weakest(steps: readonly DisplacementStep[]): readonly number[] | null {
  const strength = ({ size }: DisplacementStep): number => Math.abs(size.value) / size.error;
  const doubtful = steps.filter(
    (step) => !step.isKnown && step.decay === null && strength(step) < SIGNIFICANT,
  );
  if (doubtful.length === 0) return null;
  return [doubtful.reduce((least, step) => (strength(step) < strength(least) ? step : least)).timeMs];
}

/** Times of two found steps that undo each other within a season: snow on an antenna, not the ground. */
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

/** Two steps are one when fewer than three observations lie between them: no fit could tell them apart. */
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
