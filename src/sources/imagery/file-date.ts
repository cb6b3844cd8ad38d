import { InvalidInput } from '../../base/errors.ts';

/** Maximum number of files listed in a message about names without a date. */
const MAX_NAMED = 5;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const CALENDAR = /(?<!\d)(\d{4})([-_.]?)(\d\d)\2(\d\d)(?:T?(\d\d):?(\d\d)(?::?(\d\d))?Z?)?(?!\d)/gi;
const DAY_OF_YEAR = /(?:[a-z]|(?<!\d))(\d{4})-?(\d{3})(?![\da-z])|[a-z](\d{4})(\d{3})(?!\d)/gi;
const DAY_NAMED = new RegExp(`(?<!\\d)(\\d\\d?)([-_. ]?)${MONTH}\\2(\\d{4})(?!\\d)`, 'gi');
const YEAR_NAMED = new RegExp(`(?<!\\d)(\\d{4})([-_. ]?)${MONTH}\\2(\\d\\d?)(?!\\d)`, 'gi');
const YEAR_LAST = /(?<!\d)(\d\d)([-_.]?)(\d\d)\2(\d{4})(?!\d)/g;

/** Order of day and month in names whose year is last. */
type Order = 'day first' | 'month first';

/** A date in a name: a time [ms since the Unix epoch], or the two that it may mean. */
type Found = { readonly timeMs: number } | Readonly<Record<Order, number>>;

/**
 * The first date in a file's name [ms since the Unix epoch]; null when there is none, or it may be read in two ways.
 * Forms: `2020-06-01`, `2020_06_01` or `20200601`, optionally with a time such as `T101530`; `01Jun2020` or
 * `2020-Jun-01` with English names; year and day of the year (`A2020153`, `2020153`, `2020-153`); `25.06.2020` where
 * only one order of day and month is a date.
 */
export function fileDateMs(file: string): number | null {
  const found = dateIn(file);
  return found !== null && 'timeMs' in found ? found.timeMs : null;
}

/**
 * The dates in the names of the files of a folder. Where days and months stand before the year, they are read in the
 * order that makes a date of each name.
 * @throws InvalidInput naming files without a date, or with a date that may be read in two ways
 */
export function fileDates(files: readonly string[]): readonly number[] {
  const found = files.map(dateIn);
  const undated = files.filter((_, i) => found[i] === null);
  if (undated.length > 0)
    throw new InvalidInput(
      `${some(undated)}: expected a date in the name, such as NDVI_2020-06-01.tif, 20200601, 01Jun2020 or A2020153; or give --dates, ` +
        'whose bands are the files in order of name',
    );
  const order = orderOf(files);
  const unclear = files.find((_, i) => !('timeMs' in found[i]!) && order === undefined);
  if (unclear !== undefined) {
    const both = found[files.indexOf(unclear)] as Readonly<Record<Order, number>>;
    const [a, b] = [both['day first'], both['month first']].map((ms) =>
      new Date(ms).toISOString().slice(0, 10),
    );
    throw new InvalidInput(
      `${unclear}: its date is ${a} or ${b}, and no name in the folder tells which; expected the year first, such as ${a}; or give --dates, ` +
        'whose bands are the files in order of name',
    );
  }
  return found.map((one) => ('timeMs' in one! ? one.timeMs : one![order!]));
}

/** Whether day or month is first in names whose year is last, by those that are a date in one order only. */
function orderOf(files: readonly string[]): Order | undefined {
  const orders = new Set<Order>();
  for (const file of files) {
    if (isoDate(plain(file)) !== null) continue;
    for (const [, a, , b, year] of plain(file).matchAll(YEAR_LAST)) {
      const [dayFirst, monthFirst] = [ofDay(year, b, a), ofDay(year, a, b)];
      if (dayFirst !== null && monthFirst === null) orders.add('day first');
      if (dayFirst === null && monthFirst !== null) orders.add('month first');
    }
  }
  return orders.size === 1 ? [...orders][0] : undefined;
}

const plain = (file: string): string => file.replace(/\.tiff?$/i, '');

function dateIn(file: string): Found | null {
  const name = plain(file);
  const timeMs = isoDate(name);
  if (timeMs !== null) return { timeMs };
  for (const [, a, , b, year] of name.matchAll(YEAR_LAST)) {
    const [dayFirst, monthFirst] = [ofDay(year, b, a), ofDay(year, a, b)];
    if (dayFirst !== null && monthFirst !== null && dayFirst !== monthFirst)
      return { 'day first': dayFirst, 'month first': monthFirst };
    const one = dayFirst ?? monthFirst;
    if (one !== null) return { timeMs: one };
  }
  return null;
}

/** A date that can be read in one way: the year first, the month by its name, or the day of the year. */
function isoDate(name: string): number | null {
  for (const [, year, , month, day, hour, minute, second] of name.matchAll(CALENDAR)) {
    const date = ofDay(year, month, day);
    const [h, min, s] = [hour ?? 0, minute ?? 0, second ?? 0].map(Number) as [number, number, number];
    if (date !== null && h < 24 && min < 60 && s < 60) return date + 1000 * (3600 * h + 60 * min + s);
  }
  for (const [, day, , month, year] of name.matchAll(DAY_NAMED)) {
    const date = ofDay(year, monthNamed(month!), day);
    if (date !== null) return date;
  }
  for (const [, year, , month, day] of name.matchAll(YEAR_NAMED)) {
    const date = ofDay(year, monthNamed(month!), day);
    if (date !== null) return date;
  }
  for (const [, year, day, lettered, itsDay] of name.matchAll(DAY_OF_YEAR)) {
    const [y, d] = [Number(year ?? lettered), Number(day ?? itsDay)];
    const date = new Date(Date.UTC(y, 0, d));
    if (isLikely(y) && d > 0 && date.getUTCFullYear() === y) return date.getTime();
  }
  return null;
}

const monthNamed = (name: string): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** A day [ms since the Unix epoch]; null when there is none, or no image is likely to be of its year. */
function ofDay(
  year: string | undefined,
  month: string | number | undefined,
  day: string | undefined,
): number | null {
  const [y, m, d] = [year, month, day].map(Number) as [number, number, number];
  const date = new Date(Date.UTC(y, m - 1, d));
  return date.getUTCMonth() === m - 1 && date.getUTCDate() === d && isLikely(y) ? date.getTime() : null;
}

/** Whether an aerial or satellite image may be from this year. Otherwise the digits in the file name are no date. */
function isLikely(year: number): boolean {
  return year >= 1900 && year < 2200;
}

function some(files: readonly string[]): string {
  const more = files.length - MAX_NAMED;
  return `${files.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
