import { cosine, exponential, logarithm } from './portable-math.ts';
import { normal, uniform } from './random.ts';
import { DAY_MS } from '../base/time.ts';

/** Start of the first simulated day [ms since the Unix epoch]: day 0 of all day numbers in the sandbox. */
export const FIRST_DAY_MS = Date.UTC(2022, 0, 1);

/** Weather of one day at the shore, as reported by a station at noon. */
export interface Weather {
  /** Air temperature [degrees C]. */
  readonly temperatureC: number;
  /** Relative humidity [%]. */
  readonly humidity: number;
  /** Wind at 10 m [km/h]. */
  readonly windKmh: number;
  /** Highest gust of the day [m/s]. */
  readonly gustMps: number;
  /** Rain or melted snow in the 24 hours to noon [mm]. */
  readonly rainMm: number;
}

/** Planted periods of unusual weather, from the first to the last day inclusive. */
export const SPELLS = [
  { what: 'drought', from: dayOf(2023, 6, 5), to: dayOf(2023, 8, 25) },
  { what: 'heat', from: dayOf(2023, 7, 10), to: dayOf(2023, 7, 19) },
  { what: 'drought', from: dayOf(2024, 7, 1), to: dayOf(2024, 8, 12) },
  { what: 'heat', from: dayOf(2024, 7, 20), to: dayOf(2024, 7, 29) },
  { what: 'deluge', from: dayOf(2024, 10, 3), to: dayOf(2024, 10, 7) },
  { what: 'storm', from: dayOf(2023, 12, 14), to: dayOf(2023, 12, 15) },
  { what: 'cold', from: dayOf(2022, 12, 8), to: dayOf(2022, 12, 22) },
] as const;

type Spell = (typeof SPELLS)[number]['what'];

/** Day number of a date; `month` counts from 1. */
export function dayOf(year: number, month: number, date: number): number {
  return Math.round((Date.UTC(year, month - 1, date) - FIRST_DAY_MS) / DAY_MS);
}

/** Date of a day number, as YYYY-MM-DD. */
export function dateOfDay(day: number): string {
  return new Date(FIRST_DAY_MS + day * DAY_MS).toISOString().slice(0, 10);
}

/** Year of a day number, and day of the year (0 is 1 January). */
export function calendar(day: number): { readonly year: number; readonly dayOfYear: number } {
  const year = new Date(FIRST_DAY_MS + day * DAY_MS).getUTCFullYear();
  return { year, dayOfYear: day - dayOf(year, 1, 1) };
}

/** Position of a day in the season, from -1 in late January to 1 in late July. */
export function seasonOf(day: number): number {
  return cosine((2 * Math.PI * (calendar(day).dayOfYear - 205)) / 365.25);
}

const MEMORY = 0.75; // share of a day's departure from the seasonal mean that remains on the next day
const WARM_UP = 60; // number of days computed before the first one, so that the initial values have no effect

/**
 * Weather of the days `[from, days)`. A larger `days` does not change the weather of a day. All `SPELLS` begin after
 * day 0.
 */
export function makeWeather(seed: number, days: number, from = 0): readonly Weather[] {
  const weather: Weather[] = [];
  let [warmth, front] = [0, 0]; // departures from the season [sigma], autoregressive
  const gain = Math.sqrt(1 - MEMORY * MEMORY);
  for (let day = from - WARM_UP; day < days; day++) {
    warmth = MEMORY * warmth + gain * normal(seed, 21, day);
    front = MEMORY * front + gain * normal(seed, 22, day); // a high value means low pressure
    if (day >= from) weather.push(weatherOf(seed, day, warmth, front));
  }
  return weather;
}

const HEAT_C = 10; // temperature added in a heat wave, in addition to the temperature added in the drought around it
const STORM_KMH = 70; // wind added on days of a storm
const MEAN_WIND_KMH = 18; // annual mean: 5 m/s; 3.7 to 6.4 m/s at Irish stations (Haslett & Raftery 1989)
/**
 * Seasonal amplitude of the logarithm of the wind: the ratio of January to July is 1.43; at Irish stations it is 1.26
 * to 1.55.
 */
