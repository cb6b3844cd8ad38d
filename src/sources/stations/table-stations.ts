import { InvalidInput } from '../../base/errors.ts';
import { projectionOf } from '../../geo/projection.ts';
import type { StationRegister } from './station-register.ts';
import { degrees, KEY_NAMES, LAT_NAMES, LNG_NAMES } from './station-table.ts';
import { columnOf, type Table } from './table-fields.ts';
import type { TimeColumns } from './time-column.ts';

/** Reference system of the European Ground Motion Service's eastings and northings. */
const EGMS_CRS = 'EPSG:3035';

/**
 * Returns the index of the one station to which all lines belong, if the request or the title of the value column
 * names a station; undefined if each line names its station.
 */
export function fixedStation(table: Table, valueAt: number, stations: StationRegister): number | undefined {
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

/** Refuses a table of several stations if the request gives one position: the stations would be merged. */
function refuseManyStations({ names, sample, name }: Table): void {
  const at = columnOf(names, KEY_NAMES);
  const keys = new Set(at < 0 ? [] : sample.flatMap((fields) => fields[at]?.trim() ?? []));
  if (keys.size > 1)
    throw new InvalidInput(
      `${name} has several stations in its column ${names[at]}; --lat and --lng are of one: give --stations, or columns lat and lng`,
      { param: 'lat' },
    );
}

/** Minimum number of sampled lines for `refuseMoving`: fewer lines may all differ by chance (our choice). */
const MOVING_LINES = 10;

/** Refuses a table whose position differs on every sampled line, because each line would be a separate station. */
export function refuseMoving({ names, sample, name }: Table, time: TimeColumns): void {
  const [key, lat, lng] = [KEY_NAMES, LAT_NAMES, LNG_NAMES].map((known) => columnOf(names, known));
  if (key! >= 0 || !(lat! >= 0 && lng! >= 0) || sample.length < MOVING_LINES) return;
  const places = new Set(sample.map((fields) => `${fields[lat!]},${fields[lng!]}`));
  const times = new Set(sample.map((fields) => time.text(fields)));
  if (places.size === sample.length && times.size === sample.length)
    throw new InvalidInput(
      `${name} has a different position (${names[lat!]}, ${names[lng!]}) at each time, but a station does not move: give --lat and --lng of the station`,
      { param: 'lat' },
    );
}

/** Registers the station of a line. @returns its index in the register */
type PlaceReader = (fields: readonly string[], stations: StationRegister) => number;

/**
 * Returns a reader of the station of a line. It takes the position from columns of the table or from the separate
 * station table; undefined when neither has positions.
 */
export function placeReader({ name, names, known, request, comma }: Table): PlaceReader | undefined {
  const [key, lat, lng] = [
    columnOf(names, KEY_NAMES),
    columnOf(names, LAT_NAMES),
    columnOf(names, LNG_NAMES),
  ];
  for (const column of [lat, lng]) refuseRepeated(name, names, column);
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
      if (Number.isNaN(y)) throw noDegrees(names[lat]!, text(fields, lat));
      if (Number.isNaN(x)) throw noDegrees(names[lng]!, text(fields, lng));
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

function noDegrees(column: string, text: string): RangeError {
  return new RangeError(
    `column ${column}: decimal degrees such as -46.25 expected, got ${JSON.stringify(text)}`,
  );
}

/** @throws InvalidInput when a column of positions stands twice */
function refuseRepeated(name: string, names: readonly string[], column: number): void {
  const titles = names.map((title) => title.toLowerCase());
  if (column >= 0 && titles.lastIndexOf(titles[column]!) > column)
    throw new InvalidInput(`${name}: the column ${names[column]} stands twice; expected once`, {
      param: 'file',
    });
}

export function registered(name: string, line: number, find: () => number): number {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof InvalidInput)) throw error;
    throw new InvalidInput(`${name}, line ${line}: ${error.message}`, { param: 'file', cause: error });
  }
}
