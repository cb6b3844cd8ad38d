import type { Deps } from '../deps.ts';
import type { MeasuringStation } from '../series/station-store.ts';
import { refuseUnknownMetric } from '../series/list-metrics.ts';
import { ingestedAs } from '../series/metrics.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import { readBox } from '../place-and-time.ts';

/** Filter of a list of stations. A property that is undefined does not restrict the list. */
export interface StationQuery {
  /** `west,south,east,north` [degrees]. */
  readonly bbox?: string | undefined;
  /** Metric of the stations. Also finds stations whose data were ingested under another name of the metric. */
  readonly metric?: string | undefined;
}

/**
 * Lists the stations that an owner may read, newest first, with one item per station and metric.
 * @throws InvalidInput for an invalid box or an unknown metric
 */
export async function listStations(
  { storage }: Pick<Deps, 'storage'>,
  owner: Owner,
  { bbox, metric }: StationQuery,
  page: PageRequest,
): Promise<Page<MeasuringStation>> {
  const bounds = bbox === undefined ? undefined : readBox(bbox);
  const metrics = metric === undefined ? undefined : ingestedAs(metric);
  const stations = await storage.stations.stationsOf(owner, { bounds, metrics }, page);
  if (metric !== undefined && stations.items.length === 0)
    await refuseUnknownMetric({ storage }, owner, metric);
  return stations;
}
