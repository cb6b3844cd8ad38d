import { InvalidInput } from '../../base/errors.ts';
import type { PointsRequest } from '../../app/stations/points-source.ts';
import { projectionOf } from '../../geo/projection.ts';
import type { BatchBuilder } from './batch.ts';
import { separatorOf, splitFields } from './lines.ts';
import { compositeDay } from './composite.ts';
import { maskReader } from './mask.ts';
import { degrees, KEY_NAMES, LAT_NAMES, LNG_NAMES, StationRegister } from './stations.ts';
import { dateOfName, type TimeColumns, timeColumns, TIMES_EXPECTED } from './time-column.ts';
import type { Zone } from './zone.ts';

/** Columns named as dates that make a table one of a column a date [1] (ours). */
const DATE_COLUMNS = 2;
/** Texts that say that nothing was observed, in lower case. */
const NOTHING = new Set(['', 'na', 'nan', 'n/a', 'null', 'none', '-', '--', '---', 'm', 'missing', '*', '.']);
/** The same in files of USGS, which tell in the place of a value why there is none (its codes of instantaneous values). */
const USGS_NOTHING = new Set([
  ...NOTHING,
  ...'ice bkw eqp ssn rat fld dis dry mnt pr tst ukn *** ---'.split(' '),
]);
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
/** Reference system of the European Ground Motion Service's eastings and northings. */
const EGMS_CRS = 'EPSG:3035';

/** Reads a text by lines into observations. */
export interface LineReader {
  readonly form: string;
  readonly column: string | undefined;
  readonly unit: string | undefined;
  readonly stations: StationRegister;
  /** Lines before the first of observations. */
  readonly headerLines: number;
  /** Whether columns of quality and of the day of a composite are read. */
  readonly hasLineColumns?: true;
  /** @throws InvalidInput naming the line and column that cannot be used */
  read(text: string, line: number, into: BatchBuilder): void;
}

/** What a table is opened with. */
export interface TableChoice {
  readonly name: string;
  readonly request: PointsRequest;
  readonly zone: Zone;
  /** Stations whose places are known from elsewhere. */
  readonly known: StationRegister | undefined;
}

/**
 * Recognises a table by its head: an observation a line, a station a column, or a date a column.
 * @param head its first lines
 * @throws InvalidInput saying what is missing
 */
export function openTable(head: readonly string[], choice: TableChoice): LineReader {
  const first = head.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  if (first < 0) throw new InvalidInput(`${choice.name} has no line of column names`, { param: 'file' });
  try {
    return tableBelow(head, first, choice);
  } catch (error) {
    const later = head.findIndex((_, at) => at !== first && namesColumns(head, at, choice));
    if (later < 0) throw error;
    return tableBelow(head, later, choice);
  }
}

/** A line of column names, which some make a comment of, and the lines of fields below it. */
function partsBelow(head: readonly string[], at: number): Pick<Table, 'names' | 'sample' | 'separator'> {
  const titles = head[at]!.replace(/^#+\s*/, '');
  const separator = separatorOf(titles);
  const sample = head
    .slice(at + 1 + widthsBelow(head, at))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => splitFields(line, separator));
  return { names: splitFields(titles, separator).map((column) => column.trim()), sample, separator };
}

/** USGS writes the widths of the columns below their names. */
function widthsBelow(head: readonly string[], at: number): 0 | 1 {
  return /^\d+[sdn](\t\d+[sdn])+$/.test(head[at + 1] ?? '') ? 1 : 0;
}

