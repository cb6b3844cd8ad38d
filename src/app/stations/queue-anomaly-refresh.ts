import { bboxesOverlap, bboxOfPoints } from '../../geo/bbox.ts';
import { expandBbox } from '../../geo/nearby.ts';
import type { PointCollection, Station } from '../series/station-store.ts';
import { perilsOf } from '../series/known-metrics.ts';
import { metricCard } from '../series/metrics.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Stores } from '../storage.ts';

type Place = Pick<Station, 'lng' | 'lat'>;

/**
 * Finds the areas that are within reach of the given stations, have an active subscription to a peril of the metric,
 * and belong to an account that may read the collection.
 */
export async function subscribedAreasNear(
  { subscriptions }: Pick<Stores, 'subscriptions'>,
  { environment, accountId, metric }: Pick<PointCollection, 'environment' | 'accountId' | 'metric'>,
  stations: readonly Place[],
): Promise<readonly Aoi[]> {
  const { reachM, perils: bySide } = metricCard(metric);
  const perils = perilsOf(bySide);
  if (stations.length === 0 || perils.length === 0) return [];
  const reachable = expandBbox(bboxOfPoints(stations), reachM);
  const found = await subscriptions.activeOver(environment, accountId, reachable);
  const areas = new Map(
    found
      .filter(({ subscription }) => subscription.perils.some((peril) => perils.includes(peril)))
      .map(({ aoi }) => [aoi.id, aoi]),
  );
  return [...areas.values()].filter(({ bounds }) => {
    const reached = expandBbox(bounds, reachM);
    return stations.some(({ lng, lat }) => bboxesOverlap(reached, [lng, lat, lng, lat]));
  });
}

/** Queues an update of the anomalies of every subscribed area within reach of the given stations. */
export async function queueAnomalyRefresh(
  stores: Pick<Stores, 'subscriptions' | 'jobs'>,
  collection: Pick<PointCollection, 'environment' | 'accountId' | 'metric'>,
  stations: readonly Place[],
): Promise<void> {
  for (const { accountId, environment, id } of await subscribedAreasNear(stores, collection, stations))
    await stores.jobs.refreshAnomalies({ accountId, environment, aoiId: id });
}
