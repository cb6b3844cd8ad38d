import type { Feed } from '../../app/feed-turns.ts';
import { HOUR_MS, parseMoment } from '../../base/time.ts';
import { type CliDeps, environment, Failed, type Given, Misuse, number, text } from '../command.ts';

/**
 * Default interval between requests [hours]. Sentinel-2 passes every two to five days, Landsat every eight, and daily
 * values of stations are new once a day.
 */
const EVERY_HOURS = 24;
/**
 * Default length of the history [years], enough for the seasons of an anomaly baseline. Of scenes, the first two years give
 * a full baseline; the third is searched for changes immediately.
 */
const HISTORY_YEARS = 3;

/** The option with the interval between requests. */
export const EVERY_OPTION = {
  value: 'HOURS',
  meaning: 'interval between requests',
  fallback: String(EVERY_HOURS),
} as const;

/** The option with the start of the history. */
export const fromOption = (meaning: string) =>
  ({ value: 'DATE', meaning, fallback: `${HISTORY_YEARS} years ago` }) as const;

/** Interval between requests to a feed [ms]. @throws Misuse */
export function everyMs(given: Given): number {
  const hours = number(given, 'every') ?? EVERY_HOURS;
  if (!(hours >= 1 && hours <= 24 * 365))
    throw new Misuse(`--every: expected 1 to ${24 * 365} hours, got ${hours}`);
  return hours * HOUR_MS;
}

/** Start of the history of a feed. @throws Misuse */
export function startOf({ clock }: Pick<CliDeps, 'clock'>, given: Given): Date {
  const start = new Date(clock.now());
  start.setUTCFullYear(start.getUTCFullYear() - HISTORY_YEARS);
  const from = text(given, 'from');
  if (from === undefined) return start;
  const moment = parseMoment(from);
  if (moment === undefined || moment.ms > clock.now())
    throw new Misuse(`--from: expected a date or an RFC 3339 time in the past, got ${from}`);
  return new Date(moment.ms);
}

/**
 * Finds the feed that a command names.
 * @param missing says that there is none, for a name and an environment
 * @throws Failed
 */
export async function feedNamed<F extends Feed>(
  feeds: { find(environment: Feed['environment'], name: string): Promise<F | undefined> },
  given: Given,
  missing: (name: string, environment: string) => string,
): Promise<F> {
  const name = given.operands[0]!;
  const feed = await feeds.find(environment(given), name);
  if (feed === undefined) throw new Failed(missing(name, environment(given)));
  return feed;
}
