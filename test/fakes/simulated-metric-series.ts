import type { ObservedSeries } from '../../src/anomaly/judgement.ts';
import type { MetricLaw } from '../../src/anomaly/metric-law.ts';
import { DAY_MS } from '../../src/base/time.ts';

const START_MS = Date.UTC(2000, 0, 1);
/** Length of a year [days]. */
export const YEAR_DAYS = 365.25;

/** Creates a generator of uniform numbers in [0, 1) from a seed: mulberry32. */
export function uniformDraws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Creates a generator of standard normal numbers from a seed (Box & Muller 1958). */
export function normalDraws(seed: number): () => number {
  const uniform = uniformDraws(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Creates a generator of a first-order autoregressive process with mean 0 and variance 1, from a seed. */
export function redDraws(seed: number, correlation: number): () => number {
  const normal = normalDraws(seed);
  let state = normal();
  return () => {
    state = correlation * state + Math.sqrt(1 - correlation * correlation) * normal();
    return state;
  };
}

/**
 * Creates a generator of gamma-distributed numbers with scale 1, from a seed (Marsaglia & Tsang 2000,
 * doi:10.1145/358407.358414).
 */
export function gammaDraws(seed: number, shape: number): () => number {
  const uniform = uniformDraws(seed);
  const normal = normalDraws(seed + 1);
  const raised = (shape < 1 ? shape + 1 : shape) - 1 / 3;
  const c = 1 / Math.sqrt(9 * raised);
  return () => {
    for (;;) {
      const x = normal();
      const v = (1 + c * x) ** 3;
      if (v <= 0) continue;
      if (Math.log(1 - uniform()) < 0.5 * x * x + raised - raised * v + raised * Math.log(v))
        return raised * v * (shape < 1 ? (1 - uniform()) ** (1 / shape) : 1);
    }
  };
}

/** Creates a series of `n` observations, one every `stepDays` days. */
export function seriesOf(
  n: number,
  stepDays: number,
  value: (days: number, i: number) => number,
  law?: MetricLaw,
): ObservedSeries {
  const timesMs = Float64Array.from({ length: n }, (_, i) => START_MS + i * stepDays * DAY_MS);
  const values = Float64Array.from({ length: n }, (_, i) => value(i * stepDays, i));
  return law === undefined ? { timesMs, values } : { timesMs, values, law };
}

/** Value of a vegetation index on a seasonal curve that lies between about 0.25 and 0.75. */
export function season(days: number): number {
  return (
    0.5 + 0.2 * Math.cos((2 * Math.PI * days) / YEAR_DAYS) + 0.08 * Math.sin((4 * Math.PI * days) / YEAR_DAYS)
  );
}
