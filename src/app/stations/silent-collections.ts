import type { Deps } from '../deps.ts';
import type { PointCollection, Station } from '../series/station-store.ts';
import { usualHours } from '../series/derived/rain-quality.ts';
import { DAY_MS } from '../../base/time.ts';

const HOUR_MS = 3_600_000;
/** Stations, and days of their latest observations, that tell how often there is one. */
const STATIONS = 8;
const LATEST_MS = 400 * DAY_MS;
/** A feed whose latest observation was at most so many of its usual times old when it came is live [1] (ours). */
const LIVE = 10;
/** A live feed is silent when nothing came for so many of its usual times, and two hours at least [1, ms] (ours). */
const SILENT = 4;
const LEAST_SILENCE_MS = 2 * HOUR_MS;

/** A feed that was live, and from which nothing comes any more. */
export interface SilentCollection {
  readonly collection: PointCollection;
  /** Time of its last observation [ms since the Unix epoch]. */
  readonly lastMs: number;
}

/** Notes when the next observation of a feed is missed. A record of the past is not waited for. */
export async function expectNextOf(
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
  const hours = read.map(({ timesMs }) => usualHours(timesMs)).filter((usual) => !Number.isNaN(usual));
  if (hours.length === 0) return;
  const usualMs = hours.toSorted((a, b) => a - b)[hours.length >> 1]! * HOUR_MS;
  if (content.silentAfter === null && clock.now() - content.lastMs > LIVE * usualMs) return;
  const silentAfter = content.lastMs + Math.max(LEAST_SILENCE_MS, SILENT * usualMs);
  await storage.stations.expectUntil(collection.id, new Date(silentAfter));
}

/** Live feeds from which nothing has come for too long: something to tell the operator, and never an anomaly. */
export async function silentCollections({
  storage,
  clock,
}: Pick<Deps, 'storage' | 'clock'>): Promise<readonly SilentCollection[]> {
  // What is computed is as silent as what it is computed from.
  const silent = (await storage.stations.silent(new Date(clock.now()))).filter(
    ({ derivedFrom }) => derivedFrom === undefined,
  );
  const contents = await storage.stations.contents(silent.map(({ id }) => id));
  return silent.flatMap((collection) => {
    const lastMs = contents.get(collection.id)?.lastMs;
    return lastMs === undefined || lastMs === null ? [] : [{ collection, lastMs }];
  });
}
