import { firstNotBefore } from '../time-series.ts';
import { distanceM } from '../../../geo/nearby.ts';
import { HOUR_MS } from '../../../base/time.ts';

/**
 * Upper envelope of the world records of rain: no sum over `hours` above mm * hours ** exponent [mm] was ever measured.
 * @see doi:10.1002/joc.1022 (Galmarini, Steyn & Ainslie 2004)
 */
const ENVELOPE = { mm: 491, exponent: 0.452 } as const;
/**
 * A value above this share of the envelope counts as high and is compared with neighbouring values [1] (our choice).
 * For a sum over one hour, the limit is 98 mm.
 */
const REMARKABLE = 0.2;
/** Maximum ratio of a high value to the highest value in the neighbouring hours [1] (our choice). */
const RATIO_IN_TIME = 4;
/** Maximum ratio of a high value to the highest value at nearby stations, if there are enough [1] (our choice). */
const RATIO_IN_SPACE = 2.5;
/** Maximum distance at which another station counts as nearby [m] (our choice). */
export const AROUND_M = 10_000;
/** Minimum number of values at nearby stations. With fewer, neighbouring hours at the same station are compared. */
const ENOUGH_AROUND = 4;
/**
 * Maximum interval between observations [h] (our choice). In a record with a longer interval, neighbouring values are
 * not compared: heavy rain can begin and end within one interval, so the values next to a high value may be low.
 */
const LONGEST_HOURS = 3;

/** Record of rain at a station: ascending times [ms since the Unix epoch], and sums [mm]. */
export interface RainRecord {
  readonly lng: number;
  readonly lat: number;
  readonly timesMs: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Returns the maximum plausible sum of rain over a number of hours [mm]. */
function mostRainMm(hours: number): number {
  return ENVELOPE.mm * hours ** ENVELOPE.exponent;
}

/** Returns the sum of rain over a number of hours above which the sum is checked [mm]. */
export function remarkableRainMm(hours: number): number {
  return (hours <= LONGEST_HOURS ? REMARKABLE : 1) * mostRainMm(hours);
}

/**
 * Returns the reason to doubt a sum of rain; undefined if the sum is plausible. A sum is doubtful if it exceeds the
 * world records, or if it is far above the values at all nearby stations. If there are too few values at nearby
 * stations, it is doubtful if it is far above the values in the neighbouring hours.
 * @param at position of the sum in the record of its station
 * @param hours usual interval of observations [h]
 * @param around records of other stations; stations farther away than `AROUND_M` are ignored
 */
export function rainDoubt(
  record: RainRecord,
  at: number,
  hours: number,
  around: readonly RainRecord[],
): string | undefined {
  const value = record.values[at]!;
  const timeMs = record.timesMs[at]!;
  if (value > mostRainMm(hours))
    return `more than ever fell on earth in ${shown(hours)} h (${shown(mostRainMm(hours))} mm)`;
  if (hours > LONGEST_HOURS || value <= remarkableRainMm(hours)) return undefined;
  const near = around.flatMap((other) =>
    distanceM([record.lng, record.lat], [other.lng, other.lat]) <= AROUND_M
      ? within(other, timeMs, 0.5 * hours * HOUR_MS)
      : [],
  );
  if (near.length >= ENOUGH_AROUND) {
    const most = Math.max(...near);
    return value > RATIO_IN_SPACE * most
      ? `at most ${shown(most)} mm at the ${near.length} stations within ${AROUND_M / 1000} km`
      : undefined;
  }
  const beside = within(record, timeMs, 1.5 * hours * HOUR_MS, at);
  if (beside.length === 0) return undefined;
  const most = Math.max(...beside);
  return value > RATIO_IN_TIME * most ? `at most ${shown(most)} mm in the neighbouring hours` : undefined;
}

/** Returns the values of a record within `reachMs` of a time, except the value at position `but`. */
function within({ timesMs, values }: RainRecord, timeMs: number, reachMs: number, but = -1): number[] {
  const found: number[] = [];
  for (
    let i = firstNotBefore(timesMs, timeMs - reachMs);
    i < timesMs.length && timesMs[i]! <= timeMs + reachMs;
    i++
  )
    if (i !== but) found.push(values[i]!);
  return found;
}

const shown = (value: number): string => String(Number(value.toPrecision(3)));

/** Median interval between observations [h]; NaN for fewer than two. */
export function medianIntervalHours(timesMs: ArrayLike<number>): number {
  const gaps = Array.from(
    { length: Math.max(0, timesMs.length - 1) },
    (_, i) => timesMs[i + 1]! - timesMs[i]!,
  );
  return gaps.length === 0 ? Number.NaN : gaps.toSorted((a, b) => a - b)[gaps.length >> 1]! / HOUR_MS;
}
