import { firstNotBefore, type Observed } from './observed.ts';

/** Where a page of a series ended: the time of its last observation, and how many of that very time were given. */
export interface SeriesPosition {
  readonly timeMs: number;
  readonly given: number;
}

/** One page of a series, and where it ended; `end` is undefined when nothing is left. */
export interface SeriesPage {
  readonly points: Observed;
  readonly end: SeriesPosition | undefined;
}

/**
 * The observations after a position, `limit` of them at most. A position is a time and not a count from the start, so
 * a scene that arrives late in the past shifts nothing; two observations of one time may fall on two pages.
 */
export function pageOfSeries(
  { timesMs, values }: Observed,
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
