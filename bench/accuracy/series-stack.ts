import type { SampleStack } from './engine.ts';

/** One sample point: times [ms since the Unix epoch], and the values of each metric at these times; NaN: no value. */
export interface PointSeries {
  readonly timesMs: readonly number[];
  readonly metrics: Readonly<Record<string, readonly number[]>>;
}

/**
 * Makes a stack with one pixel per point; its times are the union of the times of all points. If a point has several
 * values at one time, the last one is used.
 */
export function seriesStack(points: readonly PointSeries[], pixelAreaM2: number): SampleStack {
  const timesMs = Float64Array.from(new Set(points.flatMap((point) => point.timesMs))).sort();
  const indexOf = new Map(Array.from(timesMs, (time, t) => [time, t]));
  const metrics: Record<string, Float64Array> = {};
  for (const metric of Object.keys(points[0]!.metrics)) {
    const values = new Float64Array(points.length * timesMs.length).fill(Number.NaN);
    for (const [p, point] of points.entries()) {
      const series = point.metrics[metric]!;
      for (const [i, time] of point.timesMs.entries())
        values[p * timesMs.length + indexOf.get(time)!] = series[i]!;
    }
    metrics[metric] = values;
  }
  return { width: points.length, height: 1, pixelAreaM2, timesMs, metrics };
}

/** Puts an empty pixel between any two of a row of points, as points that are no neighbours. */
export function apart(stack: SampleStack): SampleStack {
  const times = stack.timesMs.length;
  const width = 2 * stack.width;
  const metrics = Object.fromEntries(
    Object.entries(stack.metrics).map(([metric, values]) => {
      const spaced = new Float64Array(width * times).fill(Number.NaN);
      for (let p = 0; p < stack.width; p++)
        spaced.set(values.subarray(p * times, (p + 1) * times), 2 * p * times);
      return [metric, spaced];
    }),
  );
  return { ...stack, width, metrics };
}

/** A normalised difference; NaN where a band is missing or the sum is not positive. */
export function normalisedDifference(a: number, b: number): number {
  return a + b > 0 ? (a - b) / (a + b) : Number.NaN;
}
