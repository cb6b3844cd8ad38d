import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { GustRecord, GustRecordReader } from '../../app/layers/derive/gust-records-reader.ts';
import { conversionTo, unitOfName } from '../../app/series/units.ts';
import { parseMoment } from '../../base/time.ts';
import type { CsvRow } from '../../formats/csv/rows.ts';
import { csvRowsOf, readText } from '../../formats/csv/table.ts';
import type { StationRegister } from '../stations/station-register.ts';
import { readStations } from '../stations/station-table.ts';

/** Known names of each column. */
const NAMES = {
  station: ['station', 'station_id', 'code', 'id'],
  lat: ['lat', 'latitude'],
  lng: ['lng', 'lon', 'long', 'longitude'],
  gust: ['gust', 'gust_ms', 'max_gust', 'value'],
  time: ['year', 'date', 'datetime', 'time'],
} as const;

/**
 * Minimum number of values in a year for its maximum to be used, as a share of the number in the station's fullest
 * year [1].
 */
const FULL_YEAR = 0.9;

const YEAR = /^\d{4}$/;
/** Matches the name of a gust column that may end with a unit, such as `max_gust_kmh`. */
const WITH_UNIT = /^(max|wind)?[_ ]?gust[_ ([]/;
/** Texts and codes for a missing value. */
const GAP = /^(|na|nan|n\/a|null|-|-99+(\.9+)?|9999?(\.9+)?)$/i;

/** Reads gusts from CSV: station, lat, lng, gust, and year or date. Positions may come from a station table instead. */
export class GustRecordsCsvReader implements GustRecordReader {
  async readRecords(path: string, stationsPath?: string): Promise<readonly GustRecord[]> {
    const name = basename(path);
    const rows = csvRowsOf(await readText(path), name);
    const places =
      stationsPath === undefined ? undefined : await readStations(stationsPath, rows[0]?.fields ?? []);
    return gustRecords(rows, name, places);
  }
}

interface Station {
  readonly lat: number;
  readonly lng: number;
  readonly years: Map<number, { highest: number; count: number }>;
}

/**
 * Columns of the gusts and of their stations. If a gust column belongs to one station, the title of the column is the
 * name of the station.
 */
interface Layout {
  readonly time: number;
  readonly station: number | undefined;
  readonly lat: number | undefined;
  readonly lng: number | undefined;
  readonly gusts: readonly { readonly column: number; readonly station?: string }[];
  /** Factor from the unit of the gusts to m/s. */
  readonly unit: number;
}

/**
 * Yearly maxima of each station. A line without a gust is a gap. A year with fewer than nine tenths of the values of
 * the station's fullest year is dropped, because its highest gust may be in a gap.
 * @param places positions of the stations, for a table without positions. Such a table may have one gust column per
 * station
 * @throws InvalidInput naming the column or line that cannot be used
 */
export function gustRecords(
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

/** Factor to m/s of the unit at the end of a column's name; undefined when the name has no unit. */
function unitOf(title: string): number | undefined {
  const unit = unitOfName('gust', title);
  return unit === undefined ? undefined : conversionTo('gust', unit).factor;
}
