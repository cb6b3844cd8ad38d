import { InvalidInput } from '../../base/errors.ts';
import type { NewEvent } from './event-store.ts';

/** Hours of each day in which nothing is sent. Times are `HH:MM`; `to` before `from` is of the next day. */
export interface QuietHours {
  /** Name of a time zone in the IANA database. */
  readonly zone: string;
  readonly from: string;
  readonly to: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

/**
 * Checks quiet hours that a caller sends; the form of the times is checked already.
 * @throws InvalidInput that names the field
 */
export function checkedQuietHours(quiet: QuietHours): QuietHours {
  try {
    clockOf(quiet.zone);
  } catch (cause) {
    throw new InvalidInput(
      `quiet_hours.zone: expected a time zone such as Europe/Ljubljana, got ${JSON.stringify(quiet.zone)}`,
      { param: 'quiet_hours.zone', cause },
    );
  }
  if (quiet.from === quiet.to)
    throw new InvalidInput(
      `quiet_hours.to: expected another time than from, got ${JSON.stringify(quiet.to)}; pause the subscription to receive nothing`,
      { param: 'quiet_hours.to' },
    );
  return quiet;
}

/** When the quiet hours that hold at a moment end [ms since the Unix epoch]; undefined when none hold. */
export function quietUntil({ zone, from, to }: QuietHours, nowMs: number): number | undefined {
  const clock = clockOf(zone);
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const past = (minute: number, since: number): number => (minute - since + DAY_MINUTES) % DAY_MINUTES;
  const now = localMinute(clock, nowMs);
  if (past(now, start) >= past(end, start)) return undefined;
  let endMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS + past(end, now) * MINUTE_MS;
  // The clocks may change before the end.
  const off = past(localMinute(clock, endMs), end);
  endMs -= (off > DAY_MINUTES / 2 ? off - DAY_MINUTES : off) * MINUTE_MS;
  return Math.max(endMs, nowMs);
}

/** How a subscription wants its events sent. */
export interface Sending {
  readonly quietHours: QuietHours | null;
  /** Null: each event by itself. */
  readonly digest: string | null;
  /** Whether what was past when it was found is sent too. */
  readonly past: boolean;
}

/**
 * How an event is sent that several subscriptions ask for: as soon as one of them is not quiet. It is only listed if all
 * of them have digests, or if it was past when it was found and none of them wants the past.
 */
export function sendingOf(
  subscriptions: readonly Sending[],
  nowMs: number,
  isPast = false,
): Pick<NewEvent, 'notBefore' | 'isOnlyListed'> {
  const asking = isPast ? subscriptions.filter(({ past }) => past) : subscriptions;
  const single = asking.filter(({ digest }) => digest === null);
  if (single.length === 0) return { isOnlyListed: isPast || subscriptions.length > 0 };
  const ends = single.map(({ quietHours }) => quietHours && quietUntil(quietHours, nowMs));
  const first = ends.reduce<number>((least, end) => Math.min(least, end ?? 0), Infinity);
  return first > nowMs ? { notBefore: new Date(first) } : {};
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}

/** @throws RangeError for an unknown zone */
function clockOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
}

/** Minute of the day that a clock shows. */
function localMinute(clock: Intl.DateTimeFormat, ms: number): number {
  return minutesOf(clock.format(ms));
}
