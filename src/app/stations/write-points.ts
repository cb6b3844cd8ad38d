import { isDerivationSource } from '../series/derived/derived-series.ts';
import type { NewStationSeries, PointCollection } from '../series/station-store.ts';
import { queueAnomalyRefresh } from './queue-anomaly-refresh.ts';
import type { Stores } from '../storage.ts';

/**
 * Writes observations of a collection. In the same transaction it queues the derivation of metrics and the refresh
 * of anomalies in the areas within reach, so that both happen even after a crash.
 * @returns the number of new or changed observations
 */
export async function writePoints(
  stores: Pick<Stores, 'stations' | 'subscriptions' | 'jobs'>,
  collection: PointCollection,
  series: readonly NewStationSeries[],
): Promise<number> {
  const changed = await stores.stations.write(collection.id, series);
  if (changed === 0) return 0;
  const stations = series.map(({ station }) => station);
  if (isDerivationSource(collection.metric)) {
    await stores.stations.markForDerivation(
      collection.id,
      stations.map(({ key }) => key),
    );
    await stores.jobs.deriveSeries({ collectionId: collection.id });
  }
  await queueAnomalyRefresh(stores, collection, stations);
  return changed;
}
