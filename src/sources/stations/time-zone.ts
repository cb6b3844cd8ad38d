import { DAY_MS } from '../../base/time.ts';

const OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i;
const STEP_MS = 1_800_000; // interval for which an offset is cached; offsets change only at full or half hours
const MOST_KEPT = 100_000; // maximum number of cached half-hour intervals: more than five years

/** Converts local time [ms as if it were UTC] to UTC [ms]; NaN for a time that the zone skips. */
export type Zone = (localMs: number) => number;

/** A zone by its name: UTC, an offset such as +05:30, or an IANA name. @throws RangeError for other names */
export function timeZone(name: string): Zone {
  if (/^(utc|gmt|z)$/i.test(name)) return (ms) => ms;
  const offset = OFFSET.exec(name);
  if (offset !== null) {
    const [hours, minutes] = [Number(offset[2]), Number(offset[3] ?? 0)];
    if (hours > 14 || minutes > 59)
      throw new RangeError(`an offset of at most 14 hours expected, got ${name}`);
    const shift = (offset[1] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
    return (ms) => ms - shift;
  }
  return namedZone(name);
}

function namedZone(name: string): Zone {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const shown = (utcMs: number): number => {
    const parts = Object.fromEntries(clock.formatToParts(utcMs).map(({ type, value }) => [type, value]));
    const [year, month, day] = [Number(parts['year']), Number(parts['month']), Number(parts['day'])];
    return Date.UTC(
      year,
      month - 1,
      day,
      Number(parts['hour']),
      Number(parts['minute']),
      Number(parts['second']),
    );
  };
  const known = new Map<number, number>();
  return (localMs) => {
    const step = Math.floor(localMs / STEP_MS);
    let shift = known.get(step);
    if (shift === undefined) {
      const at = step * STEP_MS;
      // When clocks are set back, a local time occurs twice: the earlier one is used.
      const earlier = at - (shown(at - DAY_MS) - (at - DAY_MS));
      const later = at - (shown(at + DAY_MS) - (at + DAY_MS));
      const found = [Math.min(earlier, later), Math.max(earlier, later)].find((utc) => shown(utc) === at);
      shift = found === undefined ? Number.NaN : found - at;
      if (known.size >= MOST_KEPT) known.clear();
      known.set(step, shift);
    }
    return localMs + shift;
  };
}
