import { firstNotBefore, type TimeSeries } from './time-series.ts';

/**
 * Position after a page: the time of the last observation on the page, and how many observations with exactly this
 * time are on this page and the earlier pages.
 */
export interface SeriesPosition {
  readonly timeMs: number;
  readonly given: number;
}

/** One page of a series. `end` is the position after the page; undefined on the last page. */
export interface SeriesPage {
  readonly points: TimeSeries;
  readonly end: SeriesPosition | undefined;
}

/**
 * Returns at most `limit` observations after a position. Positions are times, not counts from the start, so late
 * observations do not shift the pages. Observations with the same time may be on different pages.
 */
export function pageOfSeries(
  { timesMs, values }: TimeSeries,
  after: SeriesPosition | undefined,
  limit: number,
): SeriesPage {
  const start = after === undefined ? 0 : firstAfter(timesMs, after);
  const end = Math.min(timesMs.length, start + limit);
  const points = { timesMs: timesMs.subarray(start, end), values: values.subarray(start, end) };
  if (end === timesMs.length) return { points, end: undefined };
  const timeMs = timesMs[end - 1]!;
  return { points, end: { timeMs, given: end - firstNotBefore(timesMs, timeMs) } };
}

function firstAfter(timesMs: Float64Array, { timeMs, given }: SeriesPosition): number {
  const first = firstNotBefore(timesMs, timeMs);
  let count = 0;
  while (count < given && timesMs[first + count] === timeMs) count++;
  return first + count;
}
