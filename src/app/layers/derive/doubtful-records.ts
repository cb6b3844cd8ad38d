import { InvalidInput } from '../../../base/errors.ts';
import type { MaximaRecord } from './yearly-maxima.ts';

/** Limits of plausible yearly maxima, in the unit of the metric. */
export interface PlausibleMaxima {
  readonly unit: string;
  /** Lowest and highest plausible median of the yearly maxima of a station. */
  readonly median: readonly [lowest: number, highest: number];
  /** Highest plausible ratio of a yearly maximum to the median of the station's maxima [1]. */
  readonly mostTimesMedian: number;
}

/** Minimum share of the yearly maxima that are equal for a record to be doubtful [1] (our choice). */
const SAME_SHARE = 0.5;
/**
 * Minimum ratio of a number that is written like a code (999.9) to the median of the numbers for it to be taken as one
 * [1] (our choice).
 */
const CODE_TIMES_MEDIAN = 2;
/** Codes for a missing value: all nines, or the highest 16-bit integer, perhaps in tenths or hundredths. */
const CODE = /^(9{2,}(\.9+)?|32767|3276\.7|327\.67)$/;
/** Maximum number of records that an error message lists. */
const MOST_NAMED = 8;

/**
 * Returns what is implausible about a record, with its numbers; undefined when nothing is.
 * @param record at least one maximum
 */
function doubtAbout({ maxima }: MaximaRecord, limits: PlausibleMaxima): string | undefined {
  const { unit, median: range, mostTimesMedian } = limits;
  const values = maxima.map(({ value }) => value);
  const median = medianOf(values);
  const highest = maxima.reduce((most, one) => (one.value > most.value ? one : most));
  const written = medianOf(maxima.map((one) => one.written));
  if (CODE.test(String(highest.written)) && highest.written > CODE_TIMES_MEDIAN * written)
    return `${highest.written} in ${highest.year} looks like a code for a missing value (give --nodata ${highest.written}); the median is ${figure(written)}`;
  const [same, times] = mostFrequent(values);
  if (values.length >= 4 && times > SAME_SHARE * values.length)
    return `${times} of its ${values.length} yearly maxima are ${figure(same)} ${unit}`;
  const [lowest, most] = range;
  if (!(median >= lowest && median <= most))
    return `every other year has ${figure(median)} ${unit} or more; plausible are ${lowest} to ${most}`;
  if (highest.value > mostTimesMedian * median)
    return `${figure(highest.value)} ${unit} in ${highest.year} is ${figure(highest.value / median)} times the median of its yearly maxima, ${figure(median)}; plausible are up to ${mostTimesMedian} times`;
  return undefined;
}

/**
 * Refuses records that are implausible, unless the user has confirmed them.
 * @returns what is implausible about the records that are used nevertheless
 * @throws InvalidInput that lists the stations with their numbers
 */
export function refuseDoubtful(
  name: string,
  records: readonly MaximaRecord[],
  limits: PlausibleMaxima,
  isConfirmed: boolean,
): readonly string[] {
  const doubts = records.flatMap((record) => {
    const doubt = record.maxima.length === 0 ? undefined : doubtAbout(record, limits);
    return doubt === undefined ? [] : [`station ${record.station}: ${doubt}`];
  });
  if (doubts.length === 0 || isConfirmed) return doubts;
  const more = doubts.length > MOST_NAMED ? `; and ${doubts.length - MOST_NAMED} more` : '';
  throw new InvalidInput(
    `${name} has implausible records at ${doubts.length} of ${records.length} stations. ${doubts.slice(0, MOST_NAMED).join('; ')}${more}. ` +
      'Give the right --unit or --scale, leave the stations out, or confirm the figures with --keep-doubtful',
    { param: 'records' },
  );
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** The most frequent value, and how often it occurs. */
function mostFrequent(values: readonly number[]): readonly [value: number, times: number] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most));
}

const figure = (value: number): string => String(Number(value.toPrecision(3)));
