import { type Bbox, fromGeoJsonBbox } from '../geo/bbox.ts';
import type { Deps } from './deps.ts';
import { InvalidInput } from './errors.ts';
import type { MeasuringStation } from './feed-store.ts';
import { isSimulated } from './simulated.ts';
import type { Owner, Page, PageRequest } from './stores.ts';

/** Which stations are asked for; what is absent does not narrow. */
export interface StationQuery {
  /** `west,south,east,north` [degrees]. */
  readonly bbox?: string | undefined;
  readonly metric?: string | undefined;
}

/**
 * A page of the stations that an owner may read, newest first, one for each of their metrics.
 * @throws InvalidInput for a box that is none
 */
export async function listStations(
  { storage }: Pick<Deps, 'storage'>,
  owner: Owner,
  { bbox, metric }: StationQuery,
  page: PageRequest,
): Promise<Page<MeasuringStation & { readonly simulated: boolean }>> {
  const bounds = bbox === undefined ? undefined : parseBox(bbox);
  const { items, next } = await storage.feeds.stationsOf(owner, { bounds, metric }, page);
  return {
    items: items.map((station) => ({
      ...station,
      simulated: isSimulated({ name: station.collection }),
    })),
    next,
  };
}

/** As JSON writes numbers: `Number` alone takes an empty text for 0, and `0x10` for 16. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function parseBox(text: string): Bbox {
  const numbers = text.split(',').map((part) => (NUMBER.test(part) ? Number(part) : Number.NaN));
  try {
    return fromGeoJsonBbox(numbers);
  } catch (cause) {
    throw new InvalidInput(`bbox: ${(cause as Error).message}; got ${JSON.stringify(text)}`, {
      param: 'bbox',
      cause,
    });
  }
}
