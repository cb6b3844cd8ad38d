import type { Observation } from './read-series.ts';

/** Where a page of a series ended: the time of its last observation, and how many of that very time were given. */
export interface SeriesPosition {
  readonly timeMs: number;
  readonly given: number;
}

/** One page of a series, and where it ended; `end` is undefined when nothing is left. */
export interface SeriesPage {
  readonly points: readonly Observation[];
  readonly end: SeriesPosition | undefined;
}

/**
 * The observations after a position, `limit` of them at most. A position is a time and not a count from the start, so
 * a scene that arrives late in the past shifts nothing; two observations of one time may fall on two pages.
 */
export function pageOfSeries(
  series: readonly Observation[],
  after: SeriesPosition | undefined,
  limit: number,
): SeriesPage {
  const start = after === undefined ? 0 : firstAfter(series, after);
  const points = series.slice(start, start + limit);
  const last = points.at(-1);
  const end = start + points.length;
  if (last === undefined || end === series.length) return { points, end: undefined };
  const given = end - firstNotBefore(series, last.timeMs);
  return { points, end: { timeMs: last.timeMs, given } };
}

function firstAfter(series: readonly Observation[], { timeMs, given }: SeriesPosition): number {
  const first = firstNotBefore(series, timeMs);
  let count = 0;
  while (count < given && series[first + count]?.timeMs === timeMs) count++;
  return first + count;
}

function firstNotBefore(series: readonly Observation[], timeMs: number): number {
  const first = series.findIndex((observation) => observation.timeMs >= timeMs);
  return first < 0 ? series.length : first;
}
