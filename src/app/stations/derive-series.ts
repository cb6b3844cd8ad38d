import type { Deps } from '../deps.ts';
import { DERIVATIONS, type Derivation } from '../series/derived/derived-series.ts';
import { expectNextOf } from './silent-stations.ts';
import type {
  StationStore,
  NewStationSeries,
  PointCollection,
  StationSeries,
} from '../series/station-store.ts';
import { newId } from '../../base/ids.ts';
import { metricCard } from '../series/metrics.ts';
import type { Stores } from '../storage.ts';
import { writePoints } from './write-points.ts';

const STATIONS_AT_ONCE = 50; // whose series are in memory together: 20 years of four daily metrics are 23 MB

/** What was computed of one metric. */
export interface DerivedPoints {
  readonly collection: PointCollection;
  readonly stations: number;
  /** Observations that are new or other than before. */
  readonly added: number;
}

type DeriveDeps = Pick<Deps, 'storage' | 'clock'>;

/**
 * Brings what is computed from a metric of a collection up to date, late and corrected values included. A metric that was
 * observed there is never computed. The same again changes nothing.
 * @param keys stations to look at; absent: all of which something was written since this was done last, by whomever
 */
export async function deriveSeries(
  deps: DeriveDeps,
  source: PointCollection,
  keys?: readonly string[],
): Promise<readonly DerivedPoints[]> {
  const targets = new Map<string, Target>();
  if (keys !== undefined)
    for (let from = 0; from < keys.length; from += STATIONS_AT_ONCE)
      await deriveAt(deps, source, targets, keys.slice(from, from + STATIONS_AT_ONCE));
  else
    for (;;) {
      const marks = await deps.storage.stations.underived(source.id, STATIONS_AT_ONCE);
      if (marks.length === 0) break;
      await deriveAt(
        deps,
        source,
        targets,
        marks.map(({ key }) => key),
      );
      await deps.storage.transaction(async (stores) => {
        await stores.collections.lock(source.id); // whoever writes there locks it first
        await stores.stations.settle(source.id, marks);
      });
    }
  const derived: DerivedPoints[] = [];
  for (const { collection, stations, added } of targets.values()) {
    if (stations.length === 0) continue;
    await expectNextOf(deps, collection, stations);
    derived.push({ collection, stations: stations.length, added });
  }
  return derived;
}

/** A computed metric of a collection, and what was done of it. */
interface Target {
  readonly collection: PointCollection;
  readonly stations: NewStationSeries['station'][];
  added: number;
}

async function deriveAt(
  deps: DeriveDeps,
  source: PointCollection,
  targets: Map<string, Target>,
  keys: readonly string[],
): Promise<void> {
  const { environment, accountId, name } = source;
  const members = await deps.storage.stations.byName(environment, accountId, name);
  const rasters = await deps.storage.collections.byName(environment, accountId, name);
  for (const derivation of DERIVATIONS) {
    const { metric } = derivation;
    const needs = derivation.needs.map((metrics) =>
      metrics
        .map((need) => members.find((member) => member.metric === need))
        .find((member) => member !== undefined),
    );
    if (!needs.some((member) => member?.id === source.id)) continue;
    const sources = needs.filter((member) => member !== undefined);
    const there = members.find((member) => member.metric === metric);
    const isTaken =
      rasters.some((raster) => raster.metric === metric) ||
      (there !== undefined && there.derivedFrom === undefined);
    if (sources.length < needs.length || isTaken) continue;
    await deps.storage.transaction(async (stores) => {
      // Of two at once the later sees what the earlier saw, and more; and of two that would make it only one does.
      await stores.collections.lock((there ?? sources[0]!).id);
      const known = targets.get(metric)?.collection ?? there ?? (await made(stores, derivation, source));
      if (known !== undefined && there === undefined) await stores.collections.lock(known.id);
      const series = await computed(stores.stations, derivation, sources, keys);
      if (series.length === 0) return;
      const collection = known ?? (await create(stores, derivation, sources));
      const target = targets.get(metric) ?? { collection, stations: [], added: 0 };
      target.added += await writePoints(stores, collection, series);
      target.stations.push(...series.map(({ station }) => station));
      targets.set(metric, target);
    });
  }
}

/** The collection of a computed metric, as it stands now. */
async function made(
  { stations: store }: Pick<Stores, 'stations'>,
  { metric }: Derivation,
  { environment, accountId, name }: PointCollection,
): Promise<PointCollection | undefined> {
  return (await store.byName(environment, accountId, name)).find((member) => member.metric === metric);
}

/** What is computed at stations that have all that is needed. */
async function computed(
  store: StationStore,
  { derive: compute }: Derivation,
  sources: readonly PointCollection[],
  keys: readonly string[],
): Promise<readonly NewStationSeries[]> {
  const columns: ReadonlyMap<string, StationSeries>[] = [];
  for (const { id } of sources) {
    const series = await store.read(id, await store.stationsNamed(id, keys), -Infinity, Infinity);
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
  { stations: store }: Pick<Stores, 'stations'>,
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
    ...(sources[0]!.simulated && { simulated: true as const }),
    bounds,
    derivedFrom: sources.map((source) => source.metric),
  };
  await store.create(collection);
  return collection;
}
