import type { Assessment, HazardPoint } from './assessment.ts';
import type { FirePlace } from './burn-rate.ts';
import {
  burnProbability,
  burnRate,
  SEVERITY_ERROR,
  severityFactor,
  UNKNOWN_SEVERITY,
  YEAR_SPREAD,
} from './burn-rate.ts';
import { confidenceOf } from './confidence.ts';
import { annualDamageWeights } from './expected-annual-damage.ts';
import { UNKNOWN_FUEL } from './fire-fuel.ts';
import { normalQuantile } from './normal.ts';
import { DRAW_COUNT, DRAWS } from './predictive-draws.ts';
import { riskScore } from './score.ts';

/** Years whose seasons are as severe as this once in so many: the first is one of the mildest of a century. */
export const SEASONS_YEARS = [1.01, 1.25, 2, 5, 10, 25, 50, 100, 250] as const;
const COUNT = SEASONS_YEARS.length;
const WEIGHTS = annualDamageWeights(SEASONS_YEARS);
const WEIGHT_SUM = WEIGHTS.reduce((sum, weight) => sum + weight, 0);

/** Severity of those years over the median's, where no return levels of danger are mapped. */
export const USUAL_YEARS: readonly number[] = SEASONS_YEARS.map((years) =>
  Math.exp(YEAR_SPREAD * normalQuantile(1 - 1 / years)),
);

/** Log spread of the severity taken where there is none, and of the loss [1] (ours). */
const UNKNOWN_SEVERITY_SPREAD = 0.9;
const LOSS_SPREAD = 0.7;
const UNKNOWN_LOSS_SPREAD = 1;

/** Standard normal deviates of 5 and 95 %. */
const NINETY = normalQuantile(0.95);

/** Scratch of one evaluation. */
const rates = new Float64Array(DRAW_COUNT);
const losses = new Float64Array(DRAW_COUNT);
const scores = new Float64Array(DRAW_COUNT);
const severities = new Float64Array(COUNT);
const yearFactors = new Float64Array(COUNT);
const damages = new Float64Array(COUNT);

/**
 * Works out one place in the scratch of this file: draws of its burn rate and loss, and what each kind of year does there. The
 * answers below are of the last place worked out.
 * @param yearRatios severity of each of SEASONS_YEARS over the place's own
 */
export function workOutWildfire(place: FirePlace, yearRatios: ArrayLike<number>): void {
  const severity = Number.isFinite(place.severity) ? place.severity : UNKNOWN_SEVERITY;
  let mean = 0;
  for (let i = 0; i < COUNT; i++) {
    severities[i] = yearRatios[i]! * severity;
    yearFactors[i] = severityFactor(severities[i]!);
    mean += (WEIGHTS[i]! * yearFactors[i]!) / WEIGHT_SUM;
  }
  for (let i = 0; i < COUNT; i++) yearFactors[i]! /= mean;

  const rate = burnRate(place);
  lognormal(DRAWS[0]!, rate.mean, rate.logSpread, rates);
  const lossSpread = place.fuel === UNKNOWN_FUEL ? UNKNOWN_LOSS_SPREAD : LOSS_SPREAD;
  lognormal(DRAWS[2]!, place.fuel.conditionalLoss, lossSpread, losses);
  damages.fill(0);
  for (let k = 0; k < DRAW_COUNT; k++) {
    const loss = Math.min(1, losses[k]!);
    let annual = 0;
    for (let i = 0; i < COUNT; i++) {
      const damage = burnProbability(rates[k]! * yearFactors[i]!) * loss;
      damages[i]! += damage / DRAW_COUNT;
      annual += WEIGHTS[i]! * damage;
    }
    scores[k] = riskScore(Math.min(1, annual));
  }
}

/** Lognormal draws of a given mean, by standard normal ones. */
function lognormal(z: Float64Array, mean: number, logSpread: number, into: Float64Array): void {
  let sum = 0;
  for (let k = 0; k < DRAW_COUNT; k++) sum += into[k] = Math.exp(logSpread * z[k]!);
  const scale = (mean * DRAW_COUNT) / sum;
  for (let k = 0; k < DRAW_COUNT; k++) into[k]! *= scale;
}

/** The short answer. */
export function wildfireAssessment(): Assessment {
  let annual = 0;
  for (let i = 0; i < COUNT; i++) annual += WEIGHTS[i]! * damages[i]!;
  const expectedAnnualDamageRatio = Math.min(1, annual);
  const score = riskScore(expectedAnnualDamageRatio);
  return { riskScore: score, confidence: confidenceOf(score, scores), expectedAnnualDamageRatio };
}

/** The seasons of the place and what they do. */
export function wildfireCurve({ severity }: FirePlace): HazardPoint[] {
  const spread = Number.isFinite(severity) ? SEVERITY_ERROR : UNKNOWN_SEVERITY_SPREAD;
  return SEASONS_YEARS.map((returnPeriodYears, i) => ({
    returnPeriodYears,
    intensity: severities[i]!,
    low: severities[i]! * Math.exp(-NINETY * spread),
    high: severities[i]! * Math.exp(NINETY * spread),
    damageRatio: damages[i]!,
  }));
}