const WIND_SEASON = 0.18;
/**
 * Correlation of wind and front. It gives the wind a lag-one autocorrelation of .55; at Irish stations it is .46 to
 * .59.
 */
const FRONT_SHARE = 0.87;
const GUST_FACTOR = { least: 1.5, range: 0.2 }; // highest gust of the day divided by the wind at noon (our choice)
const WEIBULL_MEAN = Math.sqrt(Math.PI) / 2; // mean of a Weibull distribution with scale 1 and shape 2: Gamma(1.5)

function weatherOf(seed: number, day: number, warmth: number, front: number): Weather {
  const season = seasonOf(day);
  const isIn = (what: Spell): boolean =>
    SPELLS.some((spell) => spell.what === what && day >= spell.from && day <= spell.to);
  const isDry = isIn('drought');
  const isDeluge = isIn('deluge');
  const wetness = front - 0.35 * season - (isDry ? 2.2 : 0) + (isDeluge ? 3 : 0);
  const draw = -logarithm(1 - 0.999 * uniform(seed, 23, day));
  const windKmh = windOf(seed, day, season, front) + (isIn('storm') ? STORM_KMH : 0);
  return {
    temperatureC:
      12 +
      7.5 * season +
      3 * warmth +
      (isDry ? 5 : 0) +
      (isIn('heat') ? HEAT_C : 0) -
      (isIn('cold') ? 11 : 0),
    humidity: Math.min(
      100,
      Math.max(12, 66 + 12 * front - 10 * season - (isDry ? 22 : 0) + 5 * normal(seed, 25, day)),
    ),
    windKmh,
    gustMps: (windKmh / 3.6) * (GUST_FACTOR.least + GUST_FACTOR.range * uniform(seed, 26, day)),
    rainMm: wetness > 0.25 ? 6 * wetness * draw * (isDeluge ? 2.5 : 1) : 0,
  };
}

/**
 * Wind with a Weibull distribution of shape 2 [km/h], which is typical over land and sea (Justus et al. 1978; 1.9 to
 * 2.5 at the Irish stations). It is computed from a normal variate (Brown, Katz & Murphy 1984).
 */
function windOf(seed: number, day: number, season: number, front: number): number {
  const own = Math.sqrt(1 - FRONT_SHARE * FRONT_SHARE);
  const strength = FRONT_SHARE * front + own * normal(seed, 24, day);
  // Logit of the normal distribution (Bowling et al. 2009, doi:10.3926/jiem.2009.v2n1.p114-127), accurate to .00014.
  const logit = strength * (1.5976 + 0.07056 * strength * strength);
  const weibull = Math.sqrt(logarithm(1 + exponential(logit)));
  return (MEAN_WIND_KMH * weibull * exponential(-WIND_SEASON * season)) / WEIBULL_MEAN;
}

const NOON_EXCESS_C = 4; // approximate excess of the temperature at noon over the daily mean
const LAPSE_C_PER_M = 0.0065; // lapse rate of the standard atmosphere (ISO 2533)
const MELT_MM_PER_C = 3.5; // degree-day factor of snow in the open (Hock 2003, doi:10.1016/S0022-1694(03)00257-9)
/** Water equivalent of snow that covers a third of the ground [mm]. */
export const SNOW_COVER_MM = 5;

/**
 * Snow on the ground by day at a height above the sea [mm of water]. On days with a mean temperature below 0.5
 * degrees C, rain falls as snow. On days with a mean above 0, snow melts.
 */
export function snowPack(weather: readonly Weather[], heightM: number): Float32Array {
  let snow = 0;
  return Float32Array.from(weather, ({ temperatureC, rainMm }) => {
    const there = temperatureC - NOON_EXCESS_C - LAPSE_C_PER_M * heightM;
    if (there < 0.5) snow += rainMm;
    snow = Math.max(0, snow - MELT_MM_PER_C * Math.max(0, there));
    return snow;
  });
}
