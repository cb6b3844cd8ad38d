import { droughtDayFactor } from './day-length.ts';
import type { FireWeather } from './fire-weather.ts';

/** Amount of rain that does not reach the deep layer [mm], FTR 33 eq. 18. */
const INTERCEPTED_RAIN_MM = 2.8;

/** Temperature below which no moisture evaporates [C], FTR 33. */
const COLDEST_DRYING_C = -2.8;

/**
 * Drought Code (DC), 0 or more: dryness of deep, compact organic matter at noon, computed from the code of the
 * day before. Only the month is validated; `nextFireDanger` validates all arguments.
 * @param yesterday Drought Code of the day before
 * @param weather at noon, with the rain of the 24 hours before
 * @param latitude decimal degrees, for the length of the day
 * @param month 1 to 12
 * @throws RangeError for a month outside 1 to 12
 * @see Van Wagner & Pickett 1985, FTR 33 eq. 18-23
 */
export function droughtCode(
  yesterday: number,
  { temperatureC, rainMm }: Pick<FireWeather, 'temperatureC' | 'rainMm'>,
  latitude: number,
  month: number,
): number {
  const warmth = Math.max(temperatureC, COLDEST_DRYING_C) - COLDEST_DRYING_C;
  const evaporation = Math.max(0, 0.36 * warmth + droughtDayFactor(latitude, month)) / 2;
  return Math.max(0, wetted(yesterday, rainMm) + evaporation);
}

function wetted(code: number, rainMm: number): number {
  if (Number.isNaN(rainMm)) return Number.NaN;
  if (rainMm <= INTERCEPTED_RAIN_MM) return code;
  const rain = 0.83 * rainMm - 1.27;
  const moisture = 800 * Math.exp(-code / 400); // [0.25 mm] eq. 19
  return Math.max(0, code - 400 * Math.log1p((3.937 * rain) / moisture));
}
