import { InvalidInput } from '../../base/errors.ts';
import type { PointsRequest } from '../../app/stations/points-reader.ts';
import { parseMoment } from '../../base/time.ts';
import type { LineReader } from './line-reader.ts';
import { StationRegister } from './station-register.ts';
import { clockMs, dayMs, yearMonthDay } from './time-forms.ts';

/** The formats of GNSS series. */
type Form = 'pos' | 'csv' | 'service' | 'tenv3';

/** Column of each displacement metric in each format. */
const COMPONENTS: Readonly<Record<string, Readonly<Record<Form, string>>>> = {
  displacement: { pos: 'dU', csv: 'Vertical (mm)', service: 'delta U', tenv3: 'up' },
  displacement_up: { pos: 'dU', csv: 'Vertical (mm)', service: 'delta U', tenv3: 'up' },
  displacement_east: { pos: 'dE', csv: 'East (mm)', service: 'delta E', tenv3: 'east' },
  displacement_north: { pos: 'dN', csv: 'North (mm)', service: 'delta N', tenv3: 'north' },
};
/** Column names of a CSV of the EarthScope web service. */
const SERVICE_COLUMNS = /^\W*(date)?time\s*,.*\bdelta [uv]\b/i;
/** First words of the series of PBO, as `.pos` and as CSV. */
const PBO = 'PBO Station Position Time Series';

