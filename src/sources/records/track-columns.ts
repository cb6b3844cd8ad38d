import { InvalidInput } from '../../base/errors.ts';
import type { CsvRow } from '../../formats/csv/rows.ts';

/** Index of each column in a table, by its name in IBTrACS. */
export type TrackColumns = ReadonlyMap<string, number>;

/**
 * Other names of the columns in tables of best tracks, in upper case and in order of preference. Winds are one-minute
 * winds in knots and radii are in nautical miles, as in the tables of the United States (HURDAT2, JTWC).
 */
const OTHER_NAMES: readonly (readonly [column: string, names: readonly string[]])[] = [
  ['SID', ['STORM_ID', 'ID', 'STORM', 'ATCF_ID', 'USA_ATCF_ID']],
  ['ISO_TIME', ['TIME', 'DATETIME', 'DATE_TIME', 'DATETIME_UTC', 'TIMESTAMP', 'DATE']],
  ['LAT', ['LATITUDE']],
  ['LON', ['LONGITUDE', 'LONG', 'LNG']],
  [
    'USA_WIND',
    ['USA_WIND_KT', 'WIND_KT', 'WIND_KNOTS', 'VMAX_KT', 'MAX_WIND_KT', 'WIND', 'VMAX', 'MAX_WIND'],
  ],
  [
    'USA_PRES',
    ['USA_PRES_MB', 'PRESSURE_MB', 'PRESSURE_HPA', 'PRES_MB', 'PRESSURE', 'CENTRAL_PRESSURE', 'PRES', 'MSLP'],
  ],
  ['USA_RMW', ['USA_RMW_NMI', 'RMW_NMI', 'RMW_NM', 'RMW']],
  ['USA_POCI', ['USA_POCI_MB', 'POCI_MB', 'POCI']],
];
/**
 * Required columns. A table without a season column gets its seasons from the times. A table without a column of storm
 * ids identifies a storm by its name.
 */
const REQUIRED = ['ISO_TIME', 'LAT', 'LON'] as const;
/**
 * First month of a season in the southern hemisphere, from 0: July. A season is named after the year in which it ends
 * (IBTrACS).
 */
const SOUTHERN_FIRST_MONTH = 6;

/**
 * Finds the columns of a table of best tracks.
 * @param agencies names of the known agencies, such as `USA`
 * @throws InvalidInput naming the missing columns
 */
export function findTrackColumns(
  { fields }: CsvRow,
  agencies: readonly string[],
  name: string,
): TrackColumns {
  const columns = new Map(fields.map((field, i) => [field.trim().toUpperCase(), i]));
  for (const [column, others] of OTHER_NAMES) {
    const other = columns.has(column) ? undefined : others.find((given) => columns.has(given));
    if (other !== undefined) columns.set(column, columns.get(other)!);
  }
  const missing: string[] = REQUIRED.filter((column) => !columns.has(column));
  if (!columns.has('SID') && columns.has('NAME')) columns.set('SID', columns.get('NAME')!);
  const expected = 'expected an IBTrACS v4 CSV, or a table of best tracks with such columns';
  if (missing.length > 0)
    throw new InvalidInput(`${name}, line 1: no column ${missing.join(', ')}; ${expected}`);
  if (!agencies.some((agency) => columns.has(`${agency}_WIND`) || columns.has(`${agency}_PRES`)))
    throw new InvalidInput(
      `${name}, line 1: no agency's winds or pressures, such as USA_WIND or wind_kt, USA_PRES or pressure_mb; ${expected}`,
    );
  return columns;
}

/**
 * Parses the time of a fix: IBTrACS, ISO 8601 or `yyyymmddhh[mm]`, UTC unless it has an offset; NaN for other forms.
 */
export function trackTimeMs(text: string): number {
  const compact = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)?$/.exec(text);
  if (compact !== null) {
    const [, year, month, day, hour, minute = '00'] = compact;
    return Date.parse(`${year}-${month}-${day}T${hour}:${minute}Z`);
  }
  const iso = text.replace(' ', 'T');
  return Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$/i.test(iso) ? iso : iso.includes('T') ? `${iso}Z` : iso);
}

/** Season of a fix, for tables without a column of seasons. */
export function seasonOf(timeMs: number, lat: number): number {
  const date = new Date(timeMs);
  return date.getUTCFullYear() + (lat < 0 && date.getUTCMonth() >= SOUTHERN_FIRST_MONTH ? 1 : 0);
}
