/** Observations in order of time. */
export interface TimeSeries {
  /** Milliseconds since the Unix epoch, ascending. */
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
}

/** Returns the part of a series in `[fromMs, toMs)` [ms since the Unix epoch], as a view, not a copy. */
export function within({ timesMs, values }: TimeSeries, fromMs: number, toMs: number): TimeSeries {
  const start = firstNotBefore(timesMs, fromMs);
  const end = firstNotBefore(timesMs, toMs);
  return { timesMs: timesMs.subarray(start, end), values: values.subarray(start, end) };
}

/** Finds the position of the first time at or after `ms`, by binary search; the length if all times are before `ms`. */
export function firstNotBefore(timesMs: ArrayLike<number>, ms: number): number {
  let [low, high] = [0, timesMs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesMs[middle]! < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
