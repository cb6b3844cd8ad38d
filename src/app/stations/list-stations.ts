import { type Bbox, fromGeoJsonBbox } from '../../geo/bbox.ts';
import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { MeasuringStation } from '../series/station-store.ts';
import { refuseUnknownMetric } from '../series/list-metrics.ts';
import { ingestedAs } from '../series/metrics.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

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
  const bounds = bbox === undefined ? undefined : parseBox(bbox);
  const metrics = metric === undefined ? undefined : ingestedAs(metric);
  const stations = await storage.stations.stationsOf(owner, { bounds, metrics }, page);
  if (metric !== undefined && stations.items.length === 0)
    await refuseUnknownMetric({ storage }, owner, metric);
  return stations;
}

/** Numbers as in JSON: `Number` alone would accept an empty text as 0, and `0x10` as 16. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function parseBox(text: string): Bbox {
  const parts = text.split(',');
  if (parts.length !== 4 || !parts.every((part) => NUMBER.test(part)))
    throw new InvalidInput(`bbox: expected four numbers west,south,east,north; got ${JSON.stringify(text)}`, {
      param: 'bbox',
    });
  try {
    return fromGeoJsonBbox(parts.map(Number));
  } catch (cause) {
    throw new InvalidInput(`bbox: ${(cause as Error).message}`, { param: 'bbox', cause });
  }
}
