import { InvalidInput } from '../../base/errors.ts';
import { textOf, unpacker } from './cf-conventions.ts';
import type { ArrayFile, ArrayVariable } from '../arrays/array-file.ts';
import { DAY_MS } from '../../base/time.ts';

const UNIT_MS: readonly (readonly [pattern: RegExp, ms: number])[] = [
  [/^(nanoseconds?|nanosecs?|ns)$/u, 1e-6],
  [/^(microseconds?|microsecs?|us)$/u, 1e-3],
  [/^(milliseconds?|millisecs?|msecs?|ms)$/u, 1],
  [/^(seconds?|secs?|s)$/u, 1000],
  [/^(minutes?|mins?)$/u, 60_000],
  [/^(hours?|hrs?|hr|h)$/u, 3_600_000],
  [/^(days?|d)$/u, DAY_MS],
  [/^weeks?$/u, 604_800_000],
];
const SINCE =
  /^\s*([a-z]+)\s+since\s+(-?\d{1,4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2})(?::(\d{1,2}))?(?::(\d{1,2}(?:\.\d*)?))?)?\s*(Z|UTC|GMT|[-+]\d{1,2}(?::?\d{2})?)?\s*$/iu;
const SECOND_MS = 1000;
/** First day of the Gregorian calendar. Before it, the CF calendars `standard` and `gregorian` are Julian. */
const GREGORIAN_FROM_MS = Date.UTC(1582, 9, 15);

/**
 * Converts the values of a time variable to ms since the Unix epoch; NaN for missing values. Times are rounded to the
 * second, or to the millisecond if their unit is one or less.
 * @throws InvalidInput for an unknown unit, or a model calendar such as 360_day
 */
export function timesOf(file: ArrayFile, variable: ArrayVariable, stored: Float64Array): Float64Array {
  const { attributes, name } = variable;
  const refuse = (what: string): never => {
    throw new InvalidInput(`${file.name}, variable ${name}: ${what}`, { param: 'file' });
  };
  const declared = (textOf(attributes, 'calendar') ?? 'standard').toLowerCase();
  // AppEEARS declares a Julian calendar for days of the Gregorian one.
  const isAppears = declared === 'julian' && /^AppEEARS\b/i.test(textOf(file.attributes, 'source') ?? '');
  const calendar = isAppears ? 'standard' : declared;
  if (!['standard', 'gregorian', 'proleptic_gregorian'].includes(calendar))
    refuse(
      `the calendar ${calendar} has days that the world has not, or lacks some; expected standard, gregorian or proleptic_gregorian. xarray converts it: ds.convert_calendar('standard')`,
    );
  const units = textOf(attributes, 'units') ?? '';
  const found = SINCE.exec(units);
  const unit = UNIT_MS.find(([pattern]) => pattern.test(found?.[1]?.toLowerCase() ?? ''));
  if (found === null || unit === undefined)
    return refuse(
      `expected units such as "hours since 1900-01-01 00:00:00", with seconds, minutes, hours, days or weeks; got ${JSON.stringify(units)}` +
        (/^\s*(?:common_)?(?:mon(?:th)?|year|yr)s?\s+since/i.test(units)
          ? '. Months and years have no fixed length; write dates, for example with xarray: ' +
            `ds.assign_coords(${name}=pandas.date_range('2019-01-01', periods=${stored.length}, freq='MS'))`
          : ''),
    );
  const epochMs = epochOf(found, calendar !== 'proleptic_gregorian');
  if (Number.isNaN(epochMs)) refuse(`${JSON.stringify(units)} begins on a day that is not in the calendar`);
  const times = unpacker(variable)(stored);
  for (let i = 0; i < times.length; i++) {
    const exact = epochMs + times[i]! * unit[1];
    times[i] = unit[1] <= 1 ? Math.round(exact) : Math.round(exact / SECOND_MS) * SECOND_MS;
    if (calendar !== 'proleptic_gregorian' && times[i]! < GREGORIAN_FROM_MS)
      refuse(`value ${i + 1} is before 1582-10-15, when the calendar ${calendar} is Julian`);
  }
  return times;
}

function epochOf([, , ...fields]: RegExpExecArray, isMixed: boolean): number {
  const [year, month, day, hour = 0, minute = 0, second = 0] = fields
    .slice(0, 6)
    .map((field) => (field === undefined ? undefined : Number(field))) as [
    number,
    number,
    number,
    number?,
    number?,
    number?,
  ];
  const isJulian = isMixed && (year < 1582 || (year === 1582 && (month < 10 || (month === 10 && day < 15))));
  const ms = isJulian ? julianDayMs(year, month, day) : gregorianDayMs(year, month, day);
  const zone = /^([-+])(\d{1,2}):?(\d{2})?$/u.exec(fields[6] ?? '');
  const zoneMinutes =
    zone === null ? 0 : (zone[1] === '-' ? -1 : 1) * (60 * Number(zone[2]) + Number(zone[3] ?? 0));
  return ms + ((hour * 60 + minute - zoneMinutes) * 60 + second) * SECOND_MS;
}

function gregorianDayMs(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : Number.NaN;
}

/** Midnight of a Julian calendar day [ms since the Unix epoch], computed from its Julian day number. */
function julianDayMs(year: number, month: number, day: number): number {
  const shift = Math.floor((14 - month) / 12);
  const y = year + 4800 - shift;
  const m = month + 12 * shift - 3;
  const number = day + Math.floor((153 * m + 2) / 5) + 365 * y + Math.floor(y / 4) - 32_083;
  return (number - 2_440_588) * DAY_MS; // 1970-01-01 is day 2,440,588
}
