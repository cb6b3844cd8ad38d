import type { ClassExceedance } from '../assessment.ts';
import { gevReturnLevel } from '../../numerics/gev.ts';
import type { RegionalShape } from '../storm/gust-climate.ts';
import { regionalGev } from '../storm/gust-climate.ts';
import type { MappedCurve } from '../hazard-curve.ts';
import { sampleLMoments } from '../../numerics/l-moments.ts';

/**
 * Length of the running mean whose yearly maximum is used [days]: fires depend on dry weeks, not on single hot
 * noons.
 */
export const DANGER_DAYS = 7;

/**
 * Danger classes of the European Forest Fire Information System (EFFIS), each with the Fire Weather Index at
 * which it begins.
 * @see European Commission, EFFIS technical background, fire danger forecast
 */
export const DANGER_CLASSES = [
  { name: 'low', fwi: 5.2 },
  { name: 'moderate', fwi: 11.2 },
  { name: 'high', fwi: 21.3 },
  { name: 'very high', fwi: 38 },
  { name: 'extreme', fwi: 50 },
] as const;

/**
 * Minimum length of a record for a fit [years]: fewer than ten years contain no information on the tail (our
 * choice).
 */
export const LEAST_YEARS = 10;

/** Return periods of fire danger layers [years]; periods that the record does not support have no levels. */
export const DANGER_RETURN_PERIODS = [2, 5, 10, 25, 50, 100] as const;

/**
 * Maximum ratio of a return period to the length of the record [1]: ten years support a 100-year level (our
 * choice, as for gusts).
 */
const PERIODS_PER_YEAR = 10;

/**
 * Levels of the 7-day mean Fire Weather Index at DANGER_RETURN_PERIODS, 0 or more; NaN for return periods that
 * the record is too short for. The shape is the weighted mean of the shape of the record and the shape of the
 * region.
 * @param maxima one per year; fewer than ten give no levels
 */
export function dangerLevels(maxima: Float64Array, region: RegionalShape): Float64Array {
  const levels = new Float64Array(DANGER_RETURN_PERIODS.length).fill(Number.NaN);
  if (maxima.length < LEAST_YEARS) return levels;
  if (maxima.every((value) => value === maxima[0])) return levels.fill(maxima[0]!); // such as 0 where nothing can burn
  const gev = regionalGev(sampleLMoments(maxima), maxima.length, region);
  for (const [i, years] of DANGER_RETURN_PERIODS.entries())
    if (years <= PERIODS_PER_YEAR * maxima.length) levels[i] = Math.max(0, gevReturnLevel(gev, years));
  return levels;
}

/**
 * Probability that the worst week of a year reaches each danger class, from mapped return levels: between them
 * linear in the reduced variate; beyond them only an upper or a lower bound is known.
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

/** Probability that the maximum of a year exceeds the level that has this reduced variate. */
function yearlyProbability(variate: number): number {
  return -Math.expm1(-Math.exp(-variate));
}
