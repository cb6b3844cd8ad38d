import type { Deps } from '../deps.ts';
import type { PointCollection, Station } from '../series/station-store.ts';
import { medianIntervalHours } from '../series/derived/rain-quality.ts';
import { DAY_MS, HOUR_MS } from '../../base/time.ts';

/**
 * The usual interval between observations is estimated from at most this many stations, and from observations at most
 * this long before the last one [ms].
 */
const STATIONS = 8;
const LATEST_MS = 400 * DAY_MS;
/** Maximum age of the newest observation of a live collection at its ingest [usual intervals] (our choice). */
const LIVE = 10;
/**
 * Time without an observation after which a live collection is silent [usual intervals], and the minimum of this time
 * [ms] (our choice).
 */
const SILENT = 4;
const LEAST_SILENCE_MS = 2 * HOUR_MS;

/** A live collection that has had no new observation for too long. */
export interface SilentCollection {
  readonly collection: PointCollection;
  /** Time of its last observation [ms since the Unix epoch]. */
  readonly lastMs: number;
}

/** Updates the time from which a live collection counts as silent. Does nothing for a historical record. */
export async function updateSilenceDeadline(
  { storage, clock }: Pick<Deps, 'storage' | 'clock'>,
  collection: PointCollection,
  stations: readonly Pick<Station, 'key'>[],
): Promise<void> {
  const content = (await storage.stations.contents([collection.id])).get(collection.id);
  if (content?.lastMs === undefined || content.lastMs === null) return;
  const some = await storage.stations.stationsNamed(
    collection.id,
    stations.slice(0, STATIONS).map(({ key }) => key),
  );
  const read = await storage.stations.read(collection.id, some, content.lastMs - LATEST_MS, Infinity);
  const hours = read
    .map(({ timesMs }) => medianIntervalHours(timesMs))
    .filter((usual) => !Number.isNaN(usual));
  if (hours.length === 0) return;
  const usualMs = hours.toSorted((a, b) => a - b)[hours.length >> 1]! * HOUR_MS;
  if (content.silentAfter === null && clock.now() - content.lastMs > LIVE * usualMs) return;
  const silentAfter = content.lastMs + Math.max(LEAST_SILENCE_MS, SILENT * usualMs);
  await storage.stations.setSilentAfter(collection.id, new Date(silentAfter));
}

/**
 * Lists the live collections that have had no observation for too long. They are reported to the operator, and never
 * cause an anomaly.
 */
export async function silentCollections({
  storage,
  clock,
}: Pick<Deps, 'storage' | 'clock'>): Promise<readonly SilentCollection[]> {
  // Derived collections are left out: a derived collection is silent when its source collection is silent.
  const silent = (await storage.stations.silent(new Date(clock.now()))).filter(
    ({ derivedFrom }) => derivedFrom === undefined,
  );
  const contents = await storage.stations.contents(silent.map(({ id }) => id));
  return silent.flatMap((collection) => {
    const lastMs = contents.get(collection.id)?.lastMs;
    return lastMs === undefined || lastMs === null ? [] : [{ collection, lastMs }];
  });
}
