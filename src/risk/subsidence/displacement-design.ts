import { JULIAN_YEAR_MS } from '../../base/time.ts';

/**
 * Minimum span of a series to separate seasons from the trend [years].
 * @see doi:10.1029/2001JB000570 (Blewitt & Lavallee 2002)
 */
const SEASONAL_SPAN_YEARS = 2.5;
/** Minimum span for which an acceleration is fitted by default [years] (our choice). */
const BENDING_SPAN_YEARS = 3;
/** Minimum number of observations per fitted term by default [1] (our choice). */
const OBSERVATIONS_PER_TERM = 5;

/** Optional terms of the model, in addition to constant and velocity. */
export interface Terms {
  readonly acceleration: boolean;
  readonly harmonics: number;
}

/** A step in the model, with or without a decaying movement after it. */
export interface Start {
  readonly timeMs: number;
  readonly isKnown: boolean;
  /** Decay time [years]; null without a decay. */
  readonly decayYears: number | null;
}

/**
 * Returns the terms for a series: those in `choice`, and for the others a default that depends on the number of
 * observations and the span.
 * @param years ascending
 */
export function termsOf(years: Float64Array, choice: Partial<Terms>): Terms {
  const n = years.length;
  const span = years[n - 1]! - years[0]!;
  const isSeasonal = span >= SEASONAL_SPAN_YEARS;
  const harmonics =
    choice.harmonics ??
    (!isSeasonal ? 0 : n >= 7 * OBSERVATIONS_PER_TERM ? 2 : n >= 5 * OBSERVATIONS_PER_TERM ? 1 : 0);
  const isLong = span >= BENDING_SPAN_YEARS && n >= (3 + 2 * harmonics) * OBSERVATIONS_PER_TERM;
  return { harmonics, acceleration: choice.acceleration ?? isLong };
}

/**
 * Design matrix, n x p, row-major. Its columns are constant, velocity, acceleration, sine and cosine of each
 * harmonic, steps, decays.
 */
export function designOf(
  years: Float64Array,
  { acceleration, harmonics }: Terms,
  starts: readonly Start[],
  epochMs: number,
): { rows: Float64Array; p: number } {
  const startYears = starts.map(({ timeMs }) => (timeMs - epochMs) / JULIAN_YEAR_MS);
  const decays = starts.flatMap(({ decayYears }, i) =>
    decayYears === null ? [] : [{ start: startYears[i]!, decayYears }],
  );
  const p = 2 + (acceleration ? 1 : 0) + 2 * harmonics + starts.length + decays.length;
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
    for (const start of startYears) rows[at++] = t >= start ? 1 : 0;
    for (const { start, decayYears } of decays) {
      rows[at++] = t > start ? Math.log1p((t - start) / decayYears) : 0;
    }
  }
  return { rows, p };
}
