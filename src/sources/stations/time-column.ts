import { clockMs, dayMs, MODIFIED_JULIAN, type ReadTime, TIME_FORMS } from './time-forms.ts';
import type { Zone } from './time-zone.ts';
import { DAY_MS } from '../../base/time.ts';

/** The columns of a table that hold the times, and the form in which the times are written. */
export interface TimeColumns {
  /** Description, such as `date (YYYY-MM-DD)`. */
  readonly form: string;
  /** Columns that are part of the time. */
  readonly columns: readonly number[];
  /** Text of a line's time, for messages. */
  readonly text: (fields: readonly string[]) => string;
  /** Time of a line [ms since the Unix epoch]; NaN when it is not a time. */
  readonly read: (fields: readonly string[]) => number;
}

/** Options for finding the times of a table. */
export interface TimeChoice {
  /** Name of the column; if undefined, a column with a known name is used. */
  readonly column: string | undefined;
  readonly order: 'dmy' | 'mdy' | undefined;
  readonly zone: Zone;
}

/** Known column names in lower case: first columns with whole times, then columns with parts of times. */
const WHOLE = [
  'datetime_utc',
  'datetime',
  'date_time',
  'date time', // NOAA tide gauges
  'timestamp',
  'time_utc',
  'valid_time',
  'date',
  'time',
  't',
  'day',
  'month',
  'decimal_year',
  'decyear',
  'mjd',
  'unix',
  'epoch',
  'year',
  'date/time',
  'yyyy-mm-dd',
  'yyyymmdd',
  'datum',
  'mess_datum',
  'peak_dt', // USGS yearly peaks
];
const YEAR = ['year', 'yr', 'yyyy'];
const MONTH = ['month', 'mon', 'mo', 'mnth'];
const DAY = ['day', 'dd', 'dom', 'dy'];
const DAY_OF_YEAR = ['doy', 'day_of_year', 'yday', 'jday'];
const HOUR = ['hour', 'hr', 'hh'];
const MINUTE = ['minute', 'min'];
const CLOCK = ['time', 'time_utc', 'time (gmt)', 'time (utc)', 'clock', 'hh:mm', 'uhrzeit'];
/** USGS column with the time zone of each line. */
const CLOCK_CODE = 'tz_cd';
/** Offsets of the codes in `tz_cd` [hours ahead of UTC]. */
const CLOCK_CODES: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  ast: -4,
  adt: -3,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  akst: -9,
  akdt: -8,
  hst: -10,
  sst: -11,
  chst: 10,
};

/** Names of date columns, whose time of day may be in another column. */
const DATES = new Set(['date', 'day', 'yyyy-mm-dd', 'yyyymmdd', 'datum']);

/** Expected forms of times, for messages. */
export const TIMES_EXPECTED =
  'a date or time such as 2020-03-31, 2020-03-31T06:00Z, 31.03.2020, 20200331, 2020.247 or columns year, month, day';

/**
 * Finds the times of a table.
 * @param header column names in lower case
 * @param sample fields of the first lines
 * @throws RangeError naming what is missing or ambiguous
 */
export function timeColumns(
  header: readonly string[],
  sample: readonly (readonly string[])[],
  choice: TimeChoice,
): TimeColumns {
  const find = (names: readonly string[]): number | undefined => {
    const name = names.find((known) => header.includes(known));
    return name === undefined ? undefined : header.indexOf(name);
  };
  if (choice.column !== undefined) {
    const at = header.indexOf(choice.column.toLowerCase());
    if (at < 0) throw new RangeError(`no column ${choice.column}; there are ${header.join(', ')}`);
    return whole(header, sample, at, choice);
  }
  const [year, month, day, doy] = [YEAR, MONTH, DAY, DAY_OF_YEAR].map(find);
  const [hour, minute] = [HOUR, MINUTE].map(find);
  if (year !== undefined && (doy !== undefined || (month !== undefined && isMonth(sample, month))))
    return parts({ year, month, day, doy, hour, minute }, choice.zone);
  const at = find(WHOLE);
  if (at === undefined)
    throw new RangeError(
      `no column of times; expected one of ${WHOLE.slice(0, 8).join(', ')}, or year, month and day; or say --time`,
    );
  const clock = DATES.has(header[at]!) ? find(CLOCK) : undefined;
  if (clock !== undefined) return dateAndClock(header, sample, at, clock, choice);
  if (hour !== undefined && hour !== at) {
    const date = whole(header, sample, at, choice);
    return parts({ date, hour, minute }, choice.zone);
  }
  return whole(header, sample, at, choice);
}

const cell = (fields: readonly string[], column: number | undefined): string =>
  column === undefined ? '' : (fields[column]?.trim() ?? '');

const isMonth = (sample: readonly (readonly string[])[], column: number): boolean =>
  sample.every((fields) => /^\d{1,2}$/.test(cell(fields, column)));

function whole(
  header: readonly string[],
  sample: readonly (readonly string[])[],
  column: number,
  choice: TimeChoice,
): TimeColumns {
  const coded = header.indexOf(CLOCK_CODE);
  const { name, read } = formOf(
    sample.map((fields) => cell(fields, column)),
    coded < 0 ? choice : { ...choice, zone: (ms) => ms },
    header[column]!,
  );
  const text = (fields: readonly string[]): string => cell(fields, column);
  if (coded >= 0) {
    const hours = (fields: readonly string[]): number =>
      CLOCK_CODES[cell(fields, coded).toLowerCase()] ?? Number.NaN;
    return {
      form: `${header[column]} and ${CLOCK_CODE} (${name})`,
      columns: [column, coded],
      text: (fields) => `${text(fields)} ${cell(fields, coded)}`,
      read: (fields) => read(text(fields)) - hours(fields) * 3_600_000,
    };
  }
  return {
    form: `${header[column]} (${name})`,
    columns: [column],
    text,
    read: (fields) => read(text(fields)),
  };
}

