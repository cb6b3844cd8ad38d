import type { Assessment, HazardPoint } from '../assessment.ts';
import type { FirePlace } from './burn-rate.ts';
import {
  burnProbability,
  burnRate,
  severityFactor,
  UNKNOWN_SEVERITY,
  UNKNOWN_SEVERITY_ERROR,
  YEAR_SPREAD,
} from './burn-rate.ts';
import { confidenceOfRatios } from '../confidence.ts';
import { annualDamageWeights } from '../expected-annual-damage.ts';
import { UNKNOWN_FUEL } from './fire-fuel.ts';
import { dailySeverityRating } from './fire-weather/fire-weather-index.ts';
import { levelAt, type MappedCurve } from '../hazard-curve.ts';
import { normalQuantile } from '../../numerics/normal.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { riskScore } from '../score.ts';

/** Years whose seasons are as severe as this once in so many: the first is one of the mildest of a century. */
export const SEASONS_YEARS = [1.01, 1.25, 2, 5, 10, 25, 50, 100, 250] as const;
const COUNT = SEASONS_YEARS.length;
const WEIGHTS = annualDamageWeights(SEASONS_YEARS);
const WEIGHT_SUM = WEIGHTS.reduce((sum, weight) => sum + weight, 0);
const DEVIATES = SEASONS_YEARS.map((years) => normalQuantile(1 - 1 / years));

/** Severity of those years over the mean year's, where no return levels of danger are mapped. */
export const USUAL_YEARS: readonly number[] = DEVIATES.map((z) =>
  Math.exp(YEAR_SPREAD * z - YEAR_SPREAD ** 2 / 2),
);

/** Log spread of a year's severity about the place's own, a standard deviation of years away from the median: mapped and not (ours). */
const MAPPED_YEAR_ERROR = 0.09;
const USUAL_YEAR_ERROR = 0.1;

/** Log spreads of the loss [1] (ours). */
const LOSS_SPREAD = 0.7;
const UNKNOWN_LOSS_SPREAD = 1;

/** Standard normal deviate of 95 %. */
const NINETY = normalQuantile(0.95);

/** Halvings that find the years' common factor to the last bits of a double: the bracket is some powers of ten wide. */
const HALVINGS = 64;

/** Draws of the loss over its mean. */
const LOSSES = lognormal(DRAWS[2]!, LOSS_SPREAD);
const UNKNOWN_LOSSES = lognormal(DRAWS[2]!, UNKNOWN_LOSS_SPREAD);

/** Scratch of one evaluation. */
const annuals = new Float64Array(DRAW_COUNT);

/** Lognormal draws of mean 1 over all of them. */
function lognormal(z: Float64Array, logSpread: number): Float64Array {
  const draws = z.map((value) => Math.exp(logSpread * value));
  const mean = draws.reduce((sum, value) => sum + value, 0) / DRAW_COUNT;
  return draws.map((value) => value / mean);
}

function lossesOf({ fuel }: FirePlace): Float64Array {
  return fuel === UNKNOWN_FUEL ? UNKNOWN_LOSSES : LOSSES;
}

/** Mean loss [0-1] of a building where the place burns. */
function meanLossOf(place: FirePlace): number {
  const losses = lossesOf(place);
  let sum = 0;
  for (let k = 0; k < DRAW_COUNT; k++) sum += Math.min(1, place.fuel.conditionalLoss * losses[k]!);
  return sum / DRAW_COUNT;
}

/**
 * The short answer, its confidence as the draws have it. The record of a place tells how often it burns over all of its
 * years, so what the years differ by does not move the mean: a place whose danger grows never scores less.
 */
export function wildfireAssessment(place: FirePlace): Assessment {
  const rate = burnRate(place);
  const losses = lossesOf(place);
  for (let k = 0; k < DRAW_COUNT; k++)
    annuals[k] =
      WEIGHT_SUM * burnProbability(rate.draws[k]!) * Math.min(1, place.fuel.conditionalLoss * losses[k]!);
  const expectedAnnualDamageRatio = WEIGHT_SUM * burnProbability(rate.mean) * meanLossOf(place);
  const score = riskScore(expectedAnnualDamageRatio);
  return { riskScore: score, confidence: confidenceOfRatios(score, annuals), expectedAnnualDamageRatio };
}

/**
 * Severity of each of SEASONS_YEARS over the place's own, by mapped levels of the year's worst week. Milder years than the mildest
 * mapped spread as they usually do; rarer ones than the rarest stay at its level.
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
 * The seasons of the place and what they do: burn probabilities whose mean over the years is the place's.
 * @param yearRatios severity of each of SEASONS_YEARS over the place's own
 * @param isMapped whether the spread of the years is the place's own
 */
export function wildfireCurve(
  place: FirePlace,
  yearRatios: ArrayLike<number>,
  isMapped: boolean,
): HazardPoint[] {
  const known = Number.isFinite(place.severity);
  const own = known ? place.severityError : UNKNOWN_SEVERITY_ERROR;
  const severities = SEASONS_YEARS.map(
    (_, i) => yearRatios[i]! * (known ? place.severity : UNKNOWN_SEVERITY),
  );
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

/** Burn rates [1/yr] of the years, in proportion to their factors: the mean of their burn probabilities is that of `rate`. */
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
