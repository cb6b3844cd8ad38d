import { DangerField, type DangerRule } from '../../../risk/wildfire/fire-weather/danger-field.ts';
import { WOTTON_FLANNIGAN } from '../../../risk/wildfire/fire-weather/fire-season.ts';
import type { Observed } from '../observed.ts';
import { usualHours } from './rain-quality.ts';
import { DAY_MS } from '../../../base/time.ts';

const HOUR_MS = 3_600_000;
const KMH_PER_MPS = 3.6;
/** Observations at least this far apart are of days [h]. */
const DAILY_HOURS = 20;
/** How far from noon an observation of noon may be [ms], and hours of the day's rain that must be known (ours). */
const NOON_MS = 1.5 * HOUR_MS;
const LEAST_RAIN_HOURS = 20;
/** Days without weather after which the codes say nothing any more (ours). */
const LONGEST_GAP = 7;
/** As the layers of fire danger are made: current code, season by temperature, drought over the winter by 0.75, 0.75. */
const RULE: DangerRule = {
  variant: 'current',
  season: WOTTON_FLANNIGAN,
  overwintering: { carryOver: 0.75, wetting: 0.75 },
};

/** Weather of one place: temperature [C], relative humidity [%], wind [m/s], rain [mm]. */
export interface ObservedWeather {
  readonly temperature: Observed;
  readonly humidity: Observed;
  readonly wind: Observed;
  readonly rain: Observed;
}

/**
 * The Fire Weather Index of each day whose weather at noon, local standard time, is known. Where there is one observation
 * a day it stands for noon. Times are the days, at 0 h UTC; 0 out of the fire season.
 * @see doi:10.1186/s13717-017-0070-z for the codes
 */
export function fireWeatherSeries(weather: ObservedWeather, lng: number, lat: number): Observed {
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
    values[i] = Number(field.fwi[0]!.toFixed(3)); // the tables of the system print one digit
  }
  return { timesMs, values };
}

/** Noon, local standard time, of a day since 1970-01-01 [ms since the Unix epoch]. */
function noonOf(day: number, lng: number): number {
  return day * DAY_MS + (12 - lng / 15) * HOUR_MS;
}

/** Values by the day of their noon, days since 1970-01-01. */
function atNoon({ timesMs, values }: Observed, lng: number): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  if (usualHours(timesMs) >= DAILY_HOURS) {
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
 * Sums over 24 hours that end at a time of each day, by the day; of observations once a day, those of the day. A day of
 * which fewer hours are known than asked for is not there, nor is any where observations are more than a day apart.
 * @param endOf when the hours of a day end [ms since the Unix epoch]
 */
export function dailySums(
  { timesMs, values }: Observed,
  leastHours: number,
  endOf: (day: number) => number,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  const hours = usualHours(timesMs);
  if (hours >= DAILY_HOURS) {
    if (hours <= 48 - DAILY_HOURS)
      for (let i = 0; i < timesMs.length; i++) sums.set(Math.floor(timesMs[i]! / DAY_MS), values[i]!);
    return sums;
  }
  const counts = new Map<number, number>();
  for (let i = 0; i < timesMs.length; i++) {
    // A sum stands at its end: that of the end of a day is the day's.
    const day = Math.ceil((timesMs[i]! - endOf(0)) / DAY_MS);
    sums.set(day, (sums.get(day) ?? 0) + values[i]!);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  for (const [day, count] of counts) if (count * hours < leastHours) sums.delete(day);
  return sums;
}
