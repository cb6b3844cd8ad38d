import { bboxesOverlap, type Bbox, coverArcs } from '../../geo/bbox.ts';
import { boxWithin } from '../../geo/nearby.ts';
import type { PointCollection, Station } from '../series/station-store.ts';
import { metricCard } from '../series/metrics.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Stores } from '../storage.ts';

type Place = Pick<Station, 'lng' | 'lat'>;

/** Areas with an active subscription that one of some stations speaks for, those of the collection's readers alone. */
export async function areasSpokenFor(
  { subscriptions }: Pick<Stores, 'subscriptions'>,
  { environment, accountId, metric }: Pick<PointCollection, 'environment' | 'accountId' | 'metric'>,
  stations: readonly Place[],
): Promise<readonly Aoi[]> {
  const { reachM, perils } = metricCard(metric);
  if (stations.length === 0 || perils.length === 0) return [];
  const [west, east] = coverArcs(stations.map(({ lng }) => [lng, lng]));
  const lats = stations.map(({ lat }) => lat);
  const around: Bbox = [
    west,
    lats.reduce((a, b) => Math.min(a, b)),
    east,
    lats.reduce((a, b) => Math.max(a, b)),
  ];
  const found = await subscriptions.activeOver(environment, accountId, boxWithin(around, reachM));
  const areas = new Map(
    found
      .filter(({ subscription }) => subscription.perils.some((peril) => perils.includes(peril)))
      .map(({ aoi }) => [aoi.id, aoi]),
  );
  return [...areas.values()].filter(({ bounds }) => {
    const reached = boxWithin(bounds, reachM);
    return stations.some(({ lng, lat }) => bboxesOverlap(reached, [lng, lat, lng, lat]));
  });
}

/** Queues that the anomalies of every area that one of some stations speaks for are brought up to date. */
export async function queueAnomalyRefresh(
  stores: Pick<Stores, 'subscriptions' | 'jobs'>,
  collection: Pick<PointCollection, 'environment' | 'accountId' | 'metric'>,
  stations: readonly Place[],
): Promise<void> {
  for (const { accountId, environment, id } of await areasSpokenFor(stores, collection, stations))
    await stores.jobs.refreshAnomaliesOnce({ accountId, environment, aoiId: id });
}
