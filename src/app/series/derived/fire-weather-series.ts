import { DangerField, type DangerRule } from '../../../risk/wildfire/fire-weather/danger-field.ts';
import { WOTTON_FLANNIGAN } from '../../../risk/wildfire/fire-weather/fire-season.ts';
import type { TimeSeries } from '../time-series.ts';
import { medianIntervalHours } from './rain-quality.ts';
import { DAY_MS, HOUR_MS } from '../../../base/time.ts';

const KMH_PER_MPS = 3.6;
/** Minimum median interval at which the observations of a series count as daily [h]. */
const DAILY_HOURS = 20;
/** Maximum time between noon and the observation that is used for noon [ms] (our choice). */
const NOON_MS = 1.5 * HOUR_MS;
/** Minimum number of hours with known rain for the rain of a day (our choice). */
const LEAST_RAIN_HOURS = 20;
/** Maximum length of a gap [days] (our choice). After a longer gap, the moisture codes restart. */
const LONGEST_GAP = 7;
/**
 * Rule of the codes, the same as for the fire danger layers: current variant, season by temperature, overwintering of
 * the drought code with carry-over 0.75 and wetting 0.75.
 */
const RULE: DangerRule = {
  variant: 'current',
  season: WOTTON_FLANNIGAN,
  overwintering: { carryOver: 0.75, wetting: 0.75 },
};

/** Weather at a place: temperature [C], relative humidity [%], wind [m/s], rain [mm]. */
export interface ObservedWeather {
  readonly temperature: TimeSeries;
  readonly humidity: TimeSeries;
  readonly wind: TimeSeries;
  readonly rain: TimeSeries;
}

/**
 * Fire Weather Index of each day for which the weather at noon, local standard time, is known. Daily observations are
 * used as noon values. The index of a day is dated at 0 h UTC. It is 0 outside the fire season.
 * @see doi:10.1186/s13717-017-0070-z for the codes
 */
export function fireWeatherSeries(weather: ObservedWeather, lng: number, lat: number): TimeSeries {
  const temperature = atNoon(weather.temperature, lng);
  const humidity = atNoon(weather.humidity, lng);
  const wind = atNoon(weather.wind, lng);
  const rain = dailySums(weather.rain, LEAST_RAIN_HOURS, (day) => noonOf(day, lng));
  const days = [...temperature.keys()]
    .filter((day) => humidity.has(day) && wind.has(day) && rain.has(day))
    .toSorted((a, b) => a - b);
  const [timesMs, values] = [new Float64Array(days.length), new Float64Array(days.length)];
  let field = new DangerField([lat], RULE);
  for (const [i, day] of days.entries()) {
    if (i > 0 && day - days[i - 1]! - 1 > LONGEST_GAP) field = new DangerField([lat], RULE);
    const temperatureC = [temperature.get(day)!];
    field.next(
      {
        temperatureC,
        seasonTemperatureC: temperatureC,
        relativeHumidity: [humidity.get(day)!],
        windKmh: [KMH_PER_MPS * wind.get(day)!],
        rainMm: [rain.get(day)!],
      },
      new Date(day * DAY_MS).getUTCMonth() + 1,
    );
    timesMs[i] = day * DAY_MS;
    values[i] = Number(field.fwi[0]!.toFixed(3)); // three decimals: the published tables have only one
  }
  return { timesMs, values };
}

/** Noon of a day in local standard time [ms since the Unix epoch]. @param day days since 1970-01-01 */
function noonOf(day: number, lng: number): number {
  return day * DAY_MS + (12 - lng / 15) * HOUR_MS;
}

/** Returns the noon values by day [days since 1970-01-01]. */
function atNoon({ timesMs, values }: TimeSeries, lng: number): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  if (medianIntervalHours(timesMs) >= DAILY_HOURS) {
    for (let i = 0; i < timesMs.length; i++) found.set(Math.floor(timesMs[i]! / DAY_MS), values[i]!);
    return found;
  }
  const distances = new Map<number, number>();
  for (let i = 0; i < timesMs.length; i++) {
    const day = Math.round((timesMs[i]! - noonOf(0, lng)) / DAY_MS);
    const distance = Math.abs(timesMs[i]! - noonOf(day, lng));
    if (distance > NOON_MS || distance >= (distances.get(day) ?? Infinity)) continue;
    distances.set(day, distance);
    found.set(day, values[i]!);
  }
  return found;
}

/**
 * Sums over the 24 hours that end at a given time of each day, by day [days since 1970-01-01]. Daily observations are
 * not summed: each is the sum of its day. Days with data for fewer than `leastHours` hours are left out. Empty if the
 * observations are more than about a day apart.
 * @param endOf end of the 24 hours of a day [ms since the Unix epoch]
 */
export function dailySums(
  { timesMs, values }: TimeSeries,
  leastHours: number,
  endOf: (day: number) => number,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  const hours = medianIntervalHours(timesMs);
  if (hours >= DAILY_HOURS) {
    if (hours <= 48 - DAILY_HOURS)
      for (let i = 0; i < timesMs.length; i++) sums.set(Math.floor(timesMs[i]! / DAY_MS), values[i]!);
    return sums;
  }
  const counts = new Map<number, number>();
  for (let i = 0; i < timesMs.length; i++) {
    // An observation is a sum over the time before it, so an observation at the end of a day belongs to that day.
    const day = Math.ceil((timesMs[i]! - endOf(0)) / DAY_MS);
    sums.set(day, (sums.get(day) ?? 0) + values[i]!);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  for (const [day, count] of counts) if (count * hours < leastHours) sums.delete(day);
  return sums;
}
