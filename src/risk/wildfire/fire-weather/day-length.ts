/**
 * Effective day lengths [h] by month, January first, one array per latitude band. @see FTR 33; Lawson & Armitage
 * 2008
 */
const NORTH = [6.5, 7.5, 9, 12.8, 13.9, 13.9, 12.4, 10.9, 9.4, 8, 7, 6] as const; // Canada
const NORTHERN_TROPIC = [7.9, 8.4, 8.9, 9.5, 9.9, 10.2, 10.1, 9.7, 9.1, 8.6, 8.1, 7.8] as const; // about 20 N
const SOUTHERN_TROPIC = [10.1, 9.6, 9.1, 8.5, 8.1, 7.8, 7.9, 8.3, 8.9, 9.4, 9.9, 10.2] as const; // about 20 S
const SOUTH = [11.5, 10.5, 9.2, 7.9, 6.8, 6.2, 6.5, 7.4, 8.7, 10, 11.2, 11.8] as const; // about 40 S
const EQUATOR_H = 9; // near the equator [h], the same all year

/** Day length factors of the Drought Code in Canada [0.25 mm/day], by month, January first. */
const NORTH_FACTORS = [-1.6, -1.6, -1.6, 0.9, 3.8, 5.8, 6.4, 5, 2.4, 0.4, -1.6, -1.6] as const; // FTR 33 table
const EQUATOR_FACTOR = 1.4; // between 20 S and 20 N: the mean over the year

/**
 * Effective day length [h] for the Duff Moisture Code, by latitude band: above 30 N, 10 to 30 N, 10 S to 10 N, 30
 * to 10 S, below 30 S.
 * @param month 1 to 12
 * @see Lawson & Armitage 2008, Weather Guide for the Canadian Forest Fire Danger Rating System
 */
export function effectiveDayLengthH(latitude: number, month: number): number {
  const i = monthIndex(month);
  if (latitude > 30) return NORTH[i]!;
  if (latitude > 10) return NORTHERN_TROPIC[i]!;
  if (latitude > -10) return EQUATOR_H;
  return latitude > -30 ? SOUTHERN_TROPIC[i]! : SOUTH[i]!;
}

/**
 * Day length factor of the Drought Code [0.25 mm/day]. North of 20 N these are the factors for Canada. South of 20 S
 * the same factors are shifted by half a year. In between, the factor is constant.
 * @param month 1 to 12
 * @see Lawson & Armitage 2008
 */
export function droughtDayFactor(latitude: number, month: number): number {
  const i = monthIndex(month);
  if (latitude > 20) return NORTH_FACTORS[i]!;
  return latitude > -20 ? EQUATOR_FACTOR : NORTH_FACTORS[(i + 6) % 12]!;
}

function monthIndex(month: number): number {
  if (!Number.isInteger(month) || month < 1 || month > 12)
    throw new RangeError(`month ${month}, 1 to 12 expected`);
  return month - 1;
}
