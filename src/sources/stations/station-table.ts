import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import { StationRegister } from './station-register.ts';
import { decodedText } from '../../formats/csv/encoding.ts';
import { surplusOf } from '../../formats/csv/rows.ts';
import { separatorOf, splitFields } from './text-lines.ts';

/** Known names of the columns of station, latitude and longitude, in lower case. */
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

/**
 * Reads a table of stations.
 * @param titles column names of the file of observations. A key column that both files have is preferred
 * @throws InvalidInput naming the column or line that cannot be used
 */
export async function readStations(path: string, titles: readonly string[]): Promise<StationRegister> {
  const name = basename(path);
  let text: string;
  try {
    text = decodedText(await readFile(path));
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, {
      param: 'stations',
      cause: error,
    });
  }
  const lines = text.split(/\r?\n/);
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
    if (i === 0 || /^[,;\s]*$/.test(line)) continue; // spreadsheets write lines of separators below a table
    try {
      const fields = splitFields(line, separator).map((field) => field.trim());
      const surplus = typeof separator === 'string' && surplusOf(fields, header.length, separator);
      if (surplus) throw new RangeError(surplus);
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

/**
 * Names of the key column in order of preference: those that the file of observations has, then codes, then other
 * names.
 */
function keyNames(header: readonly string[], titles: readonly string[]): readonly string[] {
  const lower = new Set(titles.map((title) => title.trim().toLowerCase()));
  const shared = KEY_NAMES.filter((name) => lower.has(name) && header.includes(name));
  const coded = header.includes('code') || header.includes('id') ? ['id', 'code'] : [];
  return [...shared, ...coded, ...KEY_NAMES];
}

/** Parses degrees; NaN for other texts. */
export function degrees(text: string | undefined): number {
  return text === undefined || !/^[-+]?\d+([.,]\d+)?$/.test(text)
    ? Number.NaN
    : Number(text.replace(',', '.'));
}
