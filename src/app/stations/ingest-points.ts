import { refuseMixing } from '../series/simulated-collection.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { coverArcs } from '../../geo/bbox.ts';
import { distanceM } from '../../geo/nearby.ts';
import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import { expectNextOf } from './silent-stations.ts';
import type { NewStationSeries, PointCollection, Station } from '../series/station-store.ts';
import { newId } from '../../base/ids.ts';
import { isMetricKey, metricCard } from '../series/metrics.ts';
import { ObservationRules } from './observation-rules.ts';
import type { PointFile, PointsReader, PointsRequest } from './points-source.ts';
import type { Environment } from '../owner.ts';
import { type DoubtfulObservation, withoutDoubtfulRain } from './rain-check.ts';
import { type Conflict, type OrderedSeries, SeriesBuffer } from './series-buffer.ts';
import { conversionTo, unitOfName } from '../series/units.ts';
import { writePoints } from './write-points.ts';

/** What is held in memory at once. */
export interface IngestLimits {
  /** Observations that are put in order; a longer file has to be in order. */
  readonly sorted: number;
  /** Observations written in one transaction. */
  readonly written: number;
}

/** Some 100 MB, whatever the length of the file (ours). */
const LIMITS: IngestLimits = { sorted: 2_000_000, written: 500_000 };
const STATIONS_AT_ONCE = 5000;
/** A station that is this far from where it stood before is another [m] (ours). */
const MOVED_M = 100;
/** Doubtful observations that a report names. */
const MOST_NAMED = 100;

/** Observations at stations to take in, as the command line names them. */
export interface PointsIngest {
  readonly collection: string;
  readonly environment: Environment;
  /** Owner of the collection; null: it serves every account of the environment. */
  readonly accountId: string | null;
  readonly file: PointsRequest;
  /** Unit of the values; undefined: what the file or the name of its column says, else the metric's. */
  readonly unit?: string | undefined;
  /** Before the unit: value = written * scale + offset; 1 and 0 unless told. */
  readonly scale?: number;
  readonly offset?: number;
  /** A number that means "nothing observed", besides the usual. */
  readonly nodata?: number | undefined;
  /** Whether values out of the metric's range are left out; else the file is refused. */
  readonly dropOutside?: boolean;
  /** Whether values that quality control doubts are stored as if it did not. */
  readonly keepDoubtful?: boolean;
}

/** What an ingest did. */
export interface PointsReport {
  readonly collection: PointCollection;
  /** What the file was taken for. */
  readonly form: string;
  readonly column: string | undefined;
  /** Unit that its values were read in. */
  readonly unit: string;
  readonly stations: readonly Omit<Station, 'id'>[];
  /** Observations that the file has, those left out not counted, and how many of them were new or corrected. */
  readonly observations: number;
  readonly added: number;
  /** Lowest and highest of them, in the metric's unit: a wrong unit shows here. */
  readonly range: readonly [lowest: number, highest: number];
  /** Places without a value, with a code for none, and with one out of range. */
  readonly gaps: { readonly empty: number; readonly coded: number; readonly outside: number };
  readonly doubtful: { readonly count: number; readonly first: readonly DoubtfulObservation[] };
}

export type PointsDeps = Pick<Deps, 'storage' | 'clock'> & { readonly points: PointsReader };

/**
 * Takes in a file of observations at stations. What cannot be used is refused before anything is written; the same
 * file again adds nothing; after a crash the same command goes on. A file of more than two million observations is read
 * twice and never held, and has to be in the order of time.
 * @throws InvalidInput naming the file, the line and the column, and what is wrong there
 */
export async function ingestPoints(
  deps: PointsDeps,
  input: PointsIngest,
  progress: (observations: number) => void,
  limits: IngestLimits = LIMITS,
): Promise<PointsReport> {
  const { metric } = input.file;
  checkNames(input);
  const file = await deps.points.open(input.file);
  const given =
    input.unit ?? file.unit ?? (file.column === undefined ? undefined : unitOfName(metric, file.column));
  const { unit, convert } = conversionTo(metric, given ?? metricCard(metric).unit);
  const rules = new ObservationRules({ scale: 1, offset: 0, dropOutside: false, ...input, metric, convert });
  await findCollection(deps, input, unit); // refuses before the file is read
  const checked = await checkFile(file, rules, limits);
  if (checked.count === 0)
    throw new InvalidInput(
      `${file.name} has no observation: ${rules.empty} places are empty, ${rules.coded} hold a code for none`,
      {
        param: 'file',
      },
    );
  const collection = await collectionFor(deps, input, unit, file);
  const doubtful: DoubtfulObservation[] = [];
  const totals = { added: 0, doubtful: 0, done: 0 };
  const write = async (series: readonly OrderedSeries[]): Promise<void> => {
    const named = series.map((one): NewStationSeries => ({ ...one, station: file.stations[one.station]! }));
    const { kept, doubts } =
      metric === 'precipitation' && !input.keepDoubtful
        ? await withoutDoubtfulRain(deps.storage.stations, collection, named)
        : { kept: named, doubts: [] };
    totals.doubtful += doubts.length;
    doubtful.push(...doubts.slice(0, MOST_NAMED - doubtful.length));
    for (const group of groupsOf(kept, limits)) {
      totals.added += await deps.storage.transaction((stores) => writePoints(stores, collection, group));
      progress((totals.done += group.reduce((sum, { timesMs }) => sum + timesMs.length, 0)));
    }
  };
  if (checked.series !== undefined) await write(checked.series);
  else await writeInOrder(file, rules, limits, metric === 'precipitation', write);
  await expectNextOf(deps, collection, file.stations);
  return {
    collection,
    form: file.form,
    column: file.column,
    unit: given ?? unit,
    stations: file.stations,
    observations: checked.count,
    added: totals.added,
    range: [rules.lowest, rules.highest],
    gaps: { empty: rules.empty, coded: rules.coded, outside: rules.outside },
    doubtful: { count: totals.doubtful, first: doubtful },
  };
}

