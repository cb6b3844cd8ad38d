import { DAY_MS, formatTimestamp } from '../../base/time.ts';

/**
 * How far the time of an observation may be ahead of the clock [ms]: clocks differ, and a date without a time may be
 * the next day in another time zone.
 */
const AHEAD_MS = DAY_MS;

/** Returns the latest time at which something can have been observed [ms since the Unix epoch]. */
export function latestObservation(nowMs: number): number {
  return nowMs + AHEAD_MS;
}

/** Says that a time is too late, and what was expected. Times are in ms since the Unix epoch. */
export function futureText(timeMs: number, latestMs: number): string {
  return `dated ${formatTimestamp(timeMs)}, in the future; expected at most ${formatTimestamp(latestMs)}`;
}
