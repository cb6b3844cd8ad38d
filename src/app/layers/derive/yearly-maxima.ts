import { DAY_MS } from '../../../base/time.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { metricCard } from '../../series/metrics.ts';
import { conversionTo, unitOfName } from '../../series/units.ts';
import { ObservationRules } from '../../stations/observation-rules.ts';
import type { PointFile, PointsReader, PointsRequest } from '../../stations/points-reader.ts';
import type { Place } from './points-of-influence.ts';

/** Records of stations from which yearly maxima are taken, as given on the command line. */
export interface RecordsRequest extends Omit<PointsRequest, 'metric'> {
  /** Unit of the values. Default: the unit that the file or the name of the column states, or that of the metric. */
  readonly unit?: string | undefined;
  /** Applied before the unit conversion: value = number in the file * scale. By default 1. */
  readonly scale?: number | undefined;
  /** A number that means "nothing observed", in addition to the usual codes. */
  readonly nodata?: number | undefined;
  /** Whether records that fail the checks of plausibility are used. If not, they are refused. */
  readonly keepDoubtful?: boolean | undefined;
}

/** Highest value of a year that counts, in the unit of the metric. */
export interface YearlyMaximum {
  readonly year: number;
  readonly value: number;
  /** The number as it stands in the file. */
  readonly written: number;
}

/** Yearly maxima of a station, years ascending. */
export interface MaximaRecord extends Place {
  readonly station: string;
  readonly maxima: readonly YearlyMaximum[];
  /** First and last calendar year with a value, and the number of years between them that do not count. */
  readonly from: number;
  readonly to: number;
  readonly dropped: number;
  /** Whether the file has one value a year. */
  readonly isYearly: boolean;
  /** Mean of all values of the last 19 years that count, in the unit of the metric. */
  readonly recentMean: number;
}

/**
 * Minimum number of days with a value in a year that counts, and in each of its months, as shares of the numbers of the
 * station's fullest year and months [1] (our choice). The highest value of a year with a gap may be in the gap. A gap of
 * three weeks or more in one month may be the season of storms, although the year as a whole is nearly full.
 */
export const FULL_YEAR = 0.9;
const FULL_MONTH = 1 / 3;
/** Length of the period of a mean water level [years]: the cycle of the lunar nodes is 18.6 years. */
const RECENT_YEARS = 19;
/** Minimum share of the years with exactly one value for a record to be of yearly maxima [1] (our choice). */
const MOSTLY = 0.9;
/** Years before this are errors of the dates. */
const FIRST_YEAR = 1500;

/** Values of one station and calendar year. */
interface Year {
  highest: number;
  lowest: number;
  written: number;
  sum: number;
  count: number;
  /** Days with a value, as a flag for each day of the year, and their number by month. */
  readonly days: Uint8Array;
  readonly months: Uint8Array;
}

/**
 * Reads the yearly maxima of stations, from tables in all forms in which series are ingested. A year counts when it has
 * nine tenths of the days of the station's fullest year, and a third of the days of each month.
 * @param metric gives range and unit
 * @param columns other names of the column of values, the preferred one first
 * @throws InvalidInput that names the invalid column or line
 */
export async function readYearlyMaxima(
  points: PointsReader,
  request: RecordsRequest,
  metric: string,
  columns: readonly string[],
): Promise<readonly MaximaRecord[]> {
  const scale = request.scale ?? 1;
  if (!(scale > 0 && scale < Infinity))
    throw new InvalidInput(`scale ${scale}: expected a number above 0`, { param: 'scale' });
  const file = await points.open({ ...request, metric, otherColumns: columns });
  const stated = file.unit ?? (file.column === undefined ? undefined : unitOfName(metric, file.column));
  const { convert } = conversionTo(metric, request.unit ?? stated ?? metricCard(metric).unit);
  const { nodata } = request;
  const rules = new ObservationRules({ metric, convert, scale, offset: 0, nodata, dropOutside: false });
  const stations = await collect(file, rules);
  return [...stations].map(([station, years]) => recordOf(file, station, years));
}

