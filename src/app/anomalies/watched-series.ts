import { PERILS, type Peril } from '../../contract/vocabulary.ts';
import { expandBbox } from '../../geo/nearby.ts';
import type { ObservedSeries } from '../../anomaly/judgement.ts';
import { metricLaw } from '../../anomaly/metric-law.ts';
import type { Station } from '../series/station-store.ts';
import { derivableGrids, withoutGaps } from '../series/derived/derived-grids.ts';
import { cachedAreaSeries } from '../series/cached-area-series.ts';
import { metricCard, metricsForPeril } from '../series/metrics.ts';
import type { CubeScene, CubeStore } from '../series/cube-store.ts';
import { stationsForArea } from '../stations/area-stations.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Owner } from '../owner.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';

/** One series watched for an area: the mean of a grid over the area, or the measurements of a station. */
export interface WatchedSeries {
  readonly collection: Pick<Collection, 'id' | 'name' | 'metric' | 'unit' | 'simulated'>;
  readonly station: Station | null;
  /** Perils for which the series is watched. */
  readonly perils: readonly Peril[];
  readonly series: ObservedSeries;
  /**
   * For a grid: the number of pixels in the mean, and the scene of each value (`scenes` is empty for a derived series).
   * Null for a station.
   */
  readonly pixels: { readonly count: number; readonly scenes: readonly CubeScene[] } | null;
}

/** Reads all series of an area whose metrics belong to the given perils, each series once. */
export async function watchedSeries(
  deps: { readonly storage: Pick<Stores, 'collections' | 'stations'>; readonly cube: CubeStore },
  owner: Owner,
  aoi: Aoi,
  perils: ReadonlySet<Peril>,
): Promise<readonly WatchedSeries[]> {
  const perilsOf = new Map<string, Peril[]>();
  for (const peril of PERILS) {
    if (!perils.has(peril)) continue;
    for (const metric of metricsForPeril(peril))
      perilsOf.set(metric, [...(perilsOf.get(metric) ?? []), peril]);
  }
  const found: WatchedSeries[] = [];
  for (const [metric, watched] of perilsOf) {
    const law = metricLaw(metric);
    for (const collection of await deps.storage.collections.covering(owner, metric, aoi.bounds)) {
      const mean = await cachedAreaSeries(deps.cube, collection, aoi);
      if (mean === undefined) continue;
      const { timesMs, values, scenes, pixelCount } = mean;
      const pixels = { count: pixelCount, scenes };
      found.push({ collection, station: null, perils: watched, series: { timesMs, values, law }, pixels });
    }
    for (const { collection, derive } of await derivableGrids(deps.storage, owner, metric, aoi.bounds)) {
      const mean = await cachedAreaSeries(deps.cube, collection, aoi);
      const known = mean && withoutGaps(mean);
      if (known === undefined || known.values.length === 0) continue;
      found.push({
        collection: { ...collection, metric, unit: metricCard(metric).unit },
        station: null,
        perils: watched,
        series: { ...derive(known), law },
        pixels: { count: mean!.pixelCount, scenes: [] },
      });
    }
    const { reachM } = metricCard(metric);
    const around = expandBbox(aoi.bounds, reachM);
    for (const collection of await deps.storage.stations.covering(owner, metric, around)) {
      const there = await deps.storage.stations.stations(collection.id, around);
      const chosen = stationsForArea(aoi, there, reachM);
      for (const { station, timesMs, values } of await deps.storage.stations.read(
        collection.id,
        chosen,
        Number.NEGATIVE_INFINITY,
        Number.POSITIVE_INFINITY,
      ))
        found.push({ collection, station, perils: watched, series: { timesMs, values, law }, pixels: null });
    }
  }
  return found;
}
