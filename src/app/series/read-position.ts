import { InvalidInput } from '../../base/errors.ts';
import { formatTimestamp } from '../../base/time.ts';
import { SERIES_PAGE_POINTS, whole } from '../../contract/limits.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import type { PlaceAndTime } from '../place-and-time.ts';
import type { MetricCard } from './known-metrics.ts';
import { listMetrics } from './list-metrics.ts';
import { readSeries } from './read-series.ts';
import type { TimeSeries } from './time-series.ts';

/** Maximum number of metrics in one answer. */
const MOST_METRICS = 20;
/** Range to which times are limited: that of the years of four digits [ms since the Unix epoch]. */
const [FIRST_MS, LAST_MS] = [Date.parse('0001-01-01'), Date.parse('9999-12-31')];

const NUMBER = String.raw`(-?\d{1,3}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?)`;
const POINT = new RegExp(String.raw`^\s*POINT\s*\(\s*${NUMBER}\s+${NUMBER}\s*\)\s*$`, 'i');

/** Reads a position in well-known text: longitude, then latitude. @throws InvalidInput that names `coords` */
export function readPoint(text: string): { readonly lng: number; readonly lat: number } {
  const [lng, lat] = (POINT.exec(text) ?? []).slice(1).map(Number);
  if (lng === undefined || lat === undefined || Math.abs(lng) > 180 || Math.abs(lat) > 90)
    throw new InvalidInput(
      `coords: expected POINT(longitude latitude) in degrees, such as POINT(14.5 46.05); got ${JSON.stringify(text.slice(0, 60))}`,
      { param: 'coords' },
    );
  return { lng, lat };
}

/** The series of one metric at a place. */
export interface PositionSeries {
  readonly metric: MetricCard;
  readonly series: TimeSeries;
}

/**
 * Reads the series of several metrics at a place, those without an observation left out.
 * @param names keys of metrics, separated by commas; undefined: all of which there is a collection
 * @throws InvalidInput for an unknown metric, too many metrics, or more observations than one answer holds
 */
export async function readPosition(
  deps: Pick<Deps, 'storage' | 'cube' | 'clock'>,
  owner: Owner,
  place: { readonly lng: number; readonly lat: number },
  names: string | undefined,
  { fromMs, toMs }: PlaceAndTime,
): Promise<readonly PositionSeries[]> {
  const metrics = await askedMetrics(deps, owner, names);
  const textOf = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : formatTimestamp(Math.min(Math.max(ms, FIRST_MS), LAST_MS));
  const span = { from: textOf(fromMs), to: textOf(toMs === undefined ? undefined : toMs + 1) };
  const found: PositionSeries[] = [];
  let points = 0;
  for (const metric of metrics) {
    const series = await readSeries(deps, owner, { ...place, metric: metric.key, ...span });
    points += series.values.length;
    if (points > SERIES_PAGE_POINTS)
      throw new InvalidInput(
        `datetime: expected a span with at most ${whole(SERIES_PAGE_POINTS)} observations; there are more`,
        { param: 'datetime' },
      );
    if (series.values.length > 0) found.push({ metric, series });
  }
  return found;
}

async function askedMetrics(
  deps: Pick<Deps, 'storage'>,
  owner: Owner,
  names: string | undefined,
): Promise<readonly MetricCard[]> {
  const known = await listMetrics(deps, owner);
  const refuse = (expected: string, got: string): never => {
    throw new InvalidInput(`parameter-name: expected ${expected}; got ${got}`, { param: 'parameter-name' });
  };
  const asked =
    names === undefined
      ? known.filter(({ collections }) => collections > 0)
      : [...new Set(names.split(','))].map(
          (name) =>
            known.find(({ key }) => key === name) ??
            refuse(`keys of GET /v1/metrics, separated by commas`, JSON.stringify(name.slice(0, 60))),
        );
  if (asked.length > MOST_METRICS) refuse(`at most ${MOST_METRICS} metrics`, String(asked.length));
  return asked;
}
