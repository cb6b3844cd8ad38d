import { correlationFactor } from './correlated-noise.ts';
import { strongestStep } from './displacement-steps.ts';
import { huberFit, plainFit, type WeightedFit } from './huber-fit.ts';

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
}

/** `d(t) = c + v t + 1/2 a t^2 + annual and semi-annual terms + steps`, t from `epochMs`. */
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
  /** Already in every error: how much correlation in time raises it over that of white noise, at least 1. */
  readonly correlationFactor: number;
}

/** Length of a year [ms]: Julian, 365.25 days, as velocities are given in. */
export const YEAR_MS = 365.25 * 86_400_000;
/** Shortest span whose seasons can be told from its trend [years]. @see doi:10.1029/2001JB000570 (Blewitt & Lavallee 2002) */
const SEASONAL_SPAN_YEARS = 2.5;
/** Shortest span whose trend is taken to bend [years] (ours). */
const BENDING_SPAN_YEARS = 3;
/** Observations for each term at least, when terms are chosen here [1] (ours). */
const OBSERVATIONS_PER_TERM = 5;
const MAX_FOUND_STEPS = 10;

interface Terms {
  readonly acceleration: boolean;
  readonly harmonics: number;
}

/**
 * Fits the standard model of ground displacement to a series with any gaps. Terms that the series cannot carry are left
 * out: no seasons under 2.5 years, no acceleration under 3.
 * @throws RangeError when the times do not ascend, or fewer than three observations are left
 */
export function fitDisplacement(series: DisplacementSeries, choice: FitChoice = {}): DisplacementFit {
  const observed = finiteOf(series);
  const { timesMs, values } = observed;
  const n = values.length;
  if (n < 3) throw new RangeError(`${n} observations: at least 3 expected for a velocity and its error`);
  const epochMs = (timesMs[0]! + timesMs[n - 1]!) / 2;
  const years = timesMs.map((ms) => (ms - epochMs) / YEAR_MS);
  const terms = termsOf(years, choice);
  const solve = choice.method === 'plain' ? plainFit : huberFit;
  const known = (choice.knownStepsMs ?? []).filter((ms) => ms > timesMs[0]! && ms <= timesMs[n - 1]!);
  const steps = [...new Set(known)].map((timeMs) => ({ timeMs, isKnown: true }));
  const fitSteps = (): WeightedFit => {
    const starts = steps.map(({ timeMs }) => (timeMs - epochMs) / YEAR_MS);
    const { rows, p } = designOf(years, terms, starts);
    return solve(rows, values, p);
  };
  let fit = fitSteps();
  const wanted = choice.maxFoundSteps ?? MAX_FOUND_STEPS;
  for (let k = 0; k < wanted; k++) {
    const step = strongestStep(years, fit.residuals);
    const timeMs = step === null ? Number.NaN : timesMs[step.index]!;
    if (step === null || steps.some((other) => isSameStep(timesMs, other.timeMs, timeMs))) break;
    steps.push({ timeMs, isKnown: false });
    fit = fitSteps();
  }
  const factor = choice.method === 'plain' ? 1 : correlationFactor(years, fit.residuals);
  return describe(fit, values, epochMs, terms, steps, factor);
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

function termsOf(years: Float64Array, choice: FitChoice): Terms {
  const n = years.length;
  const span = years[n - 1]! - years[0]!;
  const isSeasonal = span >= SEASONAL_SPAN_YEARS;
  const harmonics =
    choice.harmonics ??
    (!isSeasonal ? 0 : n >= 7 * OBSERVATIONS_PER_TERM ? 2 : n >= 5 * OBSERVATIONS_PER_TERM ? 1 : 0);
  const isLong = span >= BENDING_SPAN_YEARS && n >= (3 + 2 * harmonics) * OBSERVATIONS_PER_TERM;
  return { harmonics, acceleration: choice.acceleration ?? isLong };
}

/** Columns: constant, velocity, acceleration, sine and cosine of each harmonic, steps. */
function designOf(
  years: Float64Array,
  { acceleration, harmonics }: Terms,
  steps: readonly number[],
): { rows: Float64Array; p: number } {
  const p = 2 + (acceleration ? 1 : 0) + 2 * harmonics + steps.length;
  const rows = new Float64Array(years.length * p);
  for (let i = 0; i < years.length; i++) {
    const t = years[i]!;
    let at = i * p;
    rows[at++] = 1;
    rows[at++] = t;
    if (acceleration) rows[at++] = 0.5 * t * t;
    for (let k = 1; k <= harmonics; k++) {
      rows[at++] = Math.sin(2 * Math.PI * k * t);
      rows[at++] = Math.cos(2 * Math.PI * k * t);
    }
    for (const start of steps) rows[at++] = t >= start ? 1 : 0;
  }
  return { rows, p };
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
  steps: readonly { readonly timeMs: number; readonly isKnown: boolean }[],
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
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const total = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const left = fit.residuals.reduce((sum, r) => sum + r * r, 0);
  return {
    epochMs,
    velocity: estimate(1),
    acceleration: acceleration ? estimate(2) : null,
    amplitudes,
    steps: steps
      .map((step, k) => ({ ...step, size: estimate(firstHarmonic + 2 * harmonics + k) }))
      .sort((a, b) => a.timeMs - b.timeMs),
    rSquared: total > 0 ? 1 - left / total : 1,
    deviationMm: fit.deviation,
    observationCount: n,
    correlationFactor: factor,
  };
}