/** Whether a line below a title, a licence or a list of stations names the columns: one of times, as the next line has it. */
function namesColumns(head: readonly string[], at: number, choice: TableChoice): boolean {
  try {
    const { names, sample } = partsBelow(head, at);
    if (names.length < 2 || sample[0]?.length !== names.length) return false;
    const { timeColumn: column, dateOrder: order } = choice.request;
    const time = timeColumns(lower(names), sample.slice(0, 1), { column, order, zone: choice.zone });
    return !Number.isNaN(time.read(sample[0]));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** @throws InvalidInput saying what is missing */
function tableBelow(head: readonly string[], at: number, choice: TableChoice): LineReader {
  const { name } = choice;
  const refuse = (message: string): never => {
    throw new InvalidInput(`${name}, line ${at + 1}: ${message}`, { param: 'file' });
  };
  try {
    const parts = partsBelow(head, at);
    if (parts.sample.length === 0) refuse('no observations below the column names');
    const widths = widthsBelow(head, at);
    const table: Table = {
      ...choice,
      ...parts,
      headerLines: at + 1 + widths,
      comma: hasDecimalCommas(parts.sample, parts.separator),
      nothing: widths === 0 ? NOTHING : USGS_NOTHING,
    };
    return datesWide(table) ?? timesDown(table);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse(error.message);
  }
}

interface Table extends TableChoice {
  readonly names: readonly string[];
  readonly sample: readonly (readonly string[])[];
  readonly separator: string | RegExp;
  readonly headerLines: number;
  /** Whether numbers have decimal commas. */
  readonly comma: boolean;
  /** Texts that say that nothing was observed, in lower case. */
  readonly nothing: ReadonlySet<string>;
}

function hasDecimalCommas(sample: readonly (readonly string[])[], separator: string | RegExp): boolean {
  const cells = sample.flat().map((text) => text.trim());
  return (
    cells.some((text) => /^[-+]?\d+,\d+$/.test(text)) &&
    (separator !== ',' || !cells.some((text) => /^[-+]?\d+\.\d+$/.test(text)))
  );
}

const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());

/** A column by its name, with a remark in brackets or without: `Latitude (y)`. */
function columnOf(names: readonly string[], known: readonly string[]): number {
  const titles = lower(names).map((name) => name.replace(/ \(\w*\)$/, ''));
  return known.map((name) => titles.indexOf(name)).find((index) => index >= 0) ?? -1;
}

/** A table with a line a station and a column a date, as EGMS publishes them; undefined for another. */
function datesWide(table: Table): LineReader | undefined {
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

/** A table of a line a time: with a column of values, or one for each station. */
function timesDown(table: Table): LineReader {
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

/** A table of a line a time and a column a station. */
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

/** Whether a column is a station's: named as it, or as a letter before its number. */
function isTitleOf(title: string, key: string): boolean {
  return (
    title === key ||
    (/^\d+$/.test(key) && /^[a-z_]+\d+$/i.test(title) && title.replace(/^[a-z_]+/i, '') === key)
  );
}

/** The column of values: that asked for, or that named as the metric, with its unit or without; undefined where there is none. */
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
  const exact = titles.indexOf(request.metric);
  if (exact >= 0) return exact;
  const led = titles.flatMap((title, i) =>
    title.startsWith(`${request.metric}_`) && !time.columns.includes(i) ? [i] : [],
  );
  return led.length === 1 ? led[0] : undefined;
}

function noColumn({ names, name, request, known }: Table, time: TimeColumns): InvalidInput {
  const others = names.filter((_, i) => !time.columns.includes(i)).join(', ');
  return new InvalidInput(
    `${name}: no column named ${request.metric}${known === undefined ? '' : ', and none named as a station'}; ` +
      `expected --column with one of ${others}${known === undefined ? ', or --stations where they are stations' : ''}`,
    { param: 'column' },
  );
}

/** The one station of all lines, where one is given; undefined where lines name theirs. */
function fixedStation(table: Table, valueAt: number, stations: StationRegister): number | undefined {
  const { request, known, names, name } = table;
  const { station, lat, lng } = request;
  if ((lat === undefined) !== (lng === undefined))
    throw new InvalidInput('--lat and --lng: expected both or neither', {
      param: lat === undefined ? 'lat' : 'lng',
    });
  const key = station ?? (known?.find(names[valueAt]!) === undefined ? undefined : names[valueAt]);
  const listed = key === undefined ? undefined : known?.find(key);
  if (lat !== undefined) {
    refuseManyStations(table);
    return stations.add(key ?? `${lat},${lng!}`, lng!, lat);
  }
  if (listed !== undefined) return stations.add(key!, known!.list[listed]!.lng, known!.list[listed]!.lat);
  if (station !== undefined && known !== undefined)
    throw new InvalidInput(
      `--station: no station ${station} in the table of stations; there are ${known.list
        .map((other) => other.key)
        .slice(0, 20)
        .join(', ')}`,
      { param: 'station' },
    );
  if (station !== undefined && placeReader(table) === undefined)
    throw new InvalidInput(`${name} does not say where ${station} stands: give --lat and --lng`, {
      param: 'lat',
    });
  return undefined;
}

/** One place for lines of several stations would make one of them. */
function refuseManyStations({ names, sample, name }: Table): void {
  const at = columnOf(names, KEY_NAMES);
  const keys = new Set(at < 0 ? [] : sample.flatMap((fields) => fields[at]?.trim() ?? []));
  if (keys.size > 1)
    throw new InvalidInput(
      `${name} has several stations in its column ${names[at]}; --lat and --lng are of one: give --stations, or columns lat and lng`,
      { param: 'lat' },
    );
}

/** Lines of which each has another time and another place, from which that is no chance [1] (ours). */
const MOVING_LINES = 10;

/** Columns of a drift, or of what is no place at all though it is named so, would make a station of each line. */
function refuseMoving({ names, sample, name }: Table, time: TimeColumns): void {
  const [key, lat, lng] = [KEY_NAMES, LAT_NAMES, LNG_NAMES].map((known) => columnOf(names, known));
  if (key! >= 0 || !(lat! >= 0 && lng! >= 0) || sample.length < MOVING_LINES) return;
  const places = new Set(sample.map((fields) => `${fields[lat!]},${fields[lng!]}`));
  const times = new Set(sample.map((fields) => time.text(fields)));
  if (places.size === sample.length && times.size === sample.length)
    throw new InvalidInput(
      `${name} has another place (${names[lat!]}, ${names[lng!]}) at each of its times; a station stands still: give --lat and --lng if it does`,
      { param: 'lat' },
    );
}

/** Finds the station of a line. */
type PlaceReader = (fields: readonly string[], stations: StationRegister) => number;

/** By columns of the table, or the table of stations; undefined where neither tells. */
function placeReader({ names, known, request, comma }: Table): PlaceReader | undefined {
  const [key, lat, lng] = [
    columnOf(names, KEY_NAMES),
    columnOf(names, LAT_NAMES),
    columnOf(names, LNG_NAMES),
  ];
  const [east, north] = [columnOf(names, ['easting']), columnOf(names, ['northing'])];
  const text = (fields: readonly string[], column: number): string => fields[column]?.trim() ?? '';
  const number = (fields: readonly string[], column: number): number =>
    degrees(comma ? text(fields, column).replace(',', '.') : text(fields, column));
  const named = (fields: readonly string[], place: string): string =>
    request.station ?? (key < 0 ? place : text(fields, key));
  if (lat >= 0 && lng >= 0)
    return (fields, stations) => {
      const at = key < 0 ? undefined : stations.find(text(fields, key));
      if (at !== undefined && request.station === undefined) {
        const there = stations.list[at]!;
        if (text(fields, lat) === String(there.lat) && text(fields, lng) === String(there.lng)) return at;
      }
      const [y, x] = [number(fields, lat), number(fields, lng)];
      return stations.add(named(fields, `${y},${x}`), x, y);
    };
  if (key >= 0 && known !== undefined)
    return (fields, stations) => {
      const name = text(fields, key);
      const at = stations.find(name);
      if (at !== undefined) return at;
      const listed = known.find(name);
      if (listed === undefined)
        throw new RangeError(`station ${JSON.stringify(name)} is not in the table of stations`);
      return stations.add(name, known.list[listed]!.lng, known.list[listed]!.lat);
    };
  if (east < 0 || north < 0) return undefined;
  const projection = projectionOf(EGMS_CRS);
  return (fields, stations) => {
    const at = key < 0 ? undefined : stations.find(text(fields, key));
    if (at !== undefined) return at;
    const [x, y] = projection.toLngLat(number(fields, east), number(fields, north));
    return stations.add(named(fields, `${text(fields, east)},${text(fields, north)}`), x, y);
  };
}

function registered(name: string, line: number, find: () => number): number {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidInput(`${name}, line ${line}: ${error.message}`, { param: 'file', cause: error });
  }
}

function fieldsOf({ name, separator }: Table, text: string, line: number): readonly string[] {
  try {
    return splitFields(text, separator);
  } catch (error) {
    throw new InvalidInput(`${name}, line ${line}: ${(error as Error).message}`, {
      param: 'file',
      cause: error,
    });
  }
}

function timeAt({ name }: Table, time: TimeColumns, fields: readonly string[], line: number): number {
  const ms = time.read(fields);
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidInput(
    `${name}, line ${line}, time: ${TIMES_EXPECTED} expected as in the lines before (${time.form}), got ${JSON.stringify(time.text(fields))}`,
    { param: 'file' },
  );
}

function numberAt(
  table: Table,
  fields: readonly string[],
  column: number,
  line: number,
  title: string,
): number {
  const text = fields[column];
  if (text === undefined) {
    throw new InvalidInput(
      `${table.name}, line ${line}: ${table.names.length} columns expected as named, got ${fields.length}`,
      { param: 'file' },
    );
  }
  const trimmed = text.trim();
  const plain = table.comma ? trimmed.replace(',', '.') : trimmed;
  if (NUMBER.test(plain)) return Number(plain);
  if (table.nothing.has(plain.toLowerCase())) return Number.NaN;
  throw new InvalidInput(
    `${table.name}, line ${line}, column ${title}: a number expected, or nothing where nothing was observed; got ${JSON.stringify(trimmed)}`,
    { param: 'file' },
  );
}
