import { setImmediate } from 'node:timers/promises';
import { GUST_SHAPE, regionalShape, type RegionalShape } from '../../../risk/storm/gust-climate.ts';
import { DANGER_RETURN_PERIODS, dangerLevels, LEAST_YEARS } from '../../../risk/wildfire/fire-climate.ts';
import { DangerField, type DangerRule } from '../../../risk/wildfire/fire-weather/danger-field.ts';
import { DangerRecord } from '../../../risk/wildfire/fire-weather/danger-record.ts';
import { GLOBAL_FIRE_WEATHER, WOTTON_FLANNIGAN } from '../../../risk/wildfire/fire-weather/fire-season.ts';
import { mapGrid } from '../../../geo/grid.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { openWeather, type WeatherDeps, type WeatherRequest } from './fire-weather-source.ts';
import type { VersionRequest } from '../layer-checks.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';
import { DAY_MS } from '../../../base/time.ts';

/** Input of a derivation of fire danger, and the version under which the layers are installed. */
export interface FireDangerRequest extends VersionRequest {
  readonly weather: WeatherRequest;
  readonly season: SeasonName;
  readonly variant: DangerRule['variant'];
  /**
   * Rule that carries the drought code over the winter. Null: the drought code starts every spring with the same
   * value.
   */
  readonly overwintering: DangerRule['overwintering'];
}

/** Rules that start and end the fire season; `all-year`: no season. */
export const SEASONS = {
  temperature: WOTTON_FLANNIGAN,
  'temperature-snow': GLOBAL_FIRE_WEATHER,
  'all-year': null,
} as const;
export type SeasonName = keyof typeof SEASONS;

/** Result of a derivation of fire danger. */
export interface DerivedFireDanger {
  readonly added: readonly AddedLayer[];
  /** Number of days of weather. `years` is the number of complete years at the place with the most complete years. */
  readonly days: number;
  readonly years: number;
  /** Phrases that describe the values used in place of noon values; empty when there are none. */
  readonly proxies: readonly string[];
}

/** Maximum gap in the weather [days] (own choice). After a longer gap, the moisture codes are meaningless. */
const LONGEST_GAP = 7;
/**
 * Limit [%] for detecting humidity that is given as a fraction: if no relative humidity of a record exceeds it, the
 * values of the record are fractions, not percent.
 */
const DRIEST = 1.5;
/** Maximum number of pixels: each takes about 400 bytes of memory. */
const MOST_PLACES = 2 ** 20;
/** Approximate number of evenly spread records from which the regional shape of the distribution is estimated. */
const SHAPE_RECORDS = 1000;
/** Minimum number of usable records to estimate the regional shape. With fewer records, the general shape is used. */
const LEAST_RECORDS = 5;
/** Number of pixel-days processed in one group, after which the event loop can run other work. A group takes 3 ms. */
const PLACES_A_TURN = 400;

/**
 * Derives fire danger from daily weather and installs it as layers: the mean index and severity of the four
 * worst months of the year, and return levels of the worst week of the year. The number of complete years
 * limits the return periods. Places with fewer than ten complete years have no return levels.
 * @throws InvalidInput when the weather cannot be used
 */
