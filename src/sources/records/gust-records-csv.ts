import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { GustRecord, GustRecordReader } from '../../app/layers/derive/gust-records-reader.ts';
import { conversionTo, unitOfName } from '../../app/series/units.ts';
import { parseMoment } from '../../base/time.ts';
import type { CsvRow } from '../../formats/csv/rows.ts';
import { csvRowsOf, readText } from '../../formats/csv/table.ts';
import { readStations, type StationRegister } from '../stations/stations.ts';

/** Names that a column goes by. */
const NAMES = {
  station: ['station', 'station_id', 'code', 'id'],
  lat: ['lat', 'latitude'],
  lng: ['lng', 'lon', 'long', 'longitude'],
  gust: ['gust', 'gust_ms', 'max_gust', 'value'],
  time: ['year', 'date', 'datetime', 'time'],
} as const;

/** Share of the values of a station's fullest year that a year needs for its highest to count [1]. */
const FULL_YEAR = 0.9;

const YEAR = /^\d{4}$/;
/** Names of columns of gusts that go on with their unit, such as `max_gust_kmh`. */
const WITH_UNIT = /^(max|wind)?[_ ]?gust[_ ([]/;
/** What stands where nothing was measured, as in series at stations. */
const GAP = /^(|na|nan|n\/a|null|-|-99+(\.9+)?|9999?(\.9+)?)$/i;

/** Reads gusts of stations from CSV: station, lat, lng, gust, and the year or date of each; or places from a table of their own. */
export class GustRecordsCsvReader implements GustRecordReader {
  async readRecords(path: string, stationsPath?: string): Promise<readonly GustRecord[]> {
    const name = basename(path);
    const rows = csvRowsOf(await readText(path), name);
    const places =
      stationsPath === undefined ? undefined : await readStations(stationsPath, rows[0]?.fields ?? []);
    return gustRecords(rows, name, places);
  }
}

/** @throws InvalidInput as `gustRecords` does, and for a text that is no CSV */
export function parseGustRecords(text: string, name: string): readonly GustRecord[] {
  return gustRecords(csvRowsOf(text, name), name, undefined);
}

interface Station {
  readonly lat: number;
  readonly lng: number;
  readonly years: Map<number, { highest: number; count: number }>;
}

/** Where in a line a gust is and how its station is known: a column of names, or the name that the column itself has. */
interface Layout {
  readonly time: number;
  readonly station: number | undefined;
  readonly lat: number | undefined;
  readonly lng: number | undefined;
  readonly gusts: readonly { readonly column: number; readonly station?: string }[];
  /** Metres a second of one unit of the gusts. */
  readonly unit: number;
}

/**
 * Yearly maxima of each station. A line without a gust is a gap; a year with less than nine tenths of the values of the
 * station's fullest year does not count, since its highest gust may be in the gap.
 * @param places where the stations stand, when the records do not say; then a column a station will do too
 * @throws InvalidInput naming the column or line that cannot be used
 */
function gustRecords(
  [first, ...rows]: readonly CsvRow[],
  name: string,
  places: StationRegister | undefined,
): readonly GustRecord[] {
  const layout = layoutOf(first?.fields.map((field) => field.trim()) ?? [], name, places);
  const stations = new Map<string, Station>();
  for (const { line, fields } of rows) {
    const cell = (column: number | undefined): string => fields[column ?? -1]?.trim() ?? '';
    const refuse = (what: keyof typeof NAMES, text: string, expected: string): never => {
      throw new InvalidInput(`${name}, line ${line}: ${what} ${JSON.stringify(text)}; expected ${expected}`);
    };
    const numberOf = (what: keyof typeof NAMES, column: number, least: number, most: number): number => {
      const value = cell(column) === '' ? Number.NaN : Number(cell(column));
      return value >= least && value <= most
        ? value
        : refuse(what, cell(column), `a number from ${least} to ${most}`);
    };
    const placeOf = (id: string): { readonly lat: number; readonly lng: number } => {
      if (layout.lat !== undefined && layout.lng !== undefined)
        return { lat: numberOf('lat', layout.lat, -90, 90), lng: numberOf('lng', layout.lng, -180, 180) };
      const known = places?.find(id);
      return known === undefined
        ? refuse('station', id, 'one of the table of stations')
        : places!.list[known]!;
    };
    for (const { column, station: title } of layout.gusts) {
      const id = title ?? cell(layout.station);
      const { lat, lng } = placeOf(id);
      if (id === '') refuse('station', id, 'a name');
      const station = stations.get(id) ?? { lat, lng, years: new Map() };
      if (station.lat !== lat || station.lng !== lng)
        refuse('station', id, `it at ${station.lat}, ${station.lng} as before`);
      stations.set(id, station);
      const time = cell(layout.time);
      const moment = YEAR.test(time) ? undefined : parseMoment(time);
      const year = YEAR.test(time)
        ? Number(time)
        : moment === undefined
          ? refuse('time', time, 'a year or a date')
          : new Date(moment.ms).getUTCFullYear();
      if (GAP.test(cell(column))) continue;
      const gust = layout.unit * numberOf('gust', column, 0, Number.MAX_VALUE);
      const seen = station.years.get(year);
      if (seen === undefined) station.years.set(year, { highest: gust, count: 1 });
      else {
        seen.highest = Math.max(seen.highest, gust);
        seen.count++;
      }
    }
  }
  return [...stations].map(([station, { lat, lng, years }]) => {
    const fullest = Math.max(0, ...[...years.values()].map(({ count }) => count));
    const maxima = [...years.values()]
      .filter(({ count }) => count >= FULL_YEAR * fullest)
      .map(({ highest }) => highest);
    return { station, lat, lng, maxima };
  });
}

function layoutOf(titles: readonly string[], name: string, places: StationRegister | undefined): Layout {
  const header = titles.map((title) => title.toLowerCase());
  const find = (what: keyof typeof NAMES): number | undefined =>
    NAMES[what].map((known) => header.indexOf(known)).find((index) => index >= 0);
  const column = (what: keyof typeof NAMES): number => {
    const at = find(what);
    if (at !== undefined) return at;
    const hint = places === undefined && what !== 'gust' && what !== 'time' ? ', or --stations' : '';
    throw new InvalidInput(
      `${name}, line 1: no column of ${what}; expected one of ${NAMES[what].join(', ')}${hint}, got ${titles.join(', ')}`,
    );
  };
  const named = titles.flatMap((title, i) =>
    places?.find(title) === undefined ? [] : [{ column: i, station: title }],
  );
  if (named.length > 0 && find('station') === undefined)
    return {
      time: column('time'),
      station: undefined,
      lat: undefined,
      lng: undefined,
      gusts: named,
      unit: 1,
    };
  const place = {
    station: column('station'),
    lat: places === undefined ? column('lat') : find('lat'),
    lng: places === undefined ? column('lng') : find('lng'),
  };
  const withUnit = titles.findIndex(
    (title) => WITH_UNIT.test(title.toLowerCase()) && unitOf(title) !== undefined,
  );
  const gust = find('gust') ?? (withUnit < 0 ? column('gust') : withUnit);
  return { ...place, gusts: [{ column: gust }], unit: unitOf(titles[gust]!) ?? 1, time: column('time') };
}

/** Metres a second of the unit that the name of a column ends with; undefined where it names none. */
function unitOf(title: string): number | undefined {
  const unit = unitOfName('gust', title);
  return unit === undefined ? undefined : conversionTo('gust', unit).factor;
}
