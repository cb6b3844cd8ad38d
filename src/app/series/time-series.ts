/** Observations in the order of time: milliseconds since the Unix epoch, and values. */
export interface Observed {
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
}

/** The part in `[fromMs, toMs)` [ms since the Unix epoch]; a view, not a copy. */
export function within({ timesMs, values }: Observed, fromMs: number, toMs: number): Observed {
  const start = firstNotBefore(timesMs, fromMs);
  const end = firstNotBefore(timesMs, toMs);
  return { timesMs: timesMs.subarray(start, end), values: values.subarray(start, end) };
}

/** Position of the first of ascending times that is not before one [ms]; their number where all are. */
export function firstNotBefore(timesMs: Float64Array, ms: number): number {
  let [low, high] = [0, timesMs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesMs[middle]! < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
