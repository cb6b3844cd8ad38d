import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { StationWeather, WeatherReader } from '../../app/layers/derive/weather-record-reader.ts';
import { DAY_MS, parseMoment } from '../../base/time.ts';
import type { CsvRow } from '../../formats/csv/rows.ts';
import { CsvTable, readText } from '../../formats/csv/table.ts';

const KMH_PER_MPS = 3.6;

/** Known names of each column; columns with values at noon come first. */
const NAMES = {
  temperature: [
    'temp_noon_c',
    'temperature_noon_c',
    'temp',
    'temp_c',
    'temperature_c',
    'temperature',
    'tmax_c',
  ],
  maximum: ['tmax', 'tmax_c', 'temperature_max_c'],
  humidity: ['rh_noon_pct', 'rh', 'rh_pct', 'relative_humidity_pct', 'relative_humidity'],
  dewPoint: ['dewpoint_c', 'dew_point_c'],
  wind: ['wind_noon_kmh', 'ws', 'wind_kmh', 'wind_noon_ms', 'wind_ms', 'wind_mean_ms'],
  rain: ['rain_24h_mm', 'prec', 'rain_mm', 'precip_mm', 'precipitation_mm'],
  snow: ['snow_depth_m'],
  lat: ['lat', 'latitude'],
  lng: ['long', 'lng', 'lon', 'longitude'],
  station: ['station', 'station_id', 'stationid', 'wmo', 'wmo_id'],
} as const;

/**
 * Maximum difference between the positions of a station in a file [degrees]: stations are sometimes resurveyed (our
 * choice).
 */
const MOVED_DEG = 0.02;

/** Columns that can replace observations at noon, each with a description of the replacement for the user. */
const PROXIES: Readonly<Record<string, string>> = {
  tmax_c: 'the maximum of the day for the temperature at noon',
  dewpoint_c: 'the humidity at that temperature from the dew point',
  dew_point_c: 'the humidity at that temperature from the dew point',
  wind_mean_ms: 'the mean wind of the day for that at noon',
};

/** Saturation vapour pressure [hPa]. @see doi:10.1175/1520-0493(1980)108<1046:TCOEPT>2.0.CO;2 (Bolton 1980 eq. 10) */
function vapourPressure(temperatureC: number): number {
  return 6.112 * Math.exp((17.67 * temperatureC) / (temperatureC + 243.5));
}

/** Reads daily weather from CSV: a date (or yr, mon, day) and columns of temperature, humidity, wind and rain. */
export class WeatherCsvReader implements WeatherReader {
  async readWeather(path: string): Promise<StationWeather> {
    return parseWeatherCsv(await readText(path), basename(path));
  }
}

/** @throws InvalidInput naming the column or line that cannot be used */
export function parseWeatherCsv(text: string, name: string): StationWeather {
  const table = new CsvTable(text, name, NAMES);
  const columns = {
    temperature: table.demand('temperature'),
    humidity: table.find('humidity') ?? table.find('dewPoint') ?? table.demand('humidity'),
    wind: table.demand('wind'),
    rain: table.demand('rain'),
  };
  const maximum = table.find('maximum') ?? columns.temperature;
  const dated = table.rows.map((row) => ({ row, day: dayOf(row, table) })).sort((a, b) => a.day - b.day);
  if (dated.length === 0) throw new InvalidInput(`${name} has no days`);
  const rows = dated.map(({ row }) => row);
  const days = dated.map(({ day }) => day);
  refuseSecondStation(table);
  for (let i = 1; i < days.length; i++) {
    if (days[i] !== days[i - 1]) continue;
    throw new InvalidInput(
      `${name}, line ${rows[i]!.line}: the day of line ${rows[i - 1]!.line} again; expected one line a day`,
    );
  }
  const values = (column: string): Float64Array =>
    Float64Array.from(rows, (row) =>
      numberOf(table.text(row, column), `${name}, line ${row.line}: ${column}`),
    );
  const temperatureC = values(columns.temperature);
  const moisture = values(columns.humidity);
  const isDewPoint = table.find('humidity') === undefined;
  const perUnit = columns.wind.endsWith('_ms') ? KMH_PER_MPS : 1;
  const snow = table.find('snow');
  const [lat, lng] = (['lat', 'lng'] as const).map((axis) => {
    const column = table.find(axis);
    return column === undefined ? null : values(column)[0]!;
  });
  return {
    lat: lat!,
    lng: lng!,
    days,
    temperatureC,
    maximumC: values(maximum),
    relativeHumidity: isDewPoint
      ? moisture.map((dew, i) =>
          Math.min(100, (100 * vapourPressure(dew)) / vapourPressure(temperatureC[i]!)),
        )
      : moisture,
    windKmh: values(columns.wind).map((wind) => perUnit * wind),
    rainMm: values(columns.rain),
    snowDepthM: snow === undefined ? null : values(snow),
    proxies: Object.values(columns).flatMap((column) => PROXIES[column] ?? []),
  };
}

/**
 * Refuses files of several stations: they would be read as one series.
 * @throws InvalidInput naming the first line of another station
 */
function refuseSecondStation(table: CsvTable<keyof typeof NAMES>): void {
  const [first, ...others] = table.rows;
  for (const what of ['lat', 'lng', 'station'] as const) {
    const column = table.find(what);
    if (column === undefined) continue;
    const here = table.text(first!, column);
    const isOther = (there: string): boolean =>
      what === 'station' ? there !== here : Math.abs(Number(there) - Number(here)) > MOVED_DEG;
    const other = others.find((row) => isOther(table.text(row, column)));
    if (other !== undefined)
      throw new InvalidInput(
        `${table.name}, line ${other.line}: ${column} is ${table.text(other, column)}, ${here} in line ${first!.line}; ` +
          'expected one station: give each a file of its own',
      );
  }
}

function numberOf(text: string, where: string): number {
  if (text === '' || /^(na|nan|null)$/i.test(text)) return Number.NaN;
  const value = Number(text);
  if (!Number.isFinite(value))
    throw new InvalidInput(`${where} is '${text}'; expected a number, or nothing where missing`);
  return value;
}

/** Days since 1970-01-01. */
function dayOf(row: CsvRow, table: CsvTable<keyof typeof NAMES>): number {
  const text = (column: string): string => table.text(row, column);
  const date = ['date', 'datetime'].find((column) => table.has(column));
  const written =
    date === undefined
      ? [text('yr') || text('year'), text('mon') || text('month'), text('day')]
          .map((part, i) => part.padStart(i === 0 ? 4 : 2, '0'))
          .join('-')
      : text(date);
  const moment = parseMoment(written);
  if (moment === undefined)
    throw new InvalidInput(
      `${table.name}, line ${row.line}: the day is '${written}'; expected a date, or yr, mon and day`,
    );
  return Math.floor(moment.ms / DAY_MS);
}
