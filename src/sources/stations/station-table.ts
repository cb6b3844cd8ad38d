import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { Station } from '../../app/series/station-store.ts';
import { encodingOf, separatorOf, splitFields } from './lines.ts';

/** Names that a column goes by, in lower case. */
export const KEY_NAMES = [
  'station',
  'station_id',
  'station_code',
  'code',
  'site',
  'site_id',
  'site_no',
  'series_id',
  'gauge',
  'gauge_id',
  'pid',
  'pixel',
  'point',
  'id',
];
export const LAT_NAMES = ['lat', 'latitude', 'lat_deg'];
export const LNG_NAMES = ['lng', 'lon', 'long', 'longitude', 'lon_deg'];

/** Stations of a file as they turn up, by their keys. */
export class StationRegister {
  readonly list: Omit<Station, 'id'>[] = [];
  readonly #places = new Map<string, number>();

  /** The station's place in the list; undefined when there is none of that key. */
  find(key: string): number | undefined {
    return this.#places.get(key);
  }

  /** @throws RangeError when the key is empty or the station has no place on earth, or two */
  add(key: string, lng: number, lat: number): number {
    const known = this.#places.get(key);
    if (known !== undefined) {
      const there = this.list[known]!;
      if (Math.abs(there.lat - lat) > MOVED || Math.abs(there.lng - lng) > MOVED)
        throw new RangeError(
          `station ${key} stands at ${there.lat}, ${there.lng} before and at ${lat}, ${lng} here`,
        );
      return known;
    }
    if (key === '') throw new RangeError('a station without a name');
    if (!(Math.abs(lat) <= 90))
      throw new RangeError(`station ${key}: a latitude from -90 to 90 expected, got ${lat}`);
    // Some count longitudes to 360 eastward.
    const east = lng > 180 && lng <= 360 ? lng - 360 : lng;
    if (!(Math.abs(east) <= 180))
      throw new RangeError(`station ${key}: a longitude from -180 to 180 expected, got ${lng}`);
    this.#places.set(key, this.list.length);
    this.list.push({ key, lng: Number(east.toFixed(9)), lat });
    return this.list.length - 1;
  }
}

/** A station that moves more [degrees] within a file is two: some 100 m. */
const MOVED = 0.001;

/**
 * Reads a table of stations.
 * @param titles columns of the file whose stations they are, so that both are named by the same column
 * @throws InvalidInput naming the column or line that cannot be used
 */
export async function readStations(path: string, titles: readonly string[]): Promise<StationRegister> {
  const name = basename(path);
  let text: string;
  try {
    const bytes = await readFile(path);
    text = bytes.toString(encodingOf(bytes));
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, {
      param: 'stations',
      cause: error,
    });
  }
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const separator = separatorOf(lines[0]!);
  const header = splitFields(lines[0]!, separator).map((column) => column.trim().toLowerCase());
  const column = (names: readonly string[], what: string): number => {
    const at = names.map((known) => header.indexOf(known)).find((index) => index >= 0);
    if (at !== undefined) return at;
    throw new InvalidInput(
      `${name}, line 1: no column of ${what}; expected one of ${names.join(', ')}, got ${header.join(', ')}`,
      { param: 'stations' },
    );
  };
  const [key, lat, lng] = [
    column(keyNames(header, titles), 'the station'),
    column(LAT_NAMES, 'latitude'),
    column(LNG_NAMES, 'longitude'),
  ];
  const register = new StationRegister();
  for (const [i, line] of lines.entries()) {
    if (i === 0 || line.trim() === '') continue;
    try {
      const fields = splitFields(line, separator).map((field) => field.trim());
      if (register.find(fields[key] ?? '') !== undefined)
        throw new RangeError(`station ${fields[key]} stands twice`);
      register.add(fields[key] ?? '', degrees(fields[lng]), degrees(fields[lat]));
    } catch (error) {
      throw new InvalidInput(`${name}, line ${i + 1}: ${(error as Error).message}`, {
        param: 'stations',
        cause: error,
      });
    }
  }
  return register;
}

/** The column that the file names its stations by; else, where a table has both a code and a name called `station`, the code. */
function keyNames(header: readonly string[], titles: readonly string[]): readonly string[] {
  const lower = new Set(titles.map((title) => title.trim().toLowerCase()));
  const shared = KEY_NAMES.filter((name) => lower.has(name) && header.includes(name));
  const coded = header.includes('code') || header.includes('id') ? ['id', 'code'] : [];
  return [...shared, ...coded, ...KEY_NAMES];
}

/** A number of degrees; NaN for what is none. */
export function degrees(text: string | undefined): number {
  return text === undefined || !/^[-+]?\d+([.,]\d+)?$/.test(text)
    ? Number.NaN
    : Number(text.replace(',', '.'));
}
