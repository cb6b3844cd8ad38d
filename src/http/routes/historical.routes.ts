import { perilsOf } from '../../app/series/known-metrics.ts';
import { decodeCursor } from '../../base/cursor.ts';
import { listMetrics } from '../../app/series/list-metrics.ts';
import { readSeries } from '../../app/series/read-series.ts';
import { pageOfSeries } from '../../app/series/series-page.ts';
import * as contract from '../../contract/historical.ts';
import { formatTimestamp } from '../../base/time.ts';
import { nextPage } from './page.ts';
import { route, type RouteContext } from '../route.ts';
import { seriesText } from './series-text.ts';
import { POINTS_PER_UNIT, SERIES_PAGE_POINTS } from '../../contract/limits.ts';

const LIST = { name: 'series', position: ['moment', 'count'] } as const;

/** Number of points above which a series is written in a turn of its own. */
const LONG_SERIES = 1000;

export function historicalRoutes(context: RouteContext): void {
  const { deps, limits, takeTurn, writeAnswer } = context;
  route(context, contract.getHistorical, async ({ storage, principal, query, request, reply }) => {
    const { lat, lng, metric, from, to, limit = SERIES_PAGE_POINTS } = query;
    const after = decodeCursor(LIST.name, LIST.position, query.cursor);
    const series = await readSeries({ ...deps, storage }, principal, { lat, lng, metric, from, to });
    const { points, end } = pageOfSeries(
      series,
      after && { timeMs: Date.parse(after[0]!), given: Number(after[1]) },
      limit,
    );
    await limits.raise(principal, Math.ceil(points.values.length / POINTS_PER_UNIT), reply);
    if (points.values.length > LONG_SERIES) await takeTurn(request);
    const next = end && [formatTimestamp(end.timeMs), String(end.given)];
    writeAnswer(request, reply, seriesText(points, nextPage(LIST, { next }, request, reply)));
    return reply;
  });
  route(context, contract.listMetrics, async ({ storage, principal }) => {
    const metrics = await listMetrics({ storage }, principal);
    return {
      metrics: metrics.map(({ derivedFrom, reachM, range, perils, ...metric }) => ({
        ...metric,
        range: [...range],
        perils: [...perilsOf(perils)],
        derived_from: [...derivedFrom],
        reach_m: reachM,
      })),
    };
  });
}
