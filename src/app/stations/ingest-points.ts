import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import { updateSilenceDeadline } from './silent-collections.ts';
import type { NewStationSeries, PointCollection, Station } from '../series/station-store.ts';
import { latestObservation } from '../series/future-time.ts';
import { isMetricKey, metricCard } from '../series/metrics.ts';
import { ObservationRules } from './observation-rules.ts';
import type { PointsReader, PointsRequest } from './points-reader.ts';
import type { Environment } from '../owner.ts';
import { checkPoints, type IngestLimits, rereadPoints } from './point-file-passes.ts';
import { type DoubtfulObservation, withoutDoubtfulRain } from './rain-check.ts';
import type { OrderedSeries } from './series-buffer.ts';
import { findTarget, prepareTarget, type IngestTarget } from './target-collection.ts';
import { conversionTo, unitOfName } from '../series/units.ts';
import { waitForRoom } from '../job-queue.ts';
import { writePoints } from './write-points.ts';

/** Limits of an ingest (our choice). An ingest then needs about 100 MB of memory, whatever the length of the file. */
const LIMITS: IngestLimits = { sorted: 2_000_000, written: 500_000 };
const STATIONS_AT_ONCE = 5000;
/** Maximum number of doubtful observations listed in a report. */
const MOST_NAMED = 100;

/** An ingest of a file of observations at stations, as given on the command line. */
export interface PointsIngest {
  readonly collection: string;
  readonly environment: Environment;
  /** Account that owns the collection; null if every account of the environment may read the collection. */
  readonly accountId: string | null;
  readonly file: PointsRequest;
  /** Unit of the values; undefined: the unit given by the file or its column name, or else the unit of the metric. */
  readonly unit?: string | undefined;
  /** Applied before the unit conversion: value = number in the file * scale + offset. By default 1 and 0. */
  readonly scale?: number;
  readonly offset?: number;
  /** A number that means "nothing observed", in addition to the usual codes. */
  readonly nodata?: number | undefined;
  /** Whether values outside the range of the metric are left out. If not, a file with such values is refused. */
  readonly dropOutside?: boolean;
  /** Whether values that fail quality control are stored anyway. */
  readonly keepDoubtful?: boolean;
}

/** Result of an ingest. */
export interface PointsReport {
  readonly collection: PointCollection;
  /** The file format that was recognised. */
  readonly form: string;
  readonly column: string | undefined;
  /** Unit in which the values were read. */
  readonly unit: string;
  readonly stations: readonly Omit<Station, 'id'>[];
  /** Number of observations in the file, without gaps and without values outside the range. */
  readonly observations: number;
  /** Number of observations that were new or corrected. */
  readonly added: number;
  /** Lowest and highest observation, in the unit of the metric. They show whether the file was read in a wrong unit. */
  readonly range: readonly [lowest: number, highest: number];
  /** Numbers of empty values, of codes for "nothing observed", and of values outside the range. */
  readonly gaps: { readonly empty: number; readonly coded: number; readonly outside: number };
  readonly doubtful: { readonly count: number; readonly first: readonly DoubtfulObservation[] };
}

export type PointsDeps = Pick<Deps, 'storage' | 'clock'> & { readonly points: PointsReader };

/**
 * Ingests a file of observations at stations. A file with errors is refused before anything is written. Ingesting
 * the same file again adds nothing, so the command can be repeated after a crash. A file of more than two million
 * observations is read twice instead of being kept in memory, and must be in order of time for each station.
 * @throws InvalidInput naming the file, the line, the column and the error
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
  const { environment, accountId, collection: name } = input;
  const target: IngestTarget = { environment, accountId, name, metric, unit };
  await findTarget(deps, target); // refuses an invalid target before the file is read
  const checked = await checkPoints(file, rules, limits, latestObservation(deps.clock.now()));
  if (checked.count === 0)
    throw new InvalidInput(
      `${file.name} has no observation: ${rules.empty} places are empty, ${rules.coded} hold a code for none`,
      {
        param: 'file',
      },
    );
  const collection = await prepareTarget(deps, target, file);
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
      await waitForRoom(deps.storage.jobs, accountId);
      totals.added += await deps.storage.transaction((stores) => writePoints(stores, collection, group));
      progress((totals.done += group.reduce((sum, { timesMs }) => sum + timesMs.length, 0)));
    }
  };
  if (checked.series !== undefined) await write(checked.series);
  else await rereadPoints(file, rules, limits, metric === 'precipitation', write);
  await updateSilenceDeadline(deps, collection, file.stations);
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

/** Divides series into groups, each for one transaction. The series of one station is not divided. */
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
