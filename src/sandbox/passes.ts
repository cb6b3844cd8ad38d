import { FIRST_DAY_MS } from './weather.ts';
import { DAY_MS } from '../base/time.ts';

/** Days between two passes of the satellite. */
const REVISIT_DAYS = 5;
const FIRST_PASS = 2; // day of the first pass
const PASS_HOUR_UTC = 12.75; // time of each pass; the local solar time is 10.9 h

/** Days of the passes in `[from, to)`. */
export function passes(from: number, to: number): number[] {
  const days: number[] = [];
  const first = Math.ceil((from - FIRST_PASS) / REVISIT_DAYS) * REVISIT_DAYS + FIRST_PASS;
  for (let day = first; day < to; day += REVISIT_DAYS) days.push(day);
  return days;
}

/** Number of the pass on a day, from 0. */
export function passNumber(day: number): number {
  return (day - FIRST_PASS) / REVISIT_DAYS;
}

/** Time of the pass on a day [ms since the Unix epoch]. */
export function opticalTimeMs(day: number): number {
  return FIRST_DAY_MS + day * DAY_MS + PASS_HOUR_UTC * 3_600_000;
}