function checkNames({ collection, file, scale }: PointsIngest): void {
  if (!/^[\w.-]{1,100}$/.test(collection))
    throw new InvalidInput(
      `--collection: expected 1 to 100 letters, digits, ".", "_" or "-", got ${JSON.stringify(collection)}`,
      { param: 'collection' },
    );
  if (!isMetricKey(file.metric))
    throw new InvalidInput(
      `--metric: expected a key such as temperature (lower case letters, digits, "_"), got ${JSON.stringify(file.metric)}`,
      { param: 'metric' },
    );
  if (scale === 0) throw new InvalidInput('--scale: expected a number other than 0', { param: 'scale' });
}

/** The collection of that name and metric, if there is one. @throws InvalidInput when nothing can be added to it */
async function findCollection(
  { storage }: Pick<Deps, 'storage'>,
  { environment, accountId, collection: name, file: { metric } }: PointsIngest,
  unit: string,
): Promise<PointCollection | undefined> {
  const rasters = await storage.collections.byName(environment, accountId, name);
  if (rasters.some((raster) => raster.metric === metric))
    throw new InvalidInput(
      `The collection ${name} has ${metric} as images; expected another --collection for stations`,
      {
        param: 'collection',
      },
    );
  const points = await storage.stations.byName(environment, accountId, name);
  const there = points.find((collection) => collection.metric === metric);
  refuseMixing(name, [...rasters, ...points], undefined);
  if (there?.derivedFrom !== undefined)
    throw new InvalidInput(
      `The collection ${name} computes ${metric} from ${there.derivedFrom.join(', ')}; expected another --collection for ${metric} as observed`,
      { param: 'collection' },
    );
  if (there !== undefined && there.unit !== unit)
    throw new InvalidInput(`The collection ${name} has ${metric} in ${there.unit}, this file in ${unit}`, {
      param: 'unit',
    });
  return there;
}

/**
 * The collection that a file goes into, made unless it is there: of two ingests at once, the slower finds the other's.
 * @throws InvalidInput as `findCollection` and `checkPlaces` do
 */
async function collectionFor(
  deps: Pick<Deps, 'storage'>,
  input: PointsIngest,
  unit: string,
  file: PointFile,
): Promise<PointCollection> {
  for (;;) {
    const there = await findCollection(deps, input, unit);
    await checkPlaces(deps, file, there);
    if (there !== undefined) return there;
    const fresh = newCollection(input, unit, file.stations);
    if (await deps.storage.stations.create(fresh)) return fresh;
  }
}

function newCollection(
  { environment, accountId, collection: name, file: { metric } }: PointsIngest,
  unit: string,
  stations: readonly Omit<Station, 'id'>[],
): PointCollection {
  const lats = stations.map(({ lat }) => lat);
  const [west, east] = coverArcs(stations.map(({ lng }) => [lng, lng]));
  const least = lats.reduce((a, b) => Math.min(a, b));
  const bounds: Bbox = [west, least, east, lats.reduce((a, b) => Math.max(a, b))];
  return { id: newId('collection'), environment, accountId, name, metric, unit, bounds };
}

