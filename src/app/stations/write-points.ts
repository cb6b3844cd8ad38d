import { isDerivedFrom } from '../series/derived/derived-series.ts';
import type { NewStationSeries, PointCollection } from '../series/station-store.ts';
import { queueAnomalyRefresh } from './queue-anomaly-refresh.ts';
import type { Stores } from '../storage.ts';

/**
 * Writes observations of a collection and, in the same transaction, that the metrics computed from them and the anomalies
 * of the areas they speak for have to follow: whatever happens next, both come. Answers how many were new or changed.
 */
export async function writePoints(
  stores: Pick<Stores, 'stations' | 'subscriptions' | 'jobs'>,
  collection: PointCollection,
  series: readonly NewStationSeries[],
): Promise<number> {
  const changed = await stores.stations.write(collection.id, series);
  if (changed === 0) return 0;
  const stations = series.map(({ station }) => station);
  if (isDerivedFrom(collection.metric)) {
    await stores.stations.markUnderived(
      collection.id,
      stations.map(({ key }) => key),
    );
    await stores.jobs.deriveSeries({ collectionId: collection.id });
  }
  await queueAnomalyRefresh(stores, collection, stations);
  return changed;
}
