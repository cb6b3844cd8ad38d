import type { ClassExceedance } from '../assessment.ts';
import type { Gev } from '../../numerics/gev.ts';
import { gevFromLMoments, gevProbability, gevReturnLevel } from '../../numerics/gev.ts';
import type { RegionalShape } from '../storm/gust-climate.ts';
import { regionalGev } from '../storm/gust-climate.ts';
import type { MappedCurve } from '../hazard-curve.ts';
import { sampleLMoments } from '../../numerics/l-moments.ts';

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

/** Return periods that layers of danger are made for [years], as far as the years carry them. */
export const DANGER_RETURN_PERIODS = [2, 5, 10, 25, 50, 100] as const;

/** Return period per year of record: ten years carry a 100-year level (ours, as for gusts). */
const PERIODS_PER_YEAR = 10;

/**
 * Levels of the 7-day Fire Weather Index at DANGER_RETURN_PERIODS, 0 or more; NaN where the years do not carry them. The shape is
 * weighted between the record's own and the region's.
 * @param maxima one a year; fewer than ten give no level
 */
export function dangerLevels(maxima: Float64Array, region: RegionalShape): Float64Array {
  const levels = new Float64Array(DANGER_RETURN_PERIODS.length).fill(Number.NaN);
  if (maxima.length < LEAST_YEARS) return levels;
  if (maxima.every((value) => value === maxima[0])) return levels.fill(maxima[0]!); // where nothing ever burns
  const gev = regionalGev(sampleLMoments(maxima), maxima.length, region);
  for (const [i, years] of DANGER_RETURN_PERIODS.entries())
    if (years <= PERIODS_PER_YEAR * maxima.length) levels[i] = Math.max(0, gevReturnLevel(gev, years));
  return levels;
}

/**
 * How often a year's worst week reaches each of the danger classes, by mapped return levels: straight in the reduced variate
 * between them; beyond them only which side it is on.
 */
export function mappedDangerExceedance(curve: MappedCurve): ClassExceedance[] {
  const { count, variates, levels } = curve;
  return DANGER_CLASSES.map(({ name, fwi }) => {
    let k = 0;
    while (k < count && levels[k]! < fwi) k++;
    if (k === 0)
      return classExceedance(name, fwi, yearlyProbability(variates[0]!), levels[0] === fwi ? null : 1);
    if (k === count) return classExceedance(name, fwi, 0, yearlyProbability(variates[count - 1]!));
    const t = (fwi - levels[k - 1]!) / (levels[k]! - levels[k - 1]!);
    const at = variates[k - 1]! + t * (variates[k]! - variates[k - 1]!);
    return classExceedance(name, fwi, yearlyProbability(at), null);
  });
}

function classExceedance(
  name: string,
  from: number,
  lowest: number,
  highest: number | null,
): ClassExceedance {
  return { name: `${name} fire danger`, from, lowest, highest: highest ?? lowest };
}

/** Probability that a year exceeds the level of a reduced variate. */
function yearlyProbability(variate: number): number {
  return -Math.expm1(-Math.exp(-variate));
}

/** Probability in a year [0-1] that the 7-day mean reaches each of the danger classes, in their order. */
export function dangerExceedance(climate: Gev): number[] {
  return DANGER_CLASSES.map(({ fwi }) => 1 - gevProbability(climate, fwi));
}