/** Reads the whole file and refuses what cannot be taken in. Answers its observations, unless there are too many to hold. */
async function checkFile(
  file: PointFile,
  rules: ObservationRules,
  { sorted }: IngestLimits,
): Promise<{ readonly count: number; readonly series: readonly OrderedSeries[] | undefined }> {
  const buffer = new SeriesBuffer();
  const [lastMs, lastValues, lastLines]: [number[], number[], number[]] = [[], [], []];
  let disorder: { readonly line: number; readonly station: number } | undefined;
  let count = 0;
  const keyOf = (station: number): string => file.stations[station]!.key;
  const refuse = ({ station, timeMs, lines, values }: Conflict): never => {
    throw new InvalidInput(
      `${placeOf(file, lines[1])}: station ${keyOf(station)} has ${values[1]} at ${new Date(timeMs).toISOString()}, ` +
        `and ${values[0]} in ${file.counted ?? 'line'} ${lines[0]}: one value expected. A correction comes as an ingest of its own`,
      { param: 'file' },
    );
  };
  for await (const batch of file.batches()) {
    for (let i = 0; i < batch.count; i++) {
      const [station, timeMs, line] = [batch.stations[i]!, batch.timesMs[i]!, batch.lines[i]!];
      const value = rules.read(batch.values[i]!, () => `${placeOf(file, line)}${columnText(file, station)}`);
      if (Number.isNaN(value)) continue;
      const before = lastMs[station] ?? -Infinity;
      if (timeMs < before) disorder ??= { line, station };
      if (timeMs === before) {
        if (value !== lastValues[station]!)
          refuse({
            station,
            timeMs,
            lines: [lastLines[station]!, line],
            values: [lastValues[station]!, value],
          });
        continue;
      }
      lastMs[station] = timeMs;
      lastValues[station] = value;
      lastLines[station] = line;
      count++;
      if (count < sorted) buffer.add(station, timeMs, value, line);
      else buffer.clear();
    }
    if (count >= sorted && disorder !== undefined)
      throw new InvalidInput(
        `${placeOf(file, disorder.line)}: station ${keyOf(disorder.station)} goes back in time; ` +
          `a file of more than ${sorted} observations has to be in the order of time: sort it first`,
        { param: 'file' },
      );
  }
  if (count >= sorted) return { count, series: undefined };
  const series = [...buffer.take(refuse)];
  return { count: series.reduce((sum, { timesMs }) => sum + timesMs.length, 0), series };
}

function placeOf({ name, counted }: PointFile, line: number): string {
  return `${name}, ${counted ?? 'line'} ${line}`;
}

function columnText(file: PointFile, station: number): string {
  return `, column ${file.column ?? file.stations[station]!.key}`;
}

/** Reads a file of which it is known that it is in order once more, and writes it piece by piece. */
async function writeInOrder(
  file: PointFile,
  rules: ObservationRules,
  { written }: IngestLimits,
  holdLast: boolean,
  write: (series: readonly OrderedSeries[]) => Promise<void>,
): Promise<void> {
  rules.reset();
  const buffer = new SeriesBuffer();
  const never = (): void => undefined;
  for await (const batch of file.batches()) {
    for (let i = 0; i < batch.count; i++) {
      const value = rules.read(batch.values[i]!, () => placeOf(file, batch.lines[i]!));
      if (!Number.isNaN(value)) buffer.add(batch.stations[i]!, batch.timesMs[i]!, value, batch.lines[i]!);
    }
    if (buffer.total < written) continue;
    const series = [...buffer.take(never)];
    // The last is judged by what comes next.
    if (!holdLast) await write(series);
    else {
      for (const { station, timesMs, values } of series)
        buffer.add(station, timesMs.at(-1)!, values.at(-1)!, 0);
      await write(
        series.map((one) => ({ ...one, timesMs: one.timesMs.slice(0, -1), values: one.values.slice(0, -1) })),
      );
    }
  }
  await write([...buffer.take(never)]);
}

/** Series in groups that a transaction takes; the series of one station is not divided. */
function* groupsOf(
  series: readonly NewStationSeries[],
  { written }: IngestLimits,
): Generator<readonly NewStationSeries[]> {
  let [group, count]: [NewStationSeries[], number] = [[], 0];
  for (const one of series) {
    if (one.timesMs.length === 0) continue;
    if (group.length > 0 && (count + one.timesMs.length > written || group.length >= STATIONS_AT_ONCE)) {
      yield group;
      [group, count] = [[], 0];
    }
    group.push(one);
    count += one.timesMs.length;
  }
  if (group.length > 0) yield group;
}

/** @throws InvalidInput when a station of the file stands elsewhere in the collection */
async function checkPlaces(
  { storage }: Pick<Deps, 'storage'>,
  file: PointFile,
  collection: PointCollection | undefined,
): Promise<void> {
  if (collection === undefined) return;
  for (let from = 0; from < file.stations.length; from += STATIONS_AT_ONCE) {
    const part = file.stations.slice(from, from + STATIONS_AT_ONCE);
    const held = await storage.stations.stationsNamed(
      collection.id,
      part.map(({ key }) => key),
    );
    const byKey = new Map(held.map((station) => [station.key, station]));
    for (const { key, lng, lat } of part) {
      const there = byKey.get(key);
      if (there === undefined || distanceM([there.lng, there.lat], [lng, lat]) <= MOVED_M) continue;
      throw new InvalidInput(
        `Station ${key} of ${collection.name} stands at ${there.lat}, ${there.lng}; ${file.name} has it at ${lat}, ${lng}`,
        { param: 'lat' },
      );
    }
  }
}
