import type { Grid } from '../../../geo/grid.ts';
import { METRES_PER_EQUATOR_DEGREE } from '../../../geo/earth.ts';
import type { WeatherFields } from '../../../risk/wildfire/fire-weather/danger-field.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { fileName } from '../file-name.ts';
import type { DatesReader, RasterStack, StackReader } from '../../imagery/raster-stack.ts';
import type { WeatherReader } from './weather-record-reader.ts';
import { DAY_MS } from '../../../base/time.ts';

/** Stacks of daily noon weather, one band per day, all on one grid. */
export interface WeatherStacks {
  readonly temperature: string;
  /** Daily maximum temperature, for the rule that starts and ends the season. Default: the noon temperature. */
  readonly maximum?: string | undefined;
  readonly humidity: string;
  readonly wind: string;
  readonly rain: string;
  /** Snow depth [m]. */
  readonly snow?: string | undefined;
  readonly dates: string;
  readonly temperatureUnit: 'C' | 'K';
  readonly humidityUnit: '%' | '1';
  readonly windUnit: 'km/h' | 'm/s';
  readonly rainUnit: 'mm' | 'm';
}

/** CSV file of one station, and the size of the area that it represents. */
export interface WeatherStation {
  readonly station: string;
  /** Decimal degrees. Default: the position in the file. */
  readonly lat?: number | undefined;
  readonly lng?: number | undefined;
  /** Half the side [km] of the square around the station to which its values apply. */
  readonly reachKm: number;
}

export type WeatherRequest = WeatherStacks | WeatherStation;

export interface WeatherDeps {
  readonly stacks: StackReader & DatesReader;
  readonly weather: WeatherReader;
}

/** Daily weather on a grid. */
export interface FireWeatherSource {
  readonly grid: Grid;
  /** Days since 1970-01-01, ascending. */
  readonly days: readonly number[];
  /** Name of the source file. */
  readonly name: string;
  /** Phrases that describe the values used in place of noon values; empty when there are none. */
  readonly proxies: readonly string[];
  /** Reads the weather of the k-th day. @throws InvalidInput on a truncated file */
  read(k: number): Promise<WeatherFields>;
  close(): Promise<void>;
}

const ZERO_C_IN_K = 273.15; // definition of the Celsius scale
export const KMH_PER_MPS = 3.6;
/**
 * Tolerance for relative humidity above 100 % [percentage points]. Values from 100 % to 105 % are considered
 * interpolation artefacts and become 100 %.
 */
const HUMIDITY_SLACK = 5;
/**
 * Tolerance for negative rain [mm]. Values from -0.1 mm to 0 are considered interpolation artefacts and become 0.
 */
const RAIN_SLACK_MM = 0.1;

/** Opens daily weather. @throws InvalidInput when files are invalid or do not match each other */
export async function openWeather(
  deps: WeatherDeps,
  request: WeatherRequest,
  needsSnow: boolean,
): Promise<FireWeatherSource> {
  return 'station' in request ? openStation(deps, request, needsSnow) : openStacks(deps, request, needsSnow);
}

async function openStation(
  { weather }: WeatherDeps,
  request: WeatherStation,
  needsSnow: boolean,
): Promise<FireWeatherSource> {
  const found = await weather.readWeather(request.station);
  const name = fileName(request.station);
  const [lat, lng] = [request.lat ?? found.lat, request.lng ?? found.lng];
  if (lat === null || lng === null || !(Math.abs(lat) <= 85) || !(Math.abs(lng) <= 180))
    throw new InvalidInput(`${name} does not say where it stands: give --lat (-85 to 85) and --lng`, {
      param: 'lat',
    });
  if (!(request.reachKm > 0 && request.reachKm <= 500))
    throw new InvalidInput(`reach ${request.reachKm}: expected 0 to 500 km`, { param: 'reach' });
  if (needsSnow && found.snowDepthM === null)
    throw new InvalidInput(`${name} has no column snow_depth_m, which this rule of the season needs`);
  const high = (1000 * request.reachKm) / METRES_PER_EQUATOR_DEGREE;
  const wide = high / Math.cos((lat * Math.PI) / 180);
  const four = (values: Float64Array, k: number): Float64Array => new Float64Array(4).fill(values[k]!);
  return {
    grid: {
      width: 2,
      height: 2,
      crs: 'EPSG:4326',
      proj4: '+proj=longlat +datum=WGS84 +no_defs',
      transform: [lng - wide, wide, 0, lat + high, 0, -high],
    },
    days: found.days,
    name,
    proxies: found.proxies,
    read: (k) =>
      Promise.resolve({
        temperatureC: four(found.temperatureC, k),
        seasonTemperatureC: four(found.maximumC, k),
        relativeHumidity: four(found.relativeHumidity, k).map(saturated),
        windKmh: four(found.windKmh, k),
        rainMm: four(found.rainMm, k).map(dry),
        snowDepthM: needsSnow ? four(found.snowDepthM!, k) : undefined,
      }),
    close: () => Promise.resolve(),
  };
}

