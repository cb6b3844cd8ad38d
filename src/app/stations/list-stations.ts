import { type Bbox, fromGeoJsonBbox } from '../../geo/bbox.ts';
import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { MeasuringStation } from '../series/station-store.ts';
import { refuseUnknownMetric } from '../series/list-metrics.ts';
import { ingestedAs } from '../series/metrics.ts';
import type { Owner, Page, PageRequest } from '../owner.ts';

/** Which stations are asked for; what is absent does not narrow. */
export interface StationQuery {
  /** `west,south,east,north` [degrees]. */
  readonly bbox?: string | undefined;
  /** What was ingested under another name of it is found, too. */
  readonly metric?: string | undefined;
}

/**
 * A page of the stations that an owner may read, newest first, one for each of their metrics.
 * @throws InvalidInput for a box that is none, or a metric that nobody knows
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

/** As JSON writes numbers: `Number` alone takes an empty text for 0, and `0x10` for 16. */
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
