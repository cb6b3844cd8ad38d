import { InvalidInput, NotFound } from '../../../base/errors.ts';
import { newId } from '../../../base/ids.ts';
import { DAY_MS } from '../../../base/time.ts';
import type { Deps } from '../../deps.ts';
import { deriveSeries } from '../derive-series.ts';
import { ingestPoints, type PointsDeps } from '../ingest-points.ts';
import { type Fetching, withFile } from './fetched-file.ts';
import { type FedStation, PROVIDERS } from './providers.ts';
import type { StationFeed } from './station-feed-store.ts';

/** Maximum number of stations of a feed (our choice): each is asked for by a request of its own. */
const MOST_STATIONS = 1000;
/**
 * How far before the last request a request begins. Provisional values of gauges are corrected within days, and
 * stations that were silent report late (our choice).
 */
const OVERLAP_MS = 7 * DAY_MS;

export type StationFeedDeps = PointsDeps & Fetching & Pick<Deps, 'storage' | 'clock'>;

/** Result of fetching the stations of a feed. */
export interface StationFeedReport {
  /** The stations that were asked for, each with the time of its last success. */
  readonly stations: readonly FedStation[];
  /** Number of observations that were new or corrected. */
  readonly added: number;
  /** Stations that failed, with the reason. */
  readonly problems: readonly { readonly station: string; readonly problem: string }[];
}

/**
 * Adds a feed of stations, which the running service fetches at once and then on its schedule. Places that the series
 * do not have are looked up.
 * @throws InvalidInput when the provider has no such metric, a key has another form, or a station has no known place;
 * UpstreamUnavailable
 */
export async function addStationFeed(
  deps: StationFeedDeps,
  feed: Omit<StationFeed, 'id' | 'nextAt' | 'askedAt' | 'problem' | 'stations'> & {
    readonly keys: readonly string[];
  },
): Promise<string> {
  const { keys, ...rest } = feed;
  const provider = PROVIDERS[feed.provider];
  if (!/^[\w.-]{1,60}$/.test(feed.name))
    throw new InvalidInput(`expected a name of 1 to 60 letters, digits, "_", "." or "-", got ${feed.name}`);
  if (!provider.metrics.includes(feed.metric))
    throw new InvalidInput(
      `--metric: expected one of ${feed.provider}: ${provider.metrics.join(', ')}; got ${feed.metric}`,
    );
  if (keys.length === 0 || keys.length > MOST_STATIONS)
    throw new InvalidInput(`--stations: expected 1 to ${MOST_STATIONS} stations, got ${keys.length}`);
  const odd = keys.find((key) => !provider.key.test(key));
  if (odd !== undefined)
    throw new InvalidInput(`--stations: expected ${provider.keyName} for each station, got ${odd}`);
  const id = newId('stationFeed');
  const stations = await placesOf(deps, feed, [...new Set(keys)]);
  if (!(await deps.storage.stationFeeds.create({ ...rest, id, stations })))
    throw new InvalidInput(`There is a feed of stations ${feed.name} in ${feed.environment} already`);
  return id;
}

async function placesOf(
  deps: StationFeedDeps,
  { provider: name, base }: Pick<StationFeed, 'provider' | 'base'>,
  keys: readonly string[],
): Promise<readonly FedStation[]> {
  const { places, base: own } = PROVIDERS[name];
  if (places === undefined) return keys.map((key) => ({ key }));
  const known = await withFile(deps, places.url(base ?? own, keys), async (path) => {
    const text = await deps.downloads.readText(path);
    try {
      return new Map(places.read(text).map((station) => [station.key, station]));
    } catch (error) {
      throw new InvalidInput(`the stations of ${name} cannot be read: ${(error as Error).message}`, {
        cause: error,
      });
    }
  });
  const lost = keys.filter((key) => !known.has(key));
  if (lost.length > 0)
    throw new InvalidInput(`--stations: ${name} tells no place of ${lost.slice(0, 10).join(', ')}`);
  return keys.map((key) => known.get(key)!);
}

/**
 * Fetches what is new at the stations of a feed, one after the other, and ingests it. A station that fails does not
 * keep the others. Nothing is ingested twice.
 * @param feed leased by the caller
 * @param stop ends the run between two stations
 */
export async function fetchStationFeed(
  deps: StationFeedDeps,
  feed: StationFeed,
  stop: AbortSignal,
): Promise<StationFeedReport> {
  const problems: { station: string; problem: string }[] = [];
  const collections = new Map<string, Parameters<typeof deriveSeries>[1]>();
  const stations: FedStation[] = [];
  let added = 0;
  for (const station of feed.stations) {
    if (stop.aborted) break;
    const takenAt = new Date(deps.clock.now()).toISOString();
    try {
      for (const report of await fetchStation(deps, feed, station)) {
        added += report.added;
        collections.set(report.collection.id, report.collection);
      }
      stations.push({ ...station, takenAt });
    } catch (error) {
      problems.push({ station: station.key, problem: (error as Error).message });
      stations.push(station);
    }
  }
  for (const collection of collections.values()) await deriveSeries(deps, collection);
  return { stations, added, problems };
}

async function fetchStation(
  deps: StationFeedDeps,
  { provider: name, base, metric, startsAt, ...feed }: StationFeed,
  station: FedStation,
) {
  const provider = PROVIDERS[name];
  const toMs = deps.clock.now();
  const { takenAt } = station;
  const sinceMs = takenAt === undefined ? 0 : Date.parse(takenAt) - OVERLAP_MS;
  const fromMs = Math.max(startsAt.getTime(), sinceMs);
  const files = provider.files(base ?? provider.base, station.key, metric, { fromMs, toMs });
  const reports: Awaited<ReturnType<typeof ingestPoints>>[] = [];
  let missing: NotFound | undefined;
  for (const { url, mayMiss } of files) {
    try {
      const report = await withFile(deps, url, async (path) => {
        const { column, unit } = provider.column(await deps.downloads.readText(path), metric);
        if (column === undefined && unit !== undefined) return undefined; // not observed in this period
        const { key, lat, lng } = station;
        const { environment, accountId, name: collection } = feed;
        const file = { path, metric, column, station: key, lat, lng };
        return ingestPoints(deps, { collection, environment, accountId, unit, file }, () => undefined);
      });
      if (report !== undefined) reports.push(report);
    } catch (error) {
      if (!(error instanceof NotFound) || !mayMiss) throw error;
      missing = error;
    }
  }
  if (reports.length === 0)
    throw missing ?? new NotFound(`${name} has no ${metric} of ${station.key} in the period`);
  return reports;
}
