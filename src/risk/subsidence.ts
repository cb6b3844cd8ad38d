import {
  angularDistortion,
  damageProbability,
  DISTORTION_LIMITS,
  HORIZON_YEARS,
} from './angular-distortion.ts';
import type { Assessment, Assessor, Explanation, LayerMeta, LayerReading, RiskModel } from './assessment.ts';
import { confidenceOf, percentile } from './confidence.ts';
import { absenceOf, candidatesOf, type Candidates, valueOf } from './layer-choice.ts';
import { DRAW_COUNT, DRAWS } from './predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from './prior.ts';
import { riskScore } from './score.ts';

/** Prior expected annual damage ratio of a building to ground movement [1/yr]: score 0.2, where nothing is known (ours). */
const PRIOR = priorAssessment(0.0001);
/** Annual damage [1/yr] by soil that shrinks and swells, which no displacement map shows (ours), and its log spread [1]. */
const SOIL_ANNUAL_DAMAGE = 0.00005;
const SOIL_LOG_SPREAD = 1.6;
/** Damage ratios [1] at the three limits of distortion: redecoration, walls, frame (ours). */
const DAMAGE_RATIOS = [0.03, 0.15, 0.6] as const;
/** Spread of a building's own limits, and of how long a movement lasts: standard deviations of the logarithm [1] (ours). */
const LIMIT_LOG_SPREAD = 0.35;
const PERSISTENCE_LOG_SPREAD = 0.5;
/** Share of a gradient that cells of 90 m may hide: standard deviation of the logarithm at that size [1] (ours). */
const RESOLUTION_LOG_SPREAD = 0.5;
const PLAIN_RESOLUTION_M = 90;

/** Expected damage ratio [1] over 30 years of an angular distortion. */
function damageRatio(distortion: number): number {
  let last = 0;
  let sum = 0;
  for (const [k, limit] of DISTORTION_LIMITS.entries()) {
    sum += (DAMAGE_RATIOS[k]! - last) * damageProbability(distortion, limit);
    last = DAMAGE_RATIOS[k]!;
  }
  return sum;
}

class SubsidenceAssessor implements Assessor {
  readonly #cards: readonly LayerMeta[];
  readonly #gradient: Candidates;

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#gradient = candidatesOf(cards, 'velocity-gradient');
  }

  assess(readings: readonly LayerReading[]): Assessment {
    return this.#evaluate(readings)?.answer ?? PRIOR;
  }

  explain(readings: readonly LayerReading[]): Explanation {
    const intensity = 'angular distortion over 30 years [1]';
    const layers = usedLayers(this.#cards, readings);
    const found = this.#evaluate(readings);
    if (found === null) {
      const code = absenceOf(readings, this.#gradient);
      const message = `no velocity-gradient layer has a value here (${code}): this is the prior for any place`;
      return explainPrior(PRIOR, intensity, layers, [
        { code, message },
        { code: 'prior', message },
      ]);
    }
    const { answer, distortion, draws } = found;
    const point = {
      returnPeriodYears: HORIZON_YEARS,
      intensity: distortion,
      low: Math.min(distortion, percentile(draws, 0.05)),
      high: Math.max(distortion, percentile(draws, 0.95)),
      damageRatio: Math.min(1, answer.expectedAnnualDamageRatio * HORIZON_YEARS),
    };
    return { ...answer, intensity, hazardCurve: [point], layers, reasons: [] };
  }

  #evaluate(readings: readonly LayerReading[]) {
    const gradient = valueOf(readings, this.#gradient);
    if (!Number.isFinite(gradient)) return null;
    const used = this.#gradient.find((i) => readings[i]?.ok === true)!;
    const coarseness = Math.sqrt(Math.max(1, this.#cards[used]!.resolutionM / PLAIN_RESOLUTION_M));
    const distortion = angularDistortion(gradient);
    const annual = damageRatio(distortion) / HORIZON_YEARS + SOIL_ANNUAL_DAMAGE;
    const score = riskScore(annual);
    const draws = new Float64Array(DRAW_COUNT);
    const scores = draws.map((_, k) => {
      const hidden = RESOLUTION_LOG_SPREAD * coarseness * DRAWS[0]![k]!;
      const drawn = distortion * Math.exp(hidden + PERSISTENCE_LOG_SPREAD * DRAWS[1]![k]!);
      draws[k] = drawn;
      const borne = drawn * Math.exp(LIMIT_LOG_SPREAD * DRAWS[2]![k]!);
      const soil = SOIL_ANNUAL_DAMAGE * Math.exp(SOIL_LOG_SPREAD * DRAWS[3]![k]!);
      return riskScore(damageRatio(borne) / HORIZON_YEARS + soil);
    });
    const confidence = confidenceOf(score, scores);
    return { distortion, draws, answer: { riskScore: score, confidence, expectedAnnualDamageRatio: annual } };
  }
}

/** Subsidence by differential settlement where a map of velocity gradients reaches; elsewhere the prior. */
export const subsidenceModel: RiskModel = {
  peril: 'subsidence',
  modelVersion: 'subsidence-v0.2.0',
  layers: ['velocity-gradient'],
  method:
    'Angular distortion over 30 years from the gradient of the vertical velocity, logistic damage probability at three limits, ' +
    'a thirtieth of the damage a year, and a constant for soils; without a gradient a documented prior with confidence 0.',
  citations: ['Skempton & MacDonald 1956, The allowable settlements of buildings, ICE Structural Paper 50'],
  limits: [
    'Without a velocity-gradient layer it knows nothing of the place.',
    'Soil, acceleration, velocity and its error are not read yet; movement is taken to go on for 30 years.',
    'Spreads and damage ratios are ours: confidence is not calibrated on damage.',
  ],
  prepare: (cards) => new SubsidenceAssessor(cards),
};
