import type { Deps } from '../deps.ts';
import { DERIVATIONS, type Derivation } from '../series/derived/derived-series.ts';
import { updateSilenceDeadline } from './silent-collections.ts';
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

const STATIONS_AT_ONCE = 50; // maximum number in memory: 23 MB for 20 years of four daily metrics

/** The result of deriving one metric. */
export interface DerivedPoints {
  readonly collection: PointCollection;
  readonly stations: number;
  /** Number of new or changed values. */
  readonly added: number;
}

type DeriveDeps = Pick<Deps, 'storage' | 'clock'>;

/**
 * Updates the series derived from one metric of a collection, including the effects of late and corrected values. A
 * metric that was ingested into the collection is never derived. Deriving again changes nothing.
 * @param keys keys of the stations; undefined: all stations marked for derivation because of new observations
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
      const marks = await deps.storage.stations.derivationMarks(source.id, STATIONS_AT_ONCE);
      if (marks.length === 0) break;
      await deriveAt(
        deps,
        source,
        targets,
        marks.map(({ key }) => key),
      );
      await deps.storage.transaction(async (stores) => {
        await stores.collections.lock(source.id); // every writer locks the collection first
        await stores.stations.removeMarks(source.id, marks);
      });
    }
  const derived: DerivedPoints[] = [];
  for (const { collection, stations, added } of targets.values()) {
    if (stations.length === 0) continue;
    await updateSilenceDeadline(deps, collection, stations);
    derived.push({ collection, stations: stations.length, added });
  }
  return derived;
}

/** A collection of a derived metric: the stations whose series were derived so far, and the number of values added. */
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
      // The lock makes concurrent derivations run one after another. Thus only one of them creates the collection, and
      // each sees all observations that an earlier derivation wrote.
      await stores.collections.lock((there ?? sources[0]!).id);
      const known =
        targets.get(metric)?.collection ?? there ?? (await findDerived(stores, derivation, source));
      if (known !== undefined && there === undefined) await stores.collections.lock(known.id);
      const series = await computeSeries(stores.stations, derivation, sources, keys);
      if (series.length === 0) return;
      const collection = known ?? (await createDerived(stores, derivation, sources));
      const target = targets.get(metric) ?? { collection, stations: [], added: 0 };
      target.added += await writePoints(stores, collection, series);
      target.stations.push(...series.map(({ station }) => station));
      targets.set(metric, target);
    });
  }
}

/** Finds the collection of a derived metric. */
async function findDerived(
  { stations: store }: Pick<Stores, 'stations'>,
  { metric }: Derivation,
  { environment, accountId, name }: PointCollection,
): Promise<PointCollection | undefined> {
  return (await store.byName(environment, accountId, name)).find((member) => member.metric === metric);
}

/** Computes the series of the stations that have all needed metrics. */
async function computeSeries(
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

async function createDerived(
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
