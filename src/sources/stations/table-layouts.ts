import { InvalidInput } from '../../base/errors.ts';
import { compositeDay } from './composite-day.ts';
import type { LineReader } from './line-reader.ts';
import { maskReader } from './mask-column.ts';
import { StationRegister } from './station-register.ts';
import { fieldsOf, lower, numberAt, type Table, timeAt } from './table-fields.ts';
import { fixedStation, placeReader, refuseMoving, registered } from './table-stations.ts';
import { dateOfName, type TimeColumns, timeColumns } from './time-column.ts';

/** Minimum number of columns with dates as names for a table to be read as one column per date [1] (our choice). */
const DATE_COLUMNS = 2;

/** Reads a table with one line per station and one column per date, such as EGMS; undefined for other tables. */
export function datesWide(table: Table): LineReader | undefined {
  const { names, request, name } = table;
  const dates = names.flatMap((title, column) => {
    const timeMs = dateOfName(title);
    return timeMs === undefined ? [] : [{ column, timeMs, title }];
  });
  if (dates.length < DATE_COLUMNS) return undefined;
  const place = placeReader(table);
  if (place === undefined)
    throw new RangeError(
      'a column a date, but no place: columns latitude and longitude, or easting and northing in EPSG:3035',
    );
  const stations = new StationRegister();
  return {
    form: `a table of a line a station and a column a date, ${dates.length} of them`,
    column: undefined,
    unit: request.metric.startsWith('displacement') ? 'mm' : undefined, // EGMS
    stations,
    headerLines: table.headerLines,
    read(text, line, into) {
      if (text.trim() === '' || text.startsWith('#')) return;
      const fields = fieldsOf(table, text, line);
      const station = registered(name, line, () => place(fields, stations));
      for (const { column, timeMs, title } of dates)
        into.add(station, timeMs, numberAt(table, fields, column, line, title), line);
    },
  };
}

/** Reads a table with one line per time, and one column of values or one column per station. */
export function timesDown(table: Table): LineReader {
  const { names, request, sample, zone, known, name } = table;
  const time = timeColumns(lower(names), sample, {
    column: request.timeColumn,
    order: request.dateOrder,
    zone,
  });
  const at = valueColumn(table, time);
  if (at === undefined) return stationsWide(table, time);
  const isMasked = maskReader(names, request, name);
  const dayOf = compositeDay(names, request, name);
  const stations = new StationRegister();
  const fixed = fixedStation(table, at, stations);
  const place = fixed === undefined ? placeReader(table) : undefined;
  if (fixed === undefined && place === undefined)
    throw new InvalidInput(
      `${name} does not say where its station stands: give --lat and --lng, or --stations with its place` +
        (known === undefined ? '' : ' and --station with its name'),
      { param: 'lat' },
    );
  if (fixed === undefined) refuseMoving(table, time);
  return {
    form: `a table of a line an observation, times in ${time.form}${table.comma ? ', decimal commas' : ''}`,
    column: names[at]!,
    unit: undefined,
    stations,
    headerLines: table.headerLines,
    hasLineColumns: true,
    read(text, line, into) {
      if (text === '' || text.startsWith('#') || text.trim() === '') return;
      const fields = fieldsOf(table, text, line);
      const station = fixed ?? registered(name, line, () => place!(fields, stations));
      const timeMs = timeAt(table, time, fields, line);
      if (isMasked?.(fields, line) === true) into.add(station, timeMs, Number.NaN, line);
      else
        into.add(
          station,
          dayOf === null ? timeMs : dayOf(fields, timeMs, line),
          numberAt(table, fields, at, line, names[at]!),
          line,
        );
    },
  };
}

/** Reads a table with one line per time and one column per station. */
function stationsWide(table: Table, time: TimeColumns): LineReader {
  const { names, known } = table;
  const stations = new StationRegister();
  const columns = (known?.list ?? []).flatMap(({ key, lng, lat }) => {
    const column = names.findIndex((title, i) => !time.columns.includes(i) && isTitleOf(title, key));
    return column < 0 ? [] : [{ column, station: stations.add(key, lng, lat), title: names[column]! }];
  });
  if (columns.length === 0) throw noColumn(table, time);
  return {
    form: `a table of a line a time and a column a station, ${columns.length} of them, times in ${time.form}`,
    column: undefined,
    unit: undefined,
    stations,
    headerLines: table.headerLines,
    read(text, line, into) {
      if (text.trim() === '' || text.startsWith('#')) return;
      const fields = fieldsOf(table, text, line);
      const timeMs = timeAt(table, time, fields, line);
      for (const { column, station, title } of columns)
        into.add(station, timeMs, numberAt(table, fields, column, line, title), line);
    },
  };
}

/** Whether a column title is the key of a station, or letters followed by a numeric key (`q12` for `12`). */
function isTitleOf(title: string, key: string): boolean {
  return (
    title === key ||
    (/^\d+$/.test(key) && /^[a-z_]+\d+$/i.test(title) && title.replace(/^[a-z_]+/i, '') === key)
  );
}

/**
 * The column of values: the requested one, or the one with the metric's name and optionally a unit; undefined when
 * missing.
 */
function valueColumn(table: Table, time: TimeColumns): number | undefined {
  const { names, request } = table;
  const titles = lower(names);
  if (request.column !== undefined) {
    const at = [names.indexOf(request.column), titles.indexOf(request.column.toLowerCase())].find(
      (i) => i >= 0,
    );
    if (at === undefined)
      throw new InvalidInput(
        `--column: no column ${request.column} in ${table.name}; there are ${names.join(', ')}`,
        {
          param: 'column',
        },
      );
    return at;
  }
  const joined = titles.map((title) => title.replaceAll(' ', '_'));
  for (const wanted of [request.metric, ...(request.otherColumns ?? [])]) {
    const exact = joined.indexOf(wanted);
    if (exact >= 0) return exact;
    const led = joined.flatMap((title, i) =>
      isLedBy(title, wanted) && !time.columns.includes(i) ? [i] : [],
    );
    if (led.length === 1) return led[0];
  }
  return undefined;
}

/** Whether a title is a name and a unit, such as `max_gust_kmh` or `flow (m3/s)`. */
function isLedBy(title: string, wanted: string): boolean {
  return title.startsWith(wanted) && /^[_ ([]/.test(title.slice(wanted.length));
}

function noColumn({ names, name, request, known }: Table, time: TimeColumns): InvalidInput {
  const others = names.filter((_, i) => !time.columns.includes(i)).join(', ');
  return new InvalidInput(
    `${name}: no column named ${[request.metric, ...(request.otherColumns ?? [])].join(' or ')}${known === undefined ? '' : ', and none named as a station'}; ` +
      `expected --column with one of ${others === '' ? '(there is none)' : others}${known === undefined ? ', or --stations where they are stations' : ''}`,
    { param: 'column' },
  );
}
