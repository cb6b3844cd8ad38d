import type { FwiVariant } from './fwi-variant.ts';
import { fineFuelMoisture } from './fwi-variant.ts';

/** Wind at and above which the wind function of the Fire Behaviour Prediction System levels off [km/h]. */
const STRONG_WIND_KMH = 40;

/**
 * Initial Spread Index (ISI), 0 or more: the rate of spread from wind and fine fuel moisture.
 * @param ffmc Fine Fuel Moisture Code, [0, 101]
 * @param windKmh at noon, at 10 m in the open
 * @param levelledWind whether to use, at 40 km/h and above, the wind function of the Fire Behaviour Prediction
 *   System. Its value levels off at 12. The wind function of the Fire Weather Index System does not level off (FTR 33)
 * @see Van Wagner & Pickett 1985, FTR 33 eq. 24-26; Forestry Canada 1992, ST-X-3 eq. 53a
 */
export function initialSpreadIndex(
  ffmc: number,
  windKmh: number,
  variant: FwiVariant = 'current',
  levelledWind = false,
): number {
  const moisture = fineFuelMoisture(ffmc, variant);
  const wind =
    levelledWind && windKmh >= STRONG_WIND_KMH
      ? 12 * (1 - Math.exp(-0.0818 * (windKmh - 28)))
      : Math.exp(0.05039 * windKmh);
  return 0.208 * wind * 91.9 * Math.exp(-0.1386 * moisture) * (1 + moisture ** 5.31 / 4.93e7);
}
