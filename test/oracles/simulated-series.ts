import type { Design } from '../../src/change/kernel/design-tables.ts';
import { harmonicDesign } from '../../src/change/statistics/harmonic-design.ts';

/** Properties of simulated series. */
interface SeriesTraits {
  /** Share of observations that are missing [1]. */
  readonly gaps: number;
  /** Standard deviation of the noise [sample units]. */
  readonly noise: number;
  /** Share of observations that are 3,000 sample units too low [1]. */
  readonly outliers: number;
  /** Whether some series drop by 1,500 sample units at a random scene. */
  readonly shifts: boolean;
}

/** Creates a generator of uniform numbers in [0, 1): the linear congruential generator of Numerical Recipes. */
export function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns the times of scenes, one every 16 days from the start of 2015 [decimal years]. */
export function sceneYears(times: number): number[] {
  return Array.from({ length: times }, (_, t) => 2015 + (t * 16) / 365.25);
}

/**
 * Simulates series of a vegetation index for tests and benchmarks: seasons, slope, noise, gaps, outliers and shifts,
 * all from one seed. The samples are the index times 10,000, in the order `[pixel][time]`; -32768 where missing.
 */
export function simulatedSeries(
  pixels: number,
  times: number,
  traits: SeriesTraits,
  seed: number,
): Int16Array {
  const random = uniform(seed);
  const { rows, columns }: Design = harmonicDesign(sceneYears(times), 2, true);
  const samples = new Int16Array(pixels * times);
  const coefficients = new Float64Array(columns);
  for (let p = 0; p < pixels; p++) {
    coefficients.set([3000 + 4000 * random(), 200 * random() - 100]);
    for (let c = 2; c < columns; c++) coefficients[c] = ((2 * random() - 1) * 2000) / (c > 3 ? 3 : 1);
    const shiftAt = traits.shifts && random() < 0.3 ? Math.floor(random() * times) : times;
    for (let t = 0; t < times; t++) {
      let value = t >= shiftAt ? -1500 : 0;
      for (let c = 0; c < columns; c++) value += rows[t * columns + c]! * coefficients[c]!;
      value += traits.noise * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      if (random() < traits.outliers) value -= 3000;
      samples[p * times + t] = random() < traits.gaps ? -32_768 : Math.max(-30_000, Math.round(value));
    }
  }
  return samples;
}
