import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../app/errors.ts';
import type { GustRecord, GustRecordReader } from '../app/gust-records.ts';
import { parseMoment } from '../contract/time.ts';
import { type CsvRow, readCsvRows } from './csv-rows.ts';

/** Names that a column goes by. */
const NAMES = {
  station: ['station', 'station_id', 'code', 'id'],
  lat: ['lat', 'latitude'],
  lng: ['lng', 'lon', 'long', 'longitude'],
  gust: ['gust', 'gust_ms', 'max_gust', 'value'],
  time: ['year', 'date', 'datetime'],
} as const;

/** Share of the values of a station's fullest year that a year needs for its highest to count [1]. */
const FULL_YEAR = 0.9;

const YEAR = /^\d{4}$/;

/** Reads gusts of stations from CSV: station, lat, lng, gust, and the year or date of each. */
export class GustRecordsCsvReader implements GustRecordReader {
  async readRecords(path: string): Promise<readonly GustRecord[]> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    }
    return parseGustRecords(text, basename(path));
  }
}

interface Station {
  readonly lat: number;
  readonly lng: number;
  readonly years: Map<number, { highest: number; count: number }>;
}

/**
 * Yearly maxima of each station. A line without a gust is a gap; a year with less than nine tenths of the values of the
 * station's fullest year does not count, since its highest gust may be in the gap.
 * @throws InvalidInput naming the column or line that cannot be used
 */
export function parseGustRecords(text: string, name: string): readonly GustRecord[] {
  let rows: CsvRow[];
  try {
    rows = [...readCsvRows(text)];
  } catch (error) {
    throw new InvalidInput(`${name}, ${(error as Error).message}`, { cause: error });
  }
  const header = rows.shift()?.fields.map((field) => field.trim().toLowerCase()) ?? [];
  const column = (what: keyof typeof NAMES): number => {
    const at = NAMES[what].map((known) => header.indexOf(known)).find((index) => index >= 0);
    if (at !== undefined) return at;
    throw new InvalidInput(
      `${name}, line 1: no column of ${what}; expected one of ${NAMES[what].join(', ')}, got ${header.join(', ')}`,
    );
  };
  const columns = {
    station: column('station'),
    lat: column('lat'),
    lng: column('lng'),
    gust: column('gust'),
    time: column('time'),
  };
  const stations = new Map<string, Station>();
  for (const { line, fields } of rows) {
    const cell = (what: keyof typeof columns): string => fields[columns[what]]?.trim() ?? '';
    const refuse = (what: keyof typeof columns, expected: string): never => {
      throw new InvalidInput(
        `${name}, line ${line}: ${what} ${JSON.stringify(cell(what))}; expected ${expected}`,
      );
    };
    const numberOf = (what: keyof typeof columns, least: number, most: number): number => {
      const value = cell(what) === '' ? Number.NaN : Number(cell(what));
      return value >= least && value <= most ? value : refuse(what, `a number from ${least} to ${most}`);
    };
    const [lat, lng] = [numberOf('lat', -90, 90), numberOf('lng', -180, 180)];
    const id = cell('station') === '' ? refuse('station', 'a name') : cell('station');
    const station = stations.get(id) ?? { lat, lng, years: new Map() };
    if (station.lat !== lat || station.lng !== lng)
      refuse('station', `it at ${station.lat}, ${station.lng} as before`);
    stations.set(id, station);
    const moment = YEAR.test(cell('time')) ? undefined : parseMoment(cell('time'));
    const year = YEAR.test(cell('time'))
      ? Number(cell('time'))
      : moment === undefined
        ? refuse('time', 'a year or a date')
        : new Date(moment.ms).getUTCFullYear();
    if (cell('gust') === '') continue;
    const gust = numberOf('gust', 0, Number.MAX_VALUE);
    const seen = station.years.get(year);
    if (seen === undefined) station.years.set(year, { highest: gust, count: 1 });
    else {
      seen.highest = Math.max(seen.highest, gust);
      seen.count++;
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