export async function deriveFireDanger(
  deps: LayerDeps & WeatherDeps,
  request: FireDangerRequest,
): Promise<DerivedFireDanger> {
  const { variant, overwintering } = request;
  const rule: DangerRule = { variant, overwintering, season: SEASONS[request.season] };
  checkOverwintering(overwintering);
  const weather = await openWeather(deps, request.weather, request.season === 'temperature-snow');
  try {
    const { grid, days, name } = weather;
    const count = grid.width * grid.height;
    if (count > MOST_PLACES)
      throw new InvalidInput(`${name} has more than ${MOST_PLACES} pixels: cut it into pieces`);
    const map = mapGrid(grid);
    const latitudes = Float64Array.from({ length: count }, (_, i) => map.pixelCentre(i)[1]);
    const field = new DangerField(latitudes, rule);
    const record = new DangerRecord(latitudes);
    const nothing = new Float32Array(count).fill(Number.NaN);
    const daysATurn = Math.max(1, Math.floor(PLACES_A_TURN / count));
    let isDamp = false;
    for (let k = 0; k < days.length; k++) {
      const gap = k === 0 ? 0 : days[k]! - days[k - 1]! - 1;
      if (gap > LONGEST_GAP)
        throw new InvalidInput(
          `${name} has no weather for the ${gap} days before ${dateOf(days[k]!).text}: give whole years without gaps of more than ${LONGEST_GAP} days`,
        );
      for (let day = days[k]! - gap; day < days[k]!; day++)
        record.add(nothing, nothing, dateOf(day).year, dateOf(day).month);
      const { year, month, text } = dateOf(days[k]!);
      const today = await weather.read(k);
      isDamp ||= Array.prototype.some.call(today.relativeHumidity, (percent) => percent > DRIEST);
      try {
        field.next(today, month);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new InvalidInput(`${name}, ${text}: ${error.message}; check the units`, { cause: error });
      }
      record.add(field.fwi, field.dsr, year, month);
      // The service must answer requests while it derives layers.
      if (k % daysATurn === 0) await setImmediate();
    }
    if (!isDamp)
      throw new InvalidInput(
        `${name} has no humidity above ${DRIEST} % on any day: shares of 1 are --humidity-unit 1`,
        { param: 'humidity-unit' },
      );
    const rasters = dangerRasters(record, count);
    const shared = {
      version: request.version,
      date: request.date ?? dateOf(days.at(-1)!).text,
      licence: request.licence,
      source:
        request.source ??
        // This text does not name the file, because all stations of a version must have the same source text.
        `Fire Weather Index System (${variant}) from daily weather, season by ${request.season}`,
      from: name,
      replace: request.replace,
      environment: request.environment,
    };
    if (rasters.every(({ samples }) => samples.every(Number.isNaN)))
      throw new InvalidInput(
        `${name} has no place whose weather is known in every month of the year (${days.length} days from ${dateOf(days[0]!).text})`,
      );
    const added: AddedLayer[] = [];
    for (const { layer, returnPeriodYears, samples } of rasters)
      if (!samples.every(Number.isNaN))
        added.push(
          await addMadeLayer(deps, { ...shared, layer, returnPeriodYears, raster: { grid, samples } }),
        );
    let years = 0;
    for (let i = 0; i < count; i++) years = Math.max(years, record.worstWeeks(i).length);
    return { added, days: days.length, years, proxies: weather.proxies };
  } finally {
    await weather.close();
  }
}

/** Checks the two shares of the overwintering rule. @throws InvalidInput when a share is out of range */
function checkOverwintering(overwintering: DangerRule['overwintering']): void {
  if (overwintering === null) return;
  const { carryOver, wetting } = overwintering;
  if (!(carryOver > 0 && carryOver <= 1))
    throw new InvalidInput(`carry-over ${carryOver}: expected above 0, at most 1`, { param: 'carry-over' });
  if (!(wetting >= 0 && wetting <= 1))
    throw new InvalidInput(`wetting ${wetting}: expected 0 to 1`, { param: 'wetting' });
}

interface DangerRaster {
  readonly layer: 'fire-danger' | 'fire-severity';
  readonly returnPeriodYears: number | undefined;
  readonly samples: Float32Array;
}

function dangerRasters(record: DangerRecord, count: number): DangerRaster[] {
  const empty = (): Float32Array => new Float32Array(count).fill(Number.NaN);
  const [index, severity] = [empty(), empty()];
  const levels = DANGER_RETURN_PERIODS.map(empty);
  const region = shapeOf(record, count);
  for (let i = 0; i < count; i++) {
    const { fwi, dsr } = record.season(i);
    index[i] = fwi;
    severity[i] = dsr;
    for (const [k, level] of dangerLevels(record.worstWeeks(i), region).entries()) levels[k]![i] = level;
  }
  return [
    { layer: 'fire-danger', returnPeriodYears: undefined, samples: index },
    { layer: 'fire-severity', returnPeriodYears: undefined, samples: severity },
    ...levels.map((samples, k): DangerRaster => ({
      layer: 'fire-danger',
      returnPeriodYears: DANGER_RETURN_PERIODS[k]!,
      samples,
    })),
  ];
}

/** Regional shape of the distribution of worst weeks; the general shape when there are too few records. */
function shapeOf(record: DangerRecord, count: number): RegionalShape {
  const step = Math.max(1, Math.floor(count / SHAPE_RECORDS));
  const records: Float64Array[] = [];
  for (let i = 0; i < count; i += step) {
    const weeks = record.worstWeeks(i);
    if (weeks.length >= LEAST_YEARS && !weeks.every((value) => value === weeks[0])) records.push(weeks);
  }
  return records.length < LEAST_RECORDS ? GUST_SHAPE : regionalShape(records);
}

function dateOf(day: number): { readonly year: number; readonly month: number; readonly text: string } {
  const date = new Date(day * DAY_MS);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    text: date.toISOString().slice(0, 10),
  };
}