async function collect(file: PointFile, rules: ObservationRules): Promise<Map<number, Map<number, Year>>> {
  const stations = new Map<number, Map<number, Year>>();
  for await (const batch of file.batches()) {
    for (let i = 0; i < batch.count; i++) {
      const station = batch.stations[i]!;
      let years = stations.get(station);
      // A station without any value is kept: it is reported as too short.
      if (years === undefined) stations.set(station, (years = new Map()));
      const written = batch.values[i]!;
      const line = `${file.name}, ${file.counted ?? 'line'} ${batch.lines[i]!}`;
      const value = rules.read(written, () => line);
      if (Number.isNaN(value)) continue;
      const date = new Date(batch.timesMs[i]!);
      const year = date.getUTCFullYear();
      if (!(year >= FIRST_YEAR))
        throw new InvalidInput(`${line}: expected a year from ${FIRST_YEAR} on, got ${year}`);
      let seen = years.get(year);
      if (seen === undefined) years.set(year, (seen = emptyYear()));
      addTo(seen, value, written, date);
    }
  }
  return stations;
}

function emptyYear(): Year {
  return {
    highest: -Infinity,
    lowest: Infinity,
    written: Number.NaN,
    sum: 0,
    count: 0,
    days: new Uint8Array(366),
    months: new Uint8Array(12),
  };
}

function addTo(year: Year, value: number, written: number, date: Date): void {
  if (value > year.highest) [year.highest, year.written] = [value, written];
  if (value < year.lowest) year.lowest = value;
  year.sum += value;
  year.count++;
  const day = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS);
  if (year.days[day] === 1) return;
  year.days[day] = 1;
  year.months[date.getUTCMonth()]!++;
}

function recordOf(file: PointFile, index: number, found: ReadonlyMap<number, Year>): MaximaRecord {
  const { key, lat, lng } = file.stations[index]!;
  let years: readonly (readonly [number, Year])[] = [...found].sort(([a], [b]) => a - b);
  const months = Array.from({ length: 12 }, (_, m) => Math.max(0, ...years.map(([, y]) => y.months[m]!)));
  // A common year that is as full as a leap year has a day less.
  const fullest = Math.min(365, Math.max(0, ...years.map(([, year]) => daysOf(year))));
  const single = years.filter(([, { count }]) => count === 1).length;
  const isYearly = years.length > 0 && single >= MOSTLY * years.length;
  if (isYearly) years = onePerYear(years, `${file.name}: station ${key}`);
  const whole = years.filter(
    ([, year]) =>
      isYearly ||
      (daysOf(year) >= FULL_YEAR * fullest &&
        months.every((days, m) => year.months[m]! >= FULL_MONTH * days)),
  );
  const from = years[0]?.[0] ?? Number.NaN;
  const to = years.at(-1)?.[0] ?? Number.NaN;
  const recent = whole.filter(([year]) => year > whole.at(-1)![0] - RECENT_YEARS);
  const sum = (of: (year: Year) => number): number => recent.reduce((total, [, year]) => total + of(year), 0);
  return {
    station: key,
    lat,
    lng,
    maxima: whole.map(([year, { highest, written }]) => ({ year, value: highest, written })),
    from,
    to,
    dropped: years.length === 0 ? 0 : to - from + 1 - whole.length,
    isYearly,
    recentMean: sum((year) => year.sum) / sum((year) => year.count),
  };
}

/**
 * Sorts out the years of a record of yearly maxima that have two values. The maxima of two water years may fall into one
 * calendar year; then the year before or after has none, and takes the lower one.
 * @throws InvalidInput for a year with two values beside years with one each, or with more
 */
function onePerYear(
  years: readonly (readonly [number, Year])[],
  where: string,
): readonly (readonly [number, Year])[] {
  const known = new Map(years);
  for (const [year, { count, lowest, highest }] of years) {
    if (count === 1 || lowest === highest) continue;
    const free = [year + 1, year - 1].find(
      (other) => !known.has(other) && other > years[0]![0] && other < years.at(-1)![0],
    );
    if (count > 2 || free === undefined)
      throw new InvalidInput(
        `${where} has ${count} values for ${year}, from ${lowest} to ${highest}; expected one for each year, or a date with each`,
      );
    known.set(free, { ...emptyYear(), highest: lowest, lowest, written: lowest, sum: lowest, count: 1 });
  }
  return [...known].sort(([a], [b]) => a - b);
}

const daysOf = ({ months }: Year): number => months.reduce((sum, days) => sum + days, 0);

/** Returns what a record covers, for messages: `27 of 29 years (1984 to 2012)`. */
export function spanOf({ maxima, from, to }: MaximaRecord): string {
  if (Number.isNaN(from)) return 'no values';
  return `${maxima.length} of ${to - from + 1} years (${from} to ${to})`;
}