/** Whether a text is a GNSS series, by its first lines. */
export function isGnssSeries(head: readonly string[]): boolean {
  return (
    /^[\s"]*PBO Station Position|^\s*site\s+YYMMMDD/.test(head[0] ?? '') ||
    head.some((line) => SERVICE_COLUMNS.test(line))
  );
}

interface GnssChoice {
  readonly name: string;
  readonly request: PointsRequest;
}

/** Opens a `.pos` series of a GNSS station, the format of PBO and EarthScope; undefined for other formats. */
export function openPos(head: readonly string[], { name, request }: GnssChoice): LineReader | undefined {
  if (head[0]?.startsWith(PBO) !== true) return undefined;
  const value = (label: string): string =>
    head
      .find((line) => line.startsWith(label))
      ?.slice(label.length)
      .replace(/^[\s:]+/, '')
      .trim() ?? '';
  const last = head.findIndex((line) => line.startsWith('*YYYYMMDD'));
  const [lat, lng] = value('NEU Reference position').split(/\s+/).map(Number);
  if (last < 0 || lat === undefined || lng === undefined)
    throw new InvalidInput(
      `${name}: a .pos file with lines "NEU Reference position" and "*YYYYMMDD" expected in its first ${head.length}`,
      { param: 'file' },
    );
  const names = head[last]!.slice(1).trim().split(/\s+/);
  const column = columnOf(names, componentOf(request, 'pos', name), name);
  const stations = stationAt(name, request, value('4-character ID'), lng, lat);
  return {
    form: 'a GNSS series (.pos of PBO)',
    column: names[column]!,
    unit: 'm',
    stations,
    headerLines: last + 1,
    read(text, line, into) {
      if (text.trim() === '') return;
      const fields = text.trim().split(/\s+/);
      const [date = '', clock = ''] = fields;
      const timeMs =
        dayMs(Number(date.slice(0, 4)), Number(date.slice(4, 6)), Number(date.slice(6))) +
        clockMs(Number(clock.slice(0, -4)), Number(clock.slice(-4, -2)), Number(clock.slice(-2)));
      into.add(
        0,
        timed(timeMs, name, line, `${date} ${clock}`),
        valueAt(fields, column, names, name, line),
        line,
      );
    },
  };
}

/**
 * Opens a series of a GNSS station as PBO and EarthScope (UNAVCO) publish it as CSV; undefined for other formats. The
 * files of the archive state the position and are in millimetres. Those of the web service are in metres, and may leave
 * the position out.
 */
export function openPboCsv(head: readonly string[], { name, request }: GnssChoice): LineReader | undefined {
  const isArchive = head[0]?.replace(/^[\s"]+/, '').startsWith(PBO) === true;
  const first = head.findIndex((line) =>
    isArchive ? /^\W*date\s*,\s*north/i.test(line) : SERVICE_COLUMNS.test(line),
  );
  if (first < 0) return undefined;
  const names = head[first]!.split(',').map((title) => title.replace(/^[#\s"]+|[\s"]+$/g, ''));
  const component = componentOf(request, isArchive ? 'csv' : 'service', name);
  // Earlier files of the web service call the vertical component v.
  const known = names.map((title) => title.toLowerCase().replace(/^delta v$/, 'delta u'));
  const column = columnOf(known, component.toLowerCase(), name);
  const above = head.slice(0, first).join('\n');
  const [lat, lng] = placeAbove(above);
  if ((request.lat ?? lat) === undefined || (request.lng ?? lng) === undefined)
    throw new InvalidInput(`${name} does not state the position of its station: give --lat and --lng`, {
      param: 'lat',
    });
  const key = /(?:4-character ID|(?:station|site)[ _]?id)\W+([A-Z0-9]{4})\b/i.exec(above)?.[1];
  return {
    form: `a GNSS series (CSV of ${isArchive ? 'PBO' : 'EarthScope'})`,
    column: names[column]!,
    unit: isArchive ? 'mm' : 'm',
    stations: stationAt(name, request, key ?? name.replace(/\.\w+$/, ''), lng!, lat!),
    headerLines: first + 1,
    read(text, line, into) {
      if (text.trim() === '' || text.startsWith('#')) return;
      const fields = text.split(',').map((field) => field.trim());
      const moment = parseMoment(fields[0]!);
      const isEmpty = /^(|null|nan|na)$/i.test(fields[column] ?? '');
      into.add(
        0,
        timed(moment?.ms ?? Number.NaN, name, line, fields[0]!),
        isEmpty ? Number.NaN : valueAt(fields, column, names, name, line),
        line,
      );
    },
  };
}

/** Latitude and longitude in the lines above the columns of a series; undefined where they do not state it. */
function placeAbove(text: string): readonly [lat: number | undefined, lng: number | undefined] {
  const number = '(-?\\d+(?:\\.\\d+)?)';
  const [lat, lng] = ['latitude', 'longitude'].map((axis) => {
    const found =
      new RegExp(`${number}\\s*(?:north|east)?\\s*${axis}`, 'i').exec(text) ??
      new RegExp(`${axis}[^\\d\\n-]*${number}`, 'i').exec(text);
    return found === null ? undefined : Number(found[1]);
  });
  return [lat, lng];
}

/**
 * Opens a `.tenv3` series of a GNSS station, the format of the Nevada Geodetic Laboratory; undefined for other
 * formats.
 */
export function openTenv3(head: readonly string[], { name, request }: GnssChoice): LineReader | undefined {
  const names = (head[0] ?? '')
    .trim()
    .split(/\s+/)
    .map((title) => title.replace(/^_+|\(.*\)$/g, ''));
  if (names[0] !== 'site' || names[1] !== 'YYMMMDD' || !names.includes('u0')) return undefined;
  const component = componentOf(request, 'tenv3', name);
  const column = columnOf(names, component, name);
  const whole = names.indexOf(`${component.slice(0, 1)}0`);
  const first = (head[1] ?? '').trim().split(/\s+/);
  const place = ['latitude', 'longitude'].map((title) =>
    names.includes(title) ? Number(first[names.indexOf(title)]) : undefined,
  );
  const lat = request.lat ?? place[0];
  const lng = request.lng ?? place[1];
  if (lat === undefined || lng === undefined)
    throw new InvalidInput(`${name} has no columns of latitude and longitude: give --lat and --lng`, {
      param: 'lat',
    });
  // Positions are relative to the whole metres of the first epoch.
  const zero = Number(first[whole]);
  const east = lng < -180 ? lng + 360 : lng;
  const stations = stationAt(name, request, first[0] ?? '', east, lat);
  return {
    form: 'a GNSS series (.tenv3)',
    column: component,
    unit: 'm',
    stations,
    headerLines: 1,
    read(text, line, into) {
      if (text.trim() === '') return;
      const fields = text.trim().split(/\s+/);
      const timeMs = timed(yearMonthDay(fields[1] ?? ''), name, line, fields[1] ?? '');
      const metres =
        valueAt(fields, whole, names, name, line) - zero + valueAt(fields, column, names, name, line);
      into.add(0, timeMs, Number(metres.toFixed(7)), line);
    },
  };
}

function componentOf({ metric, column }: PointsRequest, form: Form, name: string): string {
  const known = column ?? COMPONENTS[metric]?.[form];
  if (known !== undefined) return known;
  throw new InvalidInput(
    `${name} is a GNSS series: --metric expected one of ${Object.keys(COMPONENTS).join(', ')}; got ${metric}, or --column with one of its own`,
    { param: 'metric' },
  );
}

function columnOf(names: readonly string[], wanted: string, name: string): number {
  const at = names.indexOf(wanted);
  if (at >= 0) return at;
  throw new InvalidInput(`--column: no column ${wanted} in ${name}; there are ${names.join(', ')}`, {
    param: 'column',
  });
}

function stationAt(
  name: string,
  request: PointsRequest,
  key: string,
  lng: number,
  lat: number,
): StationRegister {
  const stations = new StationRegister();
  try {
    stations.add(request.station ?? key, request.lng ?? lng, request.lat ?? lat);
  } catch (error) {
    throw new InvalidInput(`${name}: ${(error as Error).message}`, { param: 'file', cause: error });
  }
  return stations;
}

function timed(timeMs: number, name: string, line: number, got: string): number {
  if (!Number.isNaN(timeMs)) return timeMs;
  throw new InvalidInput(`${name}, line ${line}: a date expected, got ${JSON.stringify(got)}`, {
    param: 'file',
  });
}

function valueAt(
  fields: readonly string[],
  column: number,
  names: readonly string[],
  name: string,
  line: number,
): number {
  const text = fields[column];
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new InvalidInput(
    `${name}, line ${line}, column ${names[column]}: a number expected, got ${JSON.stringify(text ?? '')}`,
    {
      param: 'file',
    },
  );
}
