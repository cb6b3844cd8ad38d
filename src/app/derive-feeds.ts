import type { Deps } from './deps.ts';
import { DERIVATIONS, type Derivation } from './derived-series.ts';
import { expectNextOf } from './feed-silence.ts';
import type { FeedStore, NewStationSeries, PointCollection, Station, StationSeries } from './feed-store.ts';
import { newId } from './ids.ts';
import { metricCard } from './metrics.ts';
import { queueAnomalyRefresh } from './queue-anomaly-refresh.ts';

const STATIONS_AT_ONCE = 50; // whose series are in memory together: 20 years of four daily metrics are 23 MB

/** What was computed of one metric. */
export interface DerivedFeed {
  readonly collection: PointCollection;
  readonly stations: number;
  /** Observations that are new or other than before. */
  readonly added: number;
}

/**
 * Brings what is computed from a metric of a collection up to date at some of its stations, late and corrected values
 * included. A metric that was observed there is never computed. The same again changes nothing.
 */
export async function deriveFeeds(
  deps: Pick<Deps, 'storage' | 'clock'>,
  source: PointCollection,
  keys: readonly string[],
): Promise<readonly DerivedFeed[]> {
  const { environment, accountId, name } = source;
  const derived: DerivedFeed[] = [];
  for (const derivation of DERIVATIONS) {
    const members = await deps.storage.feeds.byName(environment, accountId, name);
    const needs = derivation.needs.map((metrics) =>
      metrics
        .map((metric) => members.find((member) => member.metric === metric))
        .find((member) => member !== undefined),
    );
    if (!needs.some((member) => member?.id === source.id)) continue;
    const sources = needs.filter((member) => member !== undefined);
    const there = members.find(({ metric }) => metric === derivation.metric);
    const rasters = await deps.storage.collections.byName(environment, accountId, name);
    const isTaken = rasters.some(({ metric }) => metric === derivation.metric);
    if (sources.length < needs.length || isTaken || (there !== undefined && there.derivedFrom === undefined))
      continue;
    derived.push(...(await derive(deps, derivation, sources, there, keys)));
  }
  return derived;
}

async function derive(
  deps: Pick<Deps, 'storage' | 'clock'>,
  derivation: Derivation,
  sources: readonly PointCollection[],
  there: PointCollection | undefined,
  keys: readonly string[],
): Promise<readonly DerivedFeed[]> {
  let collection = there;
  let [added, count] = [0, 0];
  const touched: Station[] = [];
  for (let from = 0; from < keys.length; from += STATIONS_AT_ONCE) {
    const series = await computed(
      deps.storage.feeds,
      derivation,
      sources,
      keys.slice(from, from + STATIONS_AT_ONCE),
    );
    if (series.length === 0) continue;
    collection ??= await create(deps, derivation, sources);
    const { id, environment, accountId, metric } = collection;
    added += await deps.storage.transaction(async (stores) => {
      const changed = await stores.feeds.write(id, series);
      if (changed > 0)
        await queueAnomalyRefresh(
          stores,
          { environment, accountId, metric },
          series.map(({ station }) => station),
        );
      return changed;
    });
    count += series.length;
    touched.push(...series.map(({ station }) => station as Station));
  }
  if (collection === undefined || count === 0) return [];
  await expectNextOf(deps, collection, touched);
  return [{ collection, stations: count, added }];
}

/** What is computed at stations that have all that is needed. */
async function computed(
  feeds: FeedStore,
  { derive: compute }: Derivation,
  sources: readonly PointCollection[],
  keys: readonly string[],
): Promise<readonly NewStationSeries[]> {
  const columns: ReadonlyMap<string, StationSeries>[] = [];
  for (const { id } of sources) {
    const series = await feeds.read(id, await feeds.stationsNamed(id, keys), -Infinity, Infinity);
    columns.push(new Map(series.map((one) => [one.station.key, one])));
  }
  return keys.flatMap((key) => {
    const found = columns.map((column) => column.get(key));
    const [first] = found;
    if (first === undefined || found.some((one) => one === undefined || one.timesMs.length === 0)) return [];
    const series = compute(
      found.map((one) => one!),
      first.station,
    );
    const { lng, lat } = first.station;
    return series.timesMs.length === 0 ? [] : [{ station: { key, lng, lat }, ...series }];
  });
}

async function create(
  { storage }: Pick<Deps, 'storage'>,
  { metric }: Derivation,
  sources: readonly PointCollection[],
): Promise<PointCollection> {
  const { environment, accountId, name, bounds } = sources[0]!;
  const collection: PointCollection = {
    id: newId('collection'),
    environment,
    accountId,
    name,
    metric,
    unit: metricCard(metric).unit,
    bounds,
    derivedFrom: sources.map((source) => source.metric),
  };
  await storage.feeds.create(collection);
  return collection;
}