async function openStacks(
  { stacks }: WeatherDeps,
  request: WeatherStacks,
  needsSnow: boolean,
): Promise<FireWeatherSource> {
  if (needsSnow && request.snow === undefined)
    throw new InvalidInput('this rule of the season needs a stack of snow depths', { param: 'snow' });
  const opened = new Map<string, RasterStack>();
  const close = async (): Promise<void> => {
    for (const stack of opened.values()) await stack.close();
  };
  const { temperature, maximum, humidity, wind, rain, snow } = request;
  try {
    for (const path of [temperature, maximum, humidity, wind, rain, needsSnow ? snow : undefined])
      if (path !== undefined && !opened.has(path)) opened.set(path, await stacks.open(path));
    const first = opened.get(temperature)!;
    for (const [path, stack] of opened) checkFits(path, stack, temperature, first);
    const dates = (await stacks.readDates(request.dates, first.bandCount)).toSorted(
      (a, b) => a.timeMs - b.timeMs,
    );
    const days = dates.map(({ timeMs }) => Math.floor(timeMs / DAY_MS));
    const twice = days.findIndex((day, i) => day === days[i - 1]);
    if (twice > 0)
      throw new InvalidInput(
        `${fileName(request.dates)}: bands ${dates[twice - 1]!.band} and ${dates[twice]!.band} are of the same day; expected one a day`,
      );
    const toC = request.temperatureUnit === 'K' ? -ZERO_C_IN_K : 0;
    const toPercent = request.humidityUnit === '1' ? 100 : 1;
    const toKmh = request.windUnit === 'm/s' ? KMH_PER_MPS : 1;
    const toMm = request.rainUnit === 'm' ? 1000 : 1;
    const read = async (path: string, k: number, change: (value: number) => number) => {
      const stack = opened.get(path)!;
      const raw = await stack.readBand(dates[k]!.band - 1);
      const values = new Float64Array(raw.length);
      for (let i = 0; i < raw.length; i++)
        values[i] = raw[i] === stack.nodata ? Number.NaN : change(raw[i]! * stack.scale + stack.offset);
      return values;
    };
    return {
      grid: first.grid,
      days,
      name: fileName(temperature),
      proxies: [],
      read: async (k) => {
        const temperatureC = await read(temperature, k, (value) => value + toC);
        return {
          temperatureC,
          seasonTemperatureC:
            maximum === undefined ? temperatureC : await read(maximum, k, (value) => value + toC),
          relativeHumidity: await read(humidity, k, (value) => saturated(value * toPercent)),
          windKmh: await read(wind, k, (value) => value * toKmh),
          rainMm: await read(rain, k, (value) => dry(value * toMm)),
          snowDepthM: needsSnow ? await read(snow!, k, (value) => Math.max(0, value)) : undefined,
        };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function checkFits(path: string, stack: RasterStack, reference: string, first: RasterStack): void {
  const { grid, bandCount } = stack;
  const isSame =
    grid.width === first.grid.width &&
    grid.height === first.grid.height &&
    grid.proj4 === first.grid.proj4 &&
    grid.transform.every((value, i) => Math.abs(value - first.grid.transform[i]!) <= 1e-9 * Math.abs(value));
  if (isSame && bandCount === first.bandCount) return;
  throw new InvalidInput(
    `${fileName(path)} is ${grid.width} x ${grid.height} with ${bandCount} bands; expected the grid and bands of ` +
      `${fileName(reference)}: ${first.grid.width} x ${first.grid.height} with ${first.bandCount}, one a day`,
  );
}

const saturated = (percent: number): number =>
  percent > 100 && percent <= 100 + HUMIDITY_SLACK ? 100 : percent;
const dry = (mm: number): number => (mm < 0 && mm >= -RAIN_SLACK_MM ? 0 : mm);
