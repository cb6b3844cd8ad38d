import { decodeCursor } from '../app/cursor.ts';
import { KNOWN_METRICS, metricCard } from '../app/metrics.ts';
import { readSeries } from '../app/read-series.ts';
import * as contract from '../contract/historical.ts';
import { formatDay, formatTimestamp } from '../contract/time.ts';
import { nextPage } from './page.ts';
import { route, type RouteContext } from './route.ts';

const LIST = { name: 'series', position: ['moment'] } as const;
const POINTS_PER_UNIT = 1000; // contract.md "Rate limits"

export function historicalRoutes(context: RouteContext): void {
  const { deps, limits } = context;
  route(context, contract.getHistorical, async ({ principal, query, request, reply }) => {
    const { lat, lng, metric, from, to } = query;
    const series = await readSeries(deps, principal, { lat, lng, metric, from, to });
    // A position is a time, not a count: a scene that arrives late in the past shifts nothing.
    const after = decodeCursor(LIST.name, LIST.position, query.cursor);
    const afterMs = after === undefined ? -Infinity : Date.parse(after[0]!);
    const first = series.findIndex(({ timeMs }) => timeMs > afterMs);
    if (first < 0) return { series: [] };
    const page = series.slice(first, first + (query.limit ?? contract.MAX_SERIES_POINTS));
    const units = Math.ceil(page.length / POINTS_PER_UNIT) - 1;
    if (units > 0) limits.charge(principal, units, reply);
    const more = first + page.length < series.length;
    return {
      series: page.map(({ timeMs, value }) => ({ t: formatDay(timeMs), v: value })),
      ...nextPage(LIST, { next: more ? [formatTimestamp(page.at(-1)!.timeMs)] : undefined }, request, reply),
    };
  });
  route(context, contract.listMetrics, async ({ principal }) => {
    const held = await deps.storage.collections.countByMetric(principal);
    const keys = new Set([...KNOWN_METRICS.map(({ key }) => key), ...[...held.keys()].toSorted()]);
    return {
      metrics: [...keys].map((key) => ({ ...metricCard(key), collections: held.get(key) ?? 0 })),
    };
  });
}
