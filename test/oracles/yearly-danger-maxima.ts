import { DANGER_DAYS } from '../../src/risk/wildfire/fire-climate.ts';

/**
 * Returns the highest 7-day mean of the Fire Weather Index of each year that has such a mean, in ascending order of the
 * years. A mean belongs to the year of its last day. Means with a missing day are skipped.
 * @param fwi one value per day, in order without a gap; NaN where missing, 0 out of season
 * @param years year of each day
 * @throws RangeError when the lengths differ
 */
export function yearlyDangerMaxima(fwi: ArrayLike<number>, years: ArrayLike<number>): Float64Array {
  if (fwi.length !== years.length) throw new RangeError('one year per day expected');
  const highest = new Map<number, number>();
  for (let last = DANGER_DAYS - 1; last < fwi.length; last++) {
    let sum = 0;
    for (let day = last - DANGER_DAYS + 1; day <= last; day++) sum += fwi[day]!;
    if (!Number.isFinite(sum)) continue;
    const mean = sum / DANGER_DAYS;
    const year = years[last]!;
    if (!(highest.get(year)! >= mean)) highest.set(year, mean);
  }
  return Float64Array.from([...highest].sort(([a], [b]) => a - b).map(([, value]) => value));
}
