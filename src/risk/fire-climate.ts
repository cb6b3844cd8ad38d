import type { Gev } from './gev.ts';
import { gevFromLMoments, gevProbability } from './gev.ts';
import { sampleLMoments } from './l-moments.ts';

/** Days of the mean whose yearly maximum is taken: one hot noon burns nothing, a dry week does. */
export const DANGER_DAYS = 7;

/**
 * Danger classes of the European Forest Fire Information System and the Fire Weather Index each begins at.
 * @see European Commission, EFFIS technical background, fire danger forecast
 */
export const DANGER_CLASSES = [
  { name: 'low', fwi: 5.2 },
  { name: 'moderate', fwi: 11.2 },
  { name: 'high', fwi: 21.3 },
  { name: 'very high', fwi: 38 },
  { name: 'extreme', fwi: 50 },
] as const;

/** Fewest years that a fit is made from: three L-moments need as many, and fewer than ten say nothing of a tail. */
export const LEAST_YEARS = 10;

/**
 * Highest 7-day mean of the Fire Weather Index in each year that has one, years ascending. A mean belongs to the year of its last
 * day; one with a missing day is left out.
 * @param fwi one value a day, in order without a gap; NaN where missing, 0 out of season
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

/**
 * Distribution of the yearly maximum of danger, by L-moments.
 * @throws RangeError on fewer than 10 years, or when all are alike
 */
export function dangerClimate(maxima: Float64Array): Gev {
  if (maxima.length < LEAST_YEARS) throw new RangeError(`${maxima.length} years, ${LEAST_YEARS} expected`);
  return gevFromLMoments(sampleLMoments(maxima));
}

/** Probability in a year [0-1] that the 7-day mean reaches each of the danger classes, in their order. */
export function dangerExceedance(climate: Gev): number[] {
  return DANGER_CLASSES.map(({ fwi }) => 1 - gevProbability(climate, fwi));
}
