import { effectiveDayLengthH } from './day-length.ts';
import type { FireWeather } from './fire-weather.ts';
import type { FwiVariant } from './fwi-variant.ts';

/** Amount of rain that does not reach the duff [mm], FTR 33 eq. 11. */
const INTERCEPTED_RAIN_MM = 1.5;

/** Temperature below which duff does not dry [C], FTR 33. */
const COLDEST_DRYING_C = -1.1;

/**
 * Duff Moisture Code (DMC), 0 or more: dryness of loosely packed organic matter at noon, computed from the code
 * of the day before. Only the month is validated; `nextFireDanger` validates all arguments.
 * @param yesterday Duff Moisture Code of the day before
 * @param weather at noon, with the rain of the 24 hours before
 * @param latitude decimal degrees, for the length of the day
 * @param month 1 to 12
 * @throws RangeError for a month outside 1 to 12
 * @see Van Wagner & Pickett 1985, FTR 33 eq. 11-17
 */
export function duffMoistureCode(
  yesterday: number,
  { temperatureC, relativeHumidity, rainMm }: Omit<FireWeather, 'windKmh'>,
  latitude: number,
  month: number,
  variant: FwiVariant = 'current',
): number {
  const warmth = Math.max(temperatureC, COLDEST_DRYING_C) - COLDEST_DRYING_C;
  const drying = 1.894e-4 * warmth * (100 - relativeHumidity) * effectiveDayLengthH(latitude, month);
  return Math.max(0, wetted(yesterday, rainMm, variant) + drying);
}

function wetted(code: number, rainMm: number, variant: FwiVariant): number {
  if (Number.isNaN(rainMm)) return Number.NaN;
  if (rainMm <= INTERCEPTED_RAIN_MM) return Math.max(0, code);
  const rain = 0.92 * rainMm - 1.27;
  const ftr33 = variant === 'ftr33';
  const dry = ftr33 ? Math.exp(5.6348 - code / 43.43) : 280 * Math.exp(-0.023 * code); // eq. 12
  // `dry` and `moisture` leave out the constant 20 % of the equations, which would cancel below.
  const moisture = dry + (1000 * rain) / (48.77 + rainSlope(code) * rain);
  const greatest = ftr33 ? 244.72 : 43.43 * 5.6348; // code at 21 % moisture (eq. 15)
  return Math.max(0, greatest - 43.43 * Math.log(moisture));
}

/** Slope of the wetting by rain, as a function of the code (eq. 13a-c). */
function rainSlope(code: number): number {
  if (code <= 33) return 100 / (0.5 + 0.3 * code);
  return code <= 65 ? 14 - 1.3 * Math.log(code) : 6.2 * Math.log(code) - 17.2;
}
