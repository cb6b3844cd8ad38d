import { InvalidInput } from '../../base/errors.ts';
import type { PointsRequest } from '../../app/stations/points-reader.ts';
import { DAY_MS } from '../../base/time.ts';

/** Maximum period of a composite [days]: a month. */
const LONGEST_DAYS = 31;

/**
 * Returns a function that reads the day of the observation from a line of a composite [ms since the Unix epoch]. The
 * request names the column with the day of the year; returns null when it names none. If a composite starts in
 * December, the observation may be in the next year.
 * @throws InvalidInput when the file does not have the column
 */
export function compositeDay(
  names: readonly string[],
  { dayColumn }: PointsRequest,
  name: string,
): ((fields: readonly string[], startMs: number, line: number) => number) | null {
  if (dayColumn === undefined) return null;
  const at = names.findIndex((title) => title.toLowerCase() === dayColumn.toLowerCase());
  if (at < 0)
    throw new InvalidInput(
      `--day-of-year: no column ${dayColumn} in ${name}; there are ${names.join(', ')}`,
      {
        param: 'day-of-year',
      },
    );
  return (fields, startMs, line) => {
    const text = fields[at]?.trim() ?? '';
    const day = Number(text);
    const startDayMs = Math.floor(startMs / DAY_MS) * DAY_MS;
    const year = new Date(startMs).getUTCFullYear();
    const thisYear = Date.UTC(year, 0, day);
    const ms = thisYear < startDayMs ? Date.UTC(year + 1, 0, day) : thisYear;
    if (text !== '' && day >= 1 && day <= 366 && ms < startDayMs + LONGEST_DAYS * DAY_MS) return ms;
    const start = new Date(startMs).toISOString().slice(0, 10);
    throw new InvalidInput(
      `${name}, line ${line}, column ${names[at]}: a day of the year within ${LONGEST_DAYS} days of ${start} expected, got ${JSON.stringify(text)}`,
      { param: 'day-of-year' },
    );
  };
}
