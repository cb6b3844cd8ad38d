import { PERILS, type Peril } from '../../contract/vocabulary.ts';
import { boxWithin } from '../../geo/nearby.ts';
import type { ObservedSeries } from '../../anomaly/judgement.ts';
import { metricLaw } from '../../anomaly/metric-law.ts';
import type { Station } from '../series/station-store.ts';
import { derivableGrids, withoutGaps } from '../series/derived/derived-grids.ts';
import { keptAreaSeries } from '../series/kept-area-series.ts';
import { metricCard, metricsForPeril } from '../series/metrics.ts';
import type { CubeScene, CubeStore } from '../series/cube-store.ts';
import { speakingStations } from '../stations/speaking-stations.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Owner } from '../owner.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';

/** One feed of an area: the mean of a grid over it, or what a station for it measured. */
export interface WatchedSeries {
  readonly collection: Pick<Collection, 'id' | 'name' | 'metric' | 'unit' | 'simulated'>;
  readonly station: Station | null;
  /** Those that it is watched for. */
  readonly perils: readonly Peril[];
  readonly series: ObservedSeries;
  /** Of a grid: how many pixels, and the scene behind each value; none where it is computed from several. */
  readonly pixels: { readonly count: number; readonly scenes: readonly CubeScene[] } | null;
}

/** The feeds of an area that speak for some perils, each once, by metric, collection and station. */
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
  const feeds: WatchedSeries[] = [];
  for (const [metric, watched] of perilsOf) {
    const law = metricLaw(metric);
    for (const collection of await deps.storage.collections.covering(owner, metric, aoi.bounds)) {
      const mean = await keptAreaSeries(deps.cube, collection, aoi);
      if (mean === undefined) continue;
      const { timesMs, values, scenes, pixelCount } = mean;
      const pixels = { count: pixelCount, scenes };
      feeds.push({ collection, station: null, perils: watched, series: { timesMs, values, law }, pixels });
    }
    for (const { collection, derive } of await derivableGrids(deps.storage, owner, metric, aoi.bounds)) {
      const mean = await keptAreaSeries(deps.cube, collection, aoi);
      const known = mean && withoutGaps(mean);
      if (known === undefined || known.values.length === 0) continue;
      feeds.push({
        collection: { ...collection, metric, unit: metricCard(metric).unit },
        station: null,
        perils: watched,
        series: { ...derive(known), law },
        pixels: { count: mean!.pixelCount, scenes: [] },
      });
    }
    const { reachM } = metricCard(metric);
    const around = boxWithin(aoi.bounds, reachM);
    for (const collection of await deps.storage.stations.covering(owner, metric, around)) {
      const there = await deps.storage.stations.stations(collection.id, around);
      const speaking = speakingStations(aoi, there, reachM);
      for (const { station, timesMs, values } of await deps.storage.stations.read(
        collection.id,
        speaking,
        Number.NEGATIVE_INFINITY,
        Number.POSITIVE_INFINITY,
      ))
        feeds.push({ collection, station, perils: watched, series: { timesMs, values, law }, pixels: null });
    }
  }
  return feeds;
}
