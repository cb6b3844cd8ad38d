import { InvalidInput } from '../../base/errors.ts';
import type { PointsRequest } from '../../app/stations/points-reader.ts';
import type { LineReader } from './line-reader.ts';
import { StationRegister } from './station-register.ts';
import { clockMs, dayMs, yearMonthDay } from './time-forms.ts';

/** Column of each displacement metric in the formats `.pos` and `.tenv3`. */
const COMPONENTS: Readonly<Record<string, { readonly pos: string; readonly tenv3: string }>> = {
  displacement: { pos: 'dU', tenv3: 'up' },
  displacement_up: { pos: 'dU', tenv3: 'up' },
  displacement_east: { pos: 'dE', tenv3: 'east' },
  displacement_north: { pos: 'dN', tenv3: 'north' },
};

interface GnssChoice {
  readonly name: string;
  readonly request: PointsRequest;
}

/** Opens a `.pos` series of a GNSS station, the format of PBO and EarthScope; undefined for other formats. */
export function openPos(head: readonly string[], { name, request }: GnssChoice): LineReader | undefined {
  if (head[0]?.startsWith('PBO Station Position Time Series') !== true) return undefined;
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

function componentOf({ metric, column }: PointsRequest, form: 'pos' | 'tenv3', name: string): string {
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
