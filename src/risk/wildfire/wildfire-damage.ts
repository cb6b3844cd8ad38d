import type { HazardPoint } from '../assessment.ts';
import { burnProbability, burnRate } from './burn-rate.ts';
import { type FirePlace, severityFactor, USUAL_SEVERITY_SPREAD } from './modelled-rate.ts';
import { UNKNOWN_SEVERITY, UNKNOWN_SEVERITY_ERROR, YEAR_SPREAD } from './seasonal-severity.ts';
import { annualDamageWeights } from '../expected-annual-damage.ts';
import { UNKNOWN_FUEL } from './fire-fuel.ts';
import { dailySeverityRating } from './fire-weather/fire-weather-index.ts';
import { levelAt, type MappedCurve } from '../hazard-curve.ts';
import { normalQuantile } from '../../numerics/normal.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';

/**
 * Return periods of the severity of the fire season of a year [years]. The severity of the first one is exceeded
 * in 99 of 100 years.
 */
export const SEASONS_YEARS = [1.01, 1.25, 2, 5, 10, 25, 50, 100, 250] as const;
const COUNT = SEASONS_YEARS.length;
const WEIGHTS = annualDamageWeights(SEASONS_YEARS);
const WEIGHT_SUM = WEIGHTS.reduce((sum, weight) => sum + weight, 0);
const DEVIATES = SEASONS_YEARS.map((years) => normalQuantile(1 - 1 / years));

/**
 * Ratio of the severity in each of SEASONS_YEARS to the mean severity over all years [1], if no return levels of
 * danger are mapped.
 */
export const USUAL_YEARS: readonly number[] = DEVIATES.map((z) =>
  Math.exp(YEAR_SPREAD * z - YEAR_SPREAD ** 2 / 2),
);

/**
 * Log spread of the severity of a year that is one standard deviation from the median year [1] (our choice): if
 * return levels of danger are mapped, and if not.
 */
const MAPPED_YEAR_ERROR = 0.09;
const USUAL_YEAR_ERROR = 0.1;

/** Log spreads of the loss, for known and for unknown fuel [1] (our choice). */
const LOSS_SPREAD = 0.7;
const UNKNOWN_LOSS_SPREAD = 1;

/** The 95 % quantile of the standard normal distribution. */
const NINETY = normalQuantile(0.95);

/**
 * Number of bisections that find the common factor of the burn rates of all years to the last bits of a double;
 * the initial bracket spans a few powers of ten.
 */
const HALVINGS = 64;

/** Draws of the ratio of the loss to the mean loss. */
const LOSSES = lognormal(DRAWS[2]!, LOSS_SPREAD);
const UNKNOWN_LOSSES = lognormal(DRAWS[2]!, UNKNOWN_LOSS_SPREAD);

/** Working array of one evaluation. */
const annuals = new Float64Array(DRAW_COUNT);

/** Lognormal draws, scaled so that their mean is exactly 1. */
function lognormal(z: Float64Array, logSpread: number): Float64Array {
  const draws = z.map((value) => Math.exp(logSpread * value));
  const mean = draws.reduce((sum, value) => sum + value, 0) / DRAW_COUNT;
  return draws.map((value) => value / mean);
}

function lossesOf({ fuel }: FirePlace): Float64Array {
  return fuel === UNKNOWN_FUEL ? UNKNOWN_LOSSES : LOSSES;
}

/**
 * Damage ratio [0-1] of a building in a fire of this fuel and climate. The losses of fuels are those of the climate of
 * Iberia, in which mixed land has that of the unknown fuel.
 */
function usualLossOf({ fuel, climate }: FirePlace): number {
  const ratio = climate === undefined ? 1 : climate.loss / UNKNOWN_FUEL.conditionalLoss;
  return ratio * fuel.conditionalLoss;
}

/** Mean damage ratio [0-1] of a building when the place burns. */
function meanLossOf(place: FirePlace): number {
  const losses = lossesOf(place);
  const usual = usualLossOf(place);
  let sum = 0;
  for (let k = 0; k < DRAW_COUNT; k++) sum += Math.min(1, usual * losses[k]!);
  return sum / DRAW_COUNT;
}

