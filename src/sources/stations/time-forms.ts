import type { Zone } from './time-zone.ts';
import { DAY_MS } from '../../base/time.ts';

/** Modified Julian day of 1970-01-01. */
const MJD_EPOCH = 40_587;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Parses a time [ms since the Unix epoch]; NaN when it has another form or does not exist. */
export type ReadTime = (text: string) => number;

/** A form of written times. */
export interface TimeForm {
  readonly name: string;
  /** @param zone zone of times without an offset; dates without a time are days in UTC */
  readonly reader: (zone: Zone) => ReadTime;
}

const ISO =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?$/i;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:[T ]?(\d{2})(\d{2})(\d{2})?Z?)?$/;
const TURNED = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** Midnight of a calendar day [ms since the Unix epoch]; NaN for a day that does not exist. */
export function dayMs(year: number, month: number, day: number): number {
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31 && year >= 0 && year <= 9999)) return Number.NaN;
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  return year >= 100 && date.getUTCMonth() === month - 1 ? ms : Number.NaN;
}

/** Time since midnight [ms]; NaN for a time that does not exist. 24:00 is the next midnight. */
export function clockMs(hour: number, minute: number, second: number): number {
  const ms = ((hour * 60 + minute) * 60 + second) * 1000;
  return hour >= 0 && minute >= 0 && minute < 60 && second >= 0 && second < 61 && ms <= DAY_MS
    ? ms
    : Number.NaN;
}

const NAMED = /^(\d{1,2})[-/ ]([A-Z]{3})[A-Z]*[-/ ](\d{4})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/i;

const fraction = (text: string | undefined): number =>
  text === undefined ? 0 : Math.trunc(Number(`0.${text}`) * 1000);

/** Offset from UTC [ms]; NaN for one of a day or more, which RFC 3339 excludes. */
function offsetMs(text: string): number {
  if (/^(z|utc)$/i.test(text)) return 0;
  const digits = text.slice(1).replace(':', '');
  const [hours, rest] = [Number(digits.slice(0, 2)), Number(digits.slice(2) || 0)];
  if (hours > 23 || rest > 59) return Number.NaN;
  const minutes = hours * 60 + rest;
  return (text.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

/** Parses ISO 8601 times. Remembers the last date, because neighbouring lines often have the same date. */
function iso(zone: Zone): ReadTime {
  let [lastDay, lastMs] = ['', Number.NaN];
  return (text) => {
    if (text.length === 10 && text === lastDay) return lastMs;
    const found = ISO.exec(text);
    if (found === null) return Number.NaN;
    const day = dayMs(Number(found[1]), Number(found[2]), Number(found[3]));
    if (found[4] === undefined) {
      [lastDay, lastMs] = [text, day];
      return day;
    }
    const local =
      day + clockMs(Number(found[4]), Number(found[5]), Number(found[6] ?? 0)) + fraction(found[7]);
    return found[8] === undefined ? zone(local) : local - offsetMs(found[8]);
  };
}

function compact(zone: Zone): ReadTime {
  return (text) => {
    const found = COMPACT.exec(text);
    if (found === null) return Number.NaN;
    const day = dayMs(Number(found[1]), Number(found[2]), Number(found[3]));
    if (found[4] === undefined) return day;
    const local = day + clockMs(Number(found[4]), Number(found[5]), Number(found[6] ?? 0));
    return text.endsWith('Z') ? local : zone(local);
  };
}

const turned =
  (order: 'dmy' | 'mdy') =>
  (zone: Zone): ReadTime =>
  (text) => {
    const found = TURNED.exec(text);
    if (found === null) return Number.NaN;
    const [a, b] = [Number(found[1]), Number(found[2])];
    const day = order === 'dmy' ? dayMs(Number(found[3]), b, a) : dayMs(Number(found[3]), a, b);
    return found[4] === undefined
      ? day
      : zone(day + clockMs(Number(found[4]), Number(found[5]), Number(found[6] ?? 0)));
  };

/** Parses times such as `01-jan-1961 00:00`, the form of Met Éireann. */
function named(zone: Zone): ReadTime {
  return (text) => {
    const found = NAMED.exec(text);
    if (found === null) return Number.NaN;
    const day = dayMs(Number(found[3]), MONTHS.indexOf(found[2]!.toUpperCase()) + 1, Number(found[1]));
    return found[4] === undefined
      ? day
      : zone(day + clockMs(Number(found[4]), Number(found[5]), Number(found[6] ?? 0)));
  };
}

/** Parses a decimal year such as 2011.1913, rounded to the nearest day, because such series are daily. */
export function decimalYear(text: string): number {
  if (!/^\d{4}(\.\d*)?$/.test(text)) return Number.NaN;
  const value = Number(text);
  const year = Math.floor(value);
  const [start, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  return Math.round((start + (value - year) * (end - start)) / DAY_MS) * DAY_MS;
}

function modifiedJulian(text: string): number {
  const day = Number(text);
  return /^\d{5}(\.\d+)?$/.test(text) ? Math.round((day - MJD_EPOCH) * DAY_MS) : Number.NaN;
}

function unix(text: string): number {
  if (/^-?\d{9,10}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  return /^\d{12,13}$/.test(text) ? Number(text) : Number.NaN;
}

function month(text: string): number {
  const found = /^(\d{4})[-/](\d{1,2})$/.exec(text);
  return found === null ? Number.NaN : dayMs(Number(found[1]), Number(found[2]), 1);
}

/** Parses a date such as `06JUN08` in tenv3; years 80 to 99 are 1980 to 1999. */
export function yearMonthDay(text: string): number {
  const found = /^(\d{2})([A-Z]{3})(\d{2})$/i.exec(text);
  if (found === null) return Number.NaN;
  const short = Number(found[1]);
  return dayMs(
    short + (short >= 80 ? 1900 : 2000),
    MONTHS.indexOf(found[2]!.toUpperCase()) + 1,
    Number(found[3]),
  );
}

/** Name of the form of modified Julian days. */
export const MODIFIED_JULIAN = 'modified Julian days';

/** Known forms of times, in order of preference. */
export const TIME_FORMS: readonly TimeForm[] = [
  { name: 'YYYY-MM-DD', reader: iso },
  { name: 'YYYYMMDD', reader: compact },
  { name: 'day, month, year', reader: turned('dmy') },
  { name: 'month, day, year', reader: turned('mdy') },
  { name: 'DD-MMM-YYYY', reader: named },
  { name: 'year and month', reader: () => month },
  { name: 'decimal years', reader: () => decimalYear },
  { name: MODIFIED_JULIAN, reader: () => modifiedJulian },
  { name: 'seconds or milliseconds since 1970', reader: () => unix },
  { name: 'YYMMMDD', reader: () => yearMonthDay },
];
