const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+\- ])(\d{2}):?(\d{2}))?$/;
/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000;
/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;
/** Milliseconds of a Julian year of 365.25 days. */
export const JULIAN_YEAR_MS = 365.25 * DAY_MS;

/** Returns midnight UTC of a calendar day [ms since the Unix epoch]; undefined when the day does not exist. */
function dayMs(year: number, month: number, day: number): number | undefined {
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  if (year < 100) date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** A time or a day given by a caller. */
export interface Moment {
  /** Milliseconds since the Unix epoch. */
  readonly ms: number;
  /** Whether only a day was given: `ms` is then its first instant, UTC. */
  readonly isDay: boolean;
}

/**
 * Parses an RFC 3339 timestamp or a `YYYY-MM-DD` day; undefined for any other text. A time without an offset is UTC. A
 * space in place of the sign of an offset means plus, because a `+` that was not percent-encoded arrives as a space.
 */
export function parseMoment(text: string): Moment | undefined {
  const day = DAY.exec(text);
  if (day) {
    const ms = dayMs(Number(day[1]), Number(day[2]), Number(day[3]));
    return ms === undefined ? undefined : { ms, isDay: true };
  }
  const stamp = TIMESTAMP.exec(text);
  if (!stamp) return undefined;
  const start = dayMs(Number(stamp[1]), Number(stamp[2]), Number(stamp[3]));
  const [hour, minute, second] = [Number(stamp[4]), Number(stamp[5]), Number(stamp[6])];
  const [offsetHour, offsetMinute] = [Number(stamp[10] ?? 0), Number(stamp[11] ?? 0)];
  // RFC 3339 allows second 60 for a leap second. It is read as the first instant of the next minute.
  if (start === undefined || hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59)
    return undefined;
  const fraction = stamp[7] === undefined ? 0 : Math.trunc(Number(`0.${stamp[7]}`) * 1000);
  const offset = (offsetHour * 60 + offsetMinute) * 60_000 * (stamp[9] === '-' ? -1 : 1);
  return { ms: start + ((hour * 60 + minute) * 60 + second) * 1000 + fraction - offset, isDay: false };
}

/** Formats the UTC day of a time [ms since the Unix epoch] as `YYYY-MM-DD`. */
export function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Formats a time [ms since the Unix epoch] as RFC 3339 in UTC with milliseconds. */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Returns the end of a range `[from, to)` whose upper limit is a moment [ms since the Unix epoch]. If only a day was
 * given, it is the first instant after the day; otherwise it is the moment itself.
 */
export function endOf(moment: Moment): number {
  return moment.isDay ? moment.ms + DAY_MS : moment.ms;
}
