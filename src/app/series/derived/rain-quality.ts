import { distanceM } from '../../../geo/nearby.ts';

const HOUR_MS = 3_600_000;
/**
 * Rain that no gauge on earth has measured in so many hours [mm]: an envelope of the world's records, of the form of
 * their law in time. @see doi:10.1002/joc.1022 (Galmarini, Steyn & Ainslie 2004)
 */
const ENVELOPE = { mm: 491, exponent: 0.452 } as const;
/** Share of the envelope from which a value must be borne out by what stands beside it [1] (ours): 98 mm in an hour. */
const REMARKABLE = 0.2;
/** Times that such a value may exceed the hours beside it, and the stations around it where there are enough (ours). */
const BESIDE_IN_TIME = 4;
const BESIDE_IN_SPACE = 2.5;
/** How far the stations around may be [m], and how many are enough [1] (ours). */
export const AROUND_M = 10_000;
const ENOUGH_AROUND = 4;
/** Longest time between observations in which rain has no right to come and go unseen [h] (ours). */
const LONGEST_HOURS = 3;

/** A station's rain around a value in question: times [ms] ascending, sums [mm]. */
export interface RainRecord {
  readonly lng: number;
  readonly lat: number;
  readonly timesMs: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Most rain that is believed to fall in some hours [mm]. */
export function mostRainMm(hours: number): number {
  return ENVELOPE.mm * hours ** ENVELOPE.exponent;
}

/** Rain from which on a value is looked at [mm]. */
export function remarkableRainMm(hours: number): number {
  return (hours <= LONGEST_HOURS ? REMARKABLE : 1) * mostRainMm(hours);
}

/**
 * Why a sum of rain is not believed; undefined when it is. It is not when it is more than ever fell, or when it stands
 * alone: far above the hours beside it, or above all stations around.
 * @param at its place in its station's record
 * @param hours the usual time between observations
 * @param around records of other stations, of whatever distance
 */
export function doubtOfRain(
  record: RainRecord,
  at: number,
  hours: number,
  around: readonly RainRecord[],
): string | undefined {
  const value = record.values[at]!;
  const timeMs = record.timesMs[at]!;
  if (value > mostRainMm(hours))
    return `more than ever fell on earth in ${told(hours)} h (${told(mostRainMm(hours))} mm)`;
  if (hours > LONGEST_HOURS || value <= remarkableRainMm(hours)) return undefined;
  const near = around.flatMap((other) =>
    distanceM([record.lng, record.lat], [other.lng, other.lat]) <= AROUND_M
      ? within(other, timeMs, 0.5 * hours * HOUR_MS)
      : [],
  );
  if (near.length >= ENOUGH_AROUND) {
    const most = Math.max(...near);
    return value > BESIDE_IN_SPACE * most
      ? `at most ${told(most)} mm at the ${near.length} stations within ${AROUND_M / 1000} km`
      : undefined;
  }
  const beside = within(record, timeMs, 1.5 * hours * HOUR_MS, at);
  if (beside.length === 0) return undefined;
  const most = Math.max(...beside);
  return value > BESIDE_IN_TIME * most ? `at most ${told(most)} mm in the hours beside it` : undefined;
}

/** Values of a record around a time, but the one left out. */
function within({ timesMs, values }: RainRecord, timeMs: number, reachMs: number, but = -1): number[] {
  let [low, high] = [0, timesMs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesMs[middle]! < timeMs - reachMs) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (let i = low; i < timesMs.length && timesMs[i]! <= timeMs + reachMs; i++)
    if (i !== but) found.push(values[i]!);
  return found;
}

const told = (value: number): string => String(Number(value.toPrecision(3)));

/** The usual time between observations [h]; NaN for fewer than two. */
export function usualHours(timesMs: ArrayLike<number>): number {
  const gaps = Array.from(
    { length: Math.max(0, timesMs.length - 1) },
    (_, i) => timesMs[i + 1]! - timesMs[i]!,
  );
  return gaps.length === 0 ? Number.NaN : gaps.toSorted((a, b) => a - b)[gaps.length >> 1]! / HOUR_MS;
}