/** Expected annual damage ratio [1/yr] and equally likely draws of it. */
export interface AnnualDamage {
  readonly mean: number;
  /** The next call overwrites the draws. */
  readonly draws: Float64Array;
}

/**
 * Returns the annual damage. The fire record of a place covers mild and severe years alike. Therefore the mean does
 * not depend on the spread between years, and a place with more danger never has a lower score.
 */
export function wildfireDamage(place: FirePlace): AnnualDamage {
  const rate = burnRate(place);
  const losses = lossesOf(place);
  const usual = usualLossOf(place);
  for (let k = 0; k < DRAW_COUNT; k++)
    annuals[k] = WEIGHT_SUM * burnProbability(rate.draws[k]!) * Math.min(1, usual * losses[k]!);
  return { mean: WEIGHT_SUM * burnProbability(rate.mean) * meanLossOf(place), draws: annuals };
}

/**
 * Ratio of the severity of each of SEASONS_YEARS to the mean severity of the place, from mapped return levels of the
 * worst week of a year. For years milder than that of the first map, the severity is extrapolated from the first map
 * with YEAR_SPREAD. For years rarer than that of the last map, the level of the last map is used.
 * @param variates reduced variates of SEASONS_YEARS
 */
export function yearRatiosOf(curve: MappedCurve, variates: readonly number[]): Float64Array {
  const into = new Float64Array(COUNT);
  const first = curve.variates[0]!;
  const deviate = normalQuantile(Math.exp(-Math.exp(-first)));
  const lowest = dailySeverityRating(curve.levels[0]!);
  let mean = 0;
  for (let i = 0; i < COUNT; i++) {
    into[i] =
      variates[i]! < first
        ? lowest * Math.exp(YEAR_SPREAD * (DEVIATES[i]! - deviate))
        : dailySeverityRating(levelAt(curve, variates[i]!));
    mean += (WEIGHTS[i]! * into[i]!) / WEIGHT_SUM;
  }
  return into.map((severity) => severity / mean);
}

/**
 * Hazard curve of seasonal severity. The mean of the burn probabilities of the years is the burn probability of
 * the place.
 * @param yearRatios ratio of the severity of each of SEASONS_YEARS to the mean severity of the place
 * @param isMapped whether these ratios come from maps
 */
export function wildfireCurve(
  place: FirePlace,
  yearRatios: ArrayLike<number>,
  isMapped: boolean,
): HazardPoint[] {
  const known = Number.isFinite(place.severity);
  const unknown = place.climate === undefined ? UNKNOWN_SEVERITY_ERROR : USUAL_SEVERITY_SPREAD;
  const own = known ? place.severityError : unknown;
  const usual = known ? place.severity : (place.climate?.severity ?? UNKNOWN_SEVERITY);
  const severities = SEASONS_YEARS.map((_, i) => yearRatios[i]! * usual);
  const rates = ratesOfYears(burnRate(place).mean, severities.map(severityFactor));
  const loss = meanLossOf(place);
  return SEASONS_YEARS.map((returnPeriodYears, i) => {
    const spread = Math.hypot(own, (isMapped ? MAPPED_YEAR_ERROR : USUAL_YEAR_ERROR) * DEVIATES[i]!);
    return {
      returnPeriodYears,
      intensity: severities[i]!,
      low: severities[i]! * Math.exp(-NINETY * spread),
      high: severities[i]! * Math.exp(NINETY * spread),
      damageRatio: burnProbability(rates[i]!) * loss,
    };
  });
}

/**
 * Burn rates [1/yr] of the years, proportional to their factors, such that the mean of their burn probabilities
 * is the burn probability of `rate`.
 */
function ratesOfYears(rate: number, factors: readonly number[]): readonly number[] {
  const meanOf = (scale: number): number =>
    factors.reduce((sum, factor, i) => sum + WEIGHTS[i]! * burnProbability(scale * factor), 0) / WEIGHT_SUM;
  const wanted = burnProbability(rate);
  let [low, high] = [rate / Math.max(...factors), rate / Math.min(...factors)];
  for (let k = 0; k < HALVINGS; k++) {
    const middle = (low + high) / 2;
    if (meanOf(middle) < wanted) low = middle;
    else high = middle;
  }
  return factors.map((factor) => low * factor);
}