function dateAndClock(
  header: readonly string[],
  sample: readonly (readonly string[])[],
  date: number,
  clock: number,
  choice: TimeChoice,
): TimeColumns {
  const text = (fields: readonly string[]): string =>
    `${cell(fields, date)} ${cell(fields, clock).replace('--:--', '')}`.trim();
  const { name, read } = formOf(sample.map(text), choice, `${header[date]} and ${header[clock]}`);
  return {
    form: `${header[date]} and ${header[clock]} (${name})`,
    columns: [date, clock],
    text,
    read: (fields) => read(text(fields)),
  };
}

/** The form that fits most of the sample times. */
function formOf(
  texts: readonly string[],
  { order, zone }: TimeChoice,
  column: string,
): { readonly name: string; readonly read: ReadTime } {
  const tried = TIME_FORMS.map(({ name, reader }) => {
    const read = reader(zone);
    return { name, read, fits: texts.filter((text) => !Number.isNaN(read(text))).length };
  });
  // A form does not have to fit all times: an invalid time is reported with its line number when that line is read.
  const most = Math.max(...tried.map(({ fits }) => fits));
  const forms = tried.filter(({ name, fits }) => {
    if (name.startsWith('day,') && order === 'mdy') return false;
    if (name.startsWith('month,') && order === 'dmy') return false;
    return fits === most && fits > 0;
  });
  const turned = forms.filter(({ name }) => name.startsWith('day,') || name.startsWith('month,'));
  // Dates with points between the numbers are never month first.
  if (turned.length > 1 && !texts[0]!.includes('.'))
    throw new RangeError(
      `${column}: ${texts[0]} may be day and month or month and day: say --date-order dmy or mdy`,
    );
  const [found] = forms;
  if (found?.name === MODIFIED_JULIAN) refuseSpreadsheetDays(texts, found.read, column);
  if (found !== undefined) return found;
  throw new RangeError(`${column}: ${TIMES_EXPECTED} expected, got ${JSON.stringify(texts[0] ?? '')}`);
}

/** Day number of 1970-01-01 in spreadsheets, which count from 1899-12-30. */
const SPREADSHEET_EPOCH = 25_569;
/** Number from which a day can only be a modified Julian one: as a day of a spreadsheet, it is in 2050. */
const JULIAN_FROM = 55_000;

/**
 * Refuses day numbers that may be those of a spreadsheet, whose dates of 2024 are the modified Julian days of 1982.
 * @throws RangeError naming both dates
 */
function refuseSpreadsheetDays(texts: readonly string[], read: ReadTime, column: string): void {
  if (/mjd|julian/i.test(column)) return;
  const text = texts.find((one) => !Number.isNaN(read(one)) && Number(one) < JULIAN_FROM);
  if (text === undefined) return;
  const [julian, sheet] = [read(text), (Number(text) - SPREADSHEET_EPOCH) * DAY_MS].map((ms) =>
    new Date(ms).toISOString().slice(0, 10),
  );
  throw new RangeError(
    `${column}: ${text} may be the modified Julian day of ${julian} or the day number of a spreadsheet for ${sheet}: ` +
      'name the column mjd, or write dates such as 2020-03-31',
  );
}

/** Reads times whose parts are in several columns. */
function parts(
  columns: {
    readonly date?: TimeColumns;
    readonly year?: number | undefined;
    readonly month?: number | undefined;
    readonly day?: number | undefined;
    readonly doy?: number | undefined;
    readonly hour?: number | undefined;
    readonly minute?: number | undefined;
  },
  zone: Zone,
): TimeColumns {
  const { date, year, month, day, doy, hour, minute } = columns;
  const number = (fields: readonly string[], column: number | undefined, absent: number): number => {
    if (column === undefined) return absent;
    const text = cell(fields, column);
    return /^\d{1,4}(\.0*)?$/.test(text) ? Number(text) : Number.NaN;
  };
  const used = [year, month, day, doy, hour, minute].filter((column) => column !== undefined);
  return {
    form: [...(date ? [date.form] : []), 'columns of the parts of the time'].join(' and '),
    columns: [...(date?.columns ?? []), ...used],
    text: (fields) =>
      [date?.text(fields) ?? [], ...used.map((column) => cell(fields, column))].flat().join(' '),
    read(fields) {
      let start: number;
      if (date !== undefined) start = date.read(fields);
      else if (doy !== undefined) {
        const first = dayMs(number(fields, year, 0), 1, 1);
        const next = dayMs(number(fields, year, 0) + 1, 1, 1);
        start = first + (number(fields, doy, 0) - 1) * DAY_MS;
        if (!(start >= first && start < next)) return Number.NaN;
      } else start = dayMs(number(fields, year, 0), number(fields, month, 1), number(fields, day, 1));
      if (hour === undefined) return start;
      // Some files write midnight as 2400, and half past six as 0630.
      const h = number(fields, hour, 0);
      const [hours, minutes] =
        h > 24 && minute === undefined ? [Math.floor(h / 100), h % 100] : [h, number(fields, minute, 0)];
      return zone(start + clockMs(hours, minutes, 0));
    },
  };
}

/**
 * Parses a column name that is a date: 20190105, D20190105 or 2019-01-05 [ms since the Unix epoch]; undefined for
 * others.
 */
export function dateOfName(name: string): number | undefined {
  const found = /^d?(\d{4})[-_]?(\d{2})[-_]?(\d{2})$/i.exec(name);
  const ms = found === null ? Number.NaN : dayMs(Number(found[1]), Number(found[2]), Number(found[3]));
  return Number.isNaN(ms) ? undefined : ms;
}
