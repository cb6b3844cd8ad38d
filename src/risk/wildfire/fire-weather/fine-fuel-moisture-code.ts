import type { FwiVariant } from './fwi-variant.ts';
import { fineFuelCode, fineFuelMoisture } from './fwi-variant.ts';
import type { FireWeather } from './fire-weather.ts';

/** Maximum moisture of litter [% of dry weight], FTR 33. */
const SATURATION = 250;

/** Amount of rain that the canopy intercepts [mm], FTR 33 eq. 2. */
const INTERCEPTED_RAIN_MM = 0.5;

/**
 * Fine Fuel Moisture Code (FFMC) in [0, 101]: dryness of litter at noon, computed from the code of the day
 * before. NaN for a negative relative humidity, and if an argument is NaN. Arguments are not validated;
 * `nextFireDanger` validates them.
 * @param yesterday Fine Fuel Moisture Code of the day before
 * @param weather at noon, with the rain of the 24 hours before
 * @see Van Wagner & Pickett 1985, FTR 33 eq. 1-10
 */
export function fineFuelMoistureCode(
  yesterday: number,
  { temperatureC, relativeHumidity, windKmh, rainMm }: FireWeather,
  variant: FwiVariant = 'current',
): number {
  const wet = wetted(fineFuelMoisture(yesterday, variant), rainMm);
  const warmth = 0.18 * (21.1 - temperatureC) * (1 - Math.exp(-0.115 * relativeHumidity));
  const damp = Math.exp((relativeHumidity - 100) / 10);
  const dryEquilibrium = 0.942 * relativeHumidity ** 0.679 + 11 * damp + warmth;
  const wetEquilibrium = 0.618 * relativeHumidity ** 0.753 + 10 * damp + warmth;
  if (Number.isNaN(dryEquilibrium) || Number.isNaN(wetEquilibrium)) return Number.NaN;
  if (wet > dryEquilibrium) {
    const k = rateOfChange(relativeHumidity / 100, windKmh, temperatureC);
    return fineFuelCode(dryEquilibrium + (wet - dryEquilibrium) * 10 ** -k, variant);
  }
  if (wet < wetEquilibrium) {
    const k = rateOfChange((100 - relativeHumidity) / 100, windKmh, temperatureC);
    return fineFuelCode(wetEquilibrium - (wetEquilibrium - wet) * 10 ** -k, variant);
  }
  return fineFuelCode(wet, variant);
}

/** Moisture [%] after the day's rain (eq. 2, 3a, 3b). */
function wetted(moisture: number, rainMm: number): number {
  if (Number.isNaN(rainMm)) return Number.NaN;
  if (rainMm <= INTERCEPTED_RAIN_MM) return Math.min(SATURATION, moisture);
  const rain = rainMm - INTERCEPTED_RAIN_MM;
  const gain = 42.5 * rain * Math.exp(-100 / (251 - moisture)) * (1 - Math.exp(-6.93 / rain));
  const soaked = moisture > 150 ? 0.0015 * (moisture - 150) ** 2 * Math.sqrt(rain) : 0;
  return Math.min(SATURATION, moisture + gain + soaked);
}

/**
 * Log rate of drying or wetting [1/day, base 10] (eq. 4-7).
 * @param fraction relative humidity for drying, its complement for wetting [0-1]
 */
function rateOfChange(fraction: number, windKmh: number, temperatureC: number): number {
  const still = 0.424 * (1 - fraction ** 1.7) + 0.0694 * Math.sqrt(windKmh) * (1 - fraction ** 8);
  return still * 0.581 * Math.exp(0.0365 * temperatureC);
}
