import { gridBbox } from '../../src/geo/pixel-outline.ts';
import { metricLaw } from '../../src/anomaly/metric-law.ts';
import { stationSeries } from '../../src/sandbox/stations.ts';
import { SANDBOX_GRID } from '../../src/sandbox/terrain.ts';
import type { World } from '../../src/sandbox/world.ts';
import { DERIVATIONS } from '../../src/app/series/derived/derived-series.ts';
import { perilsOf } from '../../src/app/series/known-metrics.ts';
import { metricCard } from '../../src/app/series/metrics.ts';
import type { TimeSeries } from '../../src/app/series/time-series.ts';
import type { SeenAnomaly } from '../../src/app/sandbox/truth/anomalies.ts';
import { detectAnomalies } from '../fixtures/detect-anomalies.ts';

/**
 * Detects the anomalies of one area that covers the whole simulated region. The input is the series of the stations
 * before the day `until`, and the series derived from them. Needs no database.
 */
export function stationAnomalies(world: World, until: number): readonly SeenAnomaly[] {
  const area = { id: 'aoi_1' as const, bounds: gridBbox(SANDBOX_GRID) };
  const watched = [...Map.groupBy(stationSeries(world, 0, until), ({ key }) => key)]
    .flatMap(([key, reported]) => {
      const { lng, lat } = reported[0]!;
      const station = { id: key, key, lng, lat };
      const computed = DERIVATIONS.flatMap(({ metric, needs, derive }) => {
        const sources = needs.map((metrics) => reported.find((one) => metrics.includes(one.metric)));
        return sources.some((source) => source === undefined)
          ? []
          : [{ metric, ...derive(sources as readonly TimeSeries[], station) }];
      });
      return [...reported, ...computed].map(({ metric, timesMs, values }) => ({
        metric,
        station,
        series: { timesMs, values, law: metricLaw(metric) },
      }));
    })
    .filter(({ metric }) => perilsOf(metricCard(metric).perils).length > 0);
  const found = detectAnomalies(watched.map(({ series }) => series));
  return watched.flatMap(({ metric, station, series: { timesMs } }, f) =>
    found[f]!.episodes.filter(
      ({ residual }) => metricCard(metric).perils[residual > 0 ? 'above' : 'below'].length > 0,
    ).map(({ severity, residual, startIndex, endIndex }) => ({
      collectionId: `col_${metric}` as const,
      station,
      metric,
      severity,
      residual,
      startedAt: new Date(timesMs[startIndex]!),
      endedAt: endIndex === null ? null : new Date(timesMs[endIndex]!),
      area,
    })),
  );
}
