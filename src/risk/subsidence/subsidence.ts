// Long file: one assessor, whose steps share its draws and scratch arrays.
import {
  angularDistortion,
  settlementDamageRatio,
  distortionOf,
  HORIZON_YEARS,
  strengthOf,
} from './angular-distortion.ts';
import type {
  Assessment,
  Assessor,
  Explanation,
  LayerMeta,
  LayerReading,
  Reason,
  RiskModel,
} from '../assessment.ts';
import { basisOf, conclude, concludeInFull, type Basis } from '../conclusion.ts';
import { EvidenceLadder } from '../evidence.ts';
import { KeptAnswers } from '../kept-answers.ts';
import { percentile } from '../../numerics/percentile.ts';
import { absenceOf, answeringCard, candidatesOf, type Candidates, valueOf } from '../layer-choice.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from '../prior.ts';
import { mayBeLand, Shores } from '../shores.ts';
import { SUBSIDENCE_EVIDENCE } from './subsidence-evidence.ts';
import { soilDamage } from './subsidence-soil.ts';
import { BEARING, GROUPS, LENGTH_M, LENGTHS, PERSISTENCE } from './movement-draws.ts';
import { deviateOf, emptyGround, meanOf, readGround, USUAL_ERROR_MM_YR } from './subsidence-ground.ts';
import { unsurveyedDamage, USUAL_SHARE, USUAL_SPEED } from './unsurveyed-ground.ts';

/**
 * Prior expected annual damage ratio of a building by ground movement [1/yr], where nothing is known: score 0.2
 * (our choice).
 */
const PRIOR = priorAssessment(0.0001);
/**
 * As LENGTH_M, where a gradient is mapped: only the differences within the cells are not mapped. It is our choice, between
 * LENGTH_M and the value for Mexico City, where 400 mm/yr occur together with local differences of 15 mm/yr
 * (doi:10.1038/s41598-020-72293-z).
 */
const MAPPED_LENGTH_M = 1000;
/**
 * Time for which an acceleration is assumed to continue [years] (our choice): about the length of the series in
 * which it is observed.
 */
const ACCELERATING_YEARS = 5;

/** Standard deviation of the logarithm of the gradient within a cell of 90 m [1] (our choice). */
const RESOLUTION_LOG_SPREAD = 0.5;
const PLAIN_RESOLUTION_M = 90;

const OF_MOVEMENT = basisOf('subsidence', 'displacement');
const OF_SOIL = basisOf('subsidence', 'soil');
const OF_GROUND = basisOf('subsidence', 'ground');

const INTENSITY = 'angular distortion over 30 years [1]';

/** Working arrays shared by all assessors, because an assessment is synchronous. */
const annuals = new Float64Array(DRAW_COUNT);
const strengths = new Float64Array(DRAW_COUNT);
const ground = emptyGround();

/** Readings of the layers at a place; NaN where a layer has no value. */
interface Seen {
  /** [mm/yr per m] */
  readonly gradient: number;
  readonly gradientResolutionM: number;
  /** [mm/yr] */
  readonly velocity: number;
  readonly error: number;
  /** [mm/yr2] */
  readonly acceleration: number;
  /** [%] */
  readonly clay: number;
  /** Share of moving ground [1] and its speed [mm/yr]. */
  readonly share: number;
  readonly speed: number;
}

const isMeasured = ({ gradient, velocity, acceleration }: Seen): boolean =>
  !(Number.isNaN(gradient) && Number.isNaN(velocity) && Number.isNaN(acceleration));

class SubsidenceAssessor implements Assessor {
  readonly #cards: readonly LayerMeta[];
  readonly #ladder: EvidenceLadder;
  readonly #shores: Shores;
  readonly #gradient: Candidates;
  readonly #velocity: Candidates;
  readonly #error: Candidates;
  readonly #acceleration: Candidates;
  readonly #clay: Candidates;
  readonly #share: Candidates;
  readonly #speed: Candidates;
  /** Answers by the kind of ground alone: most land has one of few speeds and shares. */
  readonly #ofGround = new KeptAnswers();

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#ladder = new EvidenceLadder('subsidence', SUBSIDENCE_EVIDENCE, cards);
    this.#shores = new Shores(cards);
    this.#gradient = candidatesOf(cards, 'velocity-gradient');
    this.#velocity = candidatesOf(cards, 'displacement-velocity');
    this.#error = candidatesOf(cards, 'velocity-error');
    this.#acceleration = candidatesOf(cards, 'displacement-acceleration');
    this.#clay = candidatesOf(cards, 'soil-clay');
    this.#share = candidatesOf(cards, 'subsiding-share');
    this.#speed = candidatesOf(cards, 'subsiding-speed');
  }

  assess(readings: readonly LayerReading[]): Assessment {
    const seen = this.#look(readings);
    if (!mayBeLand(this.#shores.at(readings, isMeasured(seen)))) return PRIOR;
    if (isMeasured(seen)) return conclude(OF_MOVEMENT, ofDisplacement(seen).annual, annuals);
    if (isUnknown(seen)) return PRIOR;
    if (!Number.isNaN(seen.clay)) return conclude(basisOfPrior(seen), ofPrior(seen), annuals);
    const { speed, share } = seen;
    return (
      this.#ofGround.get(speed, share) ??
      this.#ofGround.keep(speed, share, conclude(basisOfPrior(seen), ofPrior(seen), annuals))
    );
  }

  explain(readings: readonly LayerReading[]): Explanation {
    const layers = usedLayers(this.#cards, readings);
    const seen = this.#look(readings);
    const shown = this.#shores.at(readings, isMeasured(seen));
    if (!mayBeLand(shown))
      return explainPrior(PRIOR, INTENSITY, layers, [this.#shores.priorReason(readings, shown)]);
    if (!isMeasured(seen)) {
      const asked = [...this.#gradient, ...this.#velocity, ...this.#acceleration];
      const code = absenceOf(readings, asked);
      if (isUnknown(seen)) {
        return explainPrior(PRIOR, INTENSITY, layers, [
          { code, message: 'no displacement, soil-clay or subsiding-share layer has a value here' },
          {
            code: 'prior',
            message: 'the answer is the prior for any place',
          },
        ]);
      }
      const reasons: Reason[] = [
        { code, message: 'no displacement layer has a value here: the movement of the ground is not known' },
        { code: 'prior', message: priorMessage(seen) },
        ...this.#shores.doubts(readings),
      ];
      const answer = this.#inFull(basisOfPrior(seen), ofPrior(seen), readings);
      return { ...answer, intensity: INTENSITY, hazardCurve: [], layers, reasons };
    }
    const { annual, distortion } = ofDisplacement(seen);
    const answer = this.#inFull(OF_MOVEMENT, annual, readings);
    const drawn = strengths.map(distortionOf);
    const point = {
      returnPeriodYears: HORIZON_YEARS,
      intensity: distortion,
      low: Math.min(distortion, percentile(drawn, 0.05)),
      high: Math.max(distortion, percentile(drawn, 0.95)),
      damageRatio: Math.min(1, answer.expectedAnnualDamageRatio * HORIZON_YEARS),
    };
    const reasons = this.#reasons(readings, seen);
    return { ...answer, intensity: INTENSITY, hazardCurve: [point], layers, reasons };
  }

  #inFull(basis: Basis, annual: number, readings: readonly LayerReading[]) {
    return concludeInFull(basis, annual, annuals, this.#ladder, readings);
  }

  #look(readings: readonly LayerReading[]): Seen {
    const gradientCard = answeringCard(readings, this.#gradient);
    return {
      gradient: valueOf(readings, this.#gradient),
      gradientResolutionM: gradientCard < 0 ? Number.NaN : this.#cards[gradientCard]!.resolutionM,
      velocity: valueOf(readings, this.#velocity),
      error: valueOf(readings, this.#error),
      acceleration: valueOf(readings, this.#acceleration),
      clay: valueOf(readings, this.#clay),
      share: shareOf(valueOf(readings, this.#share)),
      speed: valueOf(readings, this.#speed),
    };
  }

  #reasons(readings: readonly LayerReading[], seen: Seen): Reason[] {
    const reasons: Reason[] = [];
    const missing = (value: number, candidates: Candidates, layer: string, instead: string): void => {
      if (!Number.isNaN(value)) return;
      const message = `no ${layer} layer has a value here: ${instead}`;
      reasons.push({ code: absenceOf(readings, candidates), message });
    };
    missing(seen.velocity, this.#velocity, 'displacement-velocity', 'only the mapped differences count');
    const instead = `differences are inferred from the velocity, as if it changed wholly over ${LENGTH_M} m`;
    missing(seen.gradient, this.#gradient, 'velocity-gradient', instead);
    if (!Number.isNaN(seen.velocity)) {
      missing(seen.error, this.#error, 'velocity-error', `an error of ${USUAL_ERROR_MM_YR} mm/yr is assumed`);
      if (ground.moving < 0.5) {
        const message = `the velocity of ${seen.velocity.toPrecision(3)} mm/yr does not stand out of its error and of what stable ground shows`;
        reasons.push({ code: 'not-modelled', message });
      }
    }
    missing(
      seen.acceleration,
      this.#acceleration,
      'displacement-acceleration',
      'the movement is taken as steady',
    );
    missing(seen.clay, this.#clay, 'soil-clay', 'the soil counts as average');
    missing(seen.share, this.#share, 'subsiding-share', 'a quarter of such ground is taken to move');
    return reasons;
  }
}

/**
 * Computes the annual damage ratio [1/yr] and the distortion [1] from displacement. Stores the draws of the damage
 * in `annuals`, those of the strength in `strengths`, and the state of the ground in `ground`.
 */
function ofDisplacement({ gradient, gradientResolutionM, velocity, error, acceleration, clay, share }: Seen) {
  const lengthM = Number.isNaN(gradient) ? LENGTH_M : MAPPED_LENGTH_M;
  const soil = soilDamage(clay);
  const usedError = Number.isNaN(error) ? USUAL_ERROR_MM_YR : error;
  const isMapped = !Number.isNaN(gradient);
  readGround(
    Math.abs(velocity),
    Math.abs(gradient),
    Math.abs(acceleration),
    usedError,
    gradientResolutionM,
    share,
    ground,
  );
  const byGradient = angularDistortion(meanOf(ground, ground.gradient));
  const byVelocity = angularDistortion(meanOf(ground, ground.velocity) / lengthM);
  const byAcceleration = angularDistortion(
    (meanOf(ground, ground.acceleration) * ACCELERATING_YEARS) / lengthM,
  );
  const damage = settlementDamageRatio(
    strengthOf(byGradient),
    strengthOf(byVelocity),
    strengthOf(byAcceleration),
  );
  const annual = damage / HORIZON_YEARS + soil.annual;
  const spread =
    RESOLUTION_LOG_SPREAD * Math.sqrt(Math.max(1, gradientResolutionM / PLAIN_RESOLUTION_M) || 1);
  for (let k = 0; k < DRAW_COUNT; k++) {
    const lasting = PERSISTENCE[k]!;
    const isMoving = GROUPS[k]! < ground.moving;
    const ofVelocity = isMoving ? ground.velocity.moving : ground.velocity.stable;
    const ofGradient = isMoving ? ground.gradient.moving : ground.gradient.stable;
    const ofAcceleration = isMoving ? ground.acceleration.moving : ground.acceleration.stable;
    const drawnGradient = isMapped ? ofGradient.mean + ofGradient.deviation * DRAWS[5]![k]! : 0;
    const hidden = Math.exp(spread * DRAWS[0]![k]!);
    const gained = (ofAcceleration.mean + ofAcceleration.deviation * DRAWS[5]![k]!) * ACCELERATING_YEARS;
    const drawnVelocity = ofVelocity.mean + ofVelocity.deviation * deviateOf(ground, GROUPS[k]!);
    const g = strengthOf(angularDistortion(drawnGradient * hidden)) * lasting;
    const v = strengthOf(angularDistortion(drawnVelocity / lengthM)) * LENGTHS[k]! * lasting;
    const a = strengthOf(angularDistortion(gained / lengthM)) * LENGTHS[k]! * lasting;
    strengths[k] = Math.max(g, v, a);
    const bearing = BEARING[k]!;
    const ratio = settlementDamageRatio(g * bearing, v * bearing, a * bearing);
    annuals[k] = ratio / HORIZON_YEARS + soil.annual * soil.factors[k]!;
  }
  return { distortion: Math.max(byGradient, byVelocity, byAcceleration), annual };
}

/** Least chance that ground moves, and least chance that it does not [1] (our choice): no map is certain. */
const LEAST_CHANCE = 0.001;

/** A mapped share of moving ground [1], within (0, 1); NaN stays NaN. */
function shareOf(mapped: number): number {
  return Math.min(1 - LEAST_CHANCE, Math.max(LEAST_CHANCE, mapped));
}

/** Whether neither the soil nor the kind of ground is known. */
function isUnknown({ clay, share }: Seen): boolean {
  return Number.isNaN(clay) && Number.isNaN(share);
}

function basisOfPrior({ clay }: Seen): Basis {
  return Number.isNaN(clay) ? OF_GROUND : OF_SOIL;
}

/**
 * Computes the annual damage ratio [1/yr] from the kind of ground and the soil, without any displacement. Stores its
 * draws in `annuals`.
 */
function ofPrior({ clay, share, speed }: Seen): number {
  const soil = soilDamage(clay);
  const movement = unsurveyedDamage(
    {
      share: Number.isNaN(share) ? USUAL_SHARE : share,
      speed: Number.isNaN(speed) ? USUAL_SPEED : speed,
    },
    annuals,
  );
  for (let k = 0; k < DRAW_COUNT; k++) annuals[k]! += soil.annual * soil.factors[k]!;
  return movement + soil.annual;
}

function priorMessage({ clay, share }: Seen): string {
  if (Number.isNaN(share))
    return `the ground is taken to move under ${Math.round(USUAL_SHARE * 100)} of 100 buildings, the mean of all places`;
  const chance = `ground of this kind is taken to move under ${Math.round(share * 100)} of 100 buildings`;
  return Number.isNaN(clay) ? `${chance}; the soil is not known` : chance;
}

/**
 * Model of subsidence: from differential settlement where displacement is mapped, from clay content where only
 * the soil is known, elsewhere the prior.
 */
export const subsidenceModel: RiskModel = {
  peril: 'subsidence',
  modelVersion: 'subsidence-v0.7.0',
  layers: [
    'velocity-gradient',
    'displacement-velocity',
    'velocity-error',
    'displacement-acceleration',
    'soil-clay',
    'subsiding-share',
    'subsiding-speed',
    'coast-distance',
    'lake-distance',
    'permanent-water',
  ],
  evidence: SUBSIDENCE_EVIDENCE,
  method:
    'Angular distortion over 30 years from the gradient of the vertical velocity, from a velocity that stands out of its error, ' +
    'and from acceleration; logistic damage probability of each at three limits, combined as independent; a thirtieth of the ' +
    'damage a year, and damage by soils that shrink and swell from their clay. Without displacement, the chance that the ' +
    'ground moves, from published subsidence, lowlands and pumped plains.',
  citations: [
    'Skempton & MacDonald 1956, The allowable settlements of buildings, ICE Structural Paper 50',
    'Cruden & Varnes 1996, Landslide types and processes, TRB Special Report 247',
    'Cigna & Tapete 2021, doi:10.1016/j.rse.2020.112161',
    'Solano-Rojas et al. 2020, doi:10.1038/s41598-020-72293-z',
    'Efron 2008, doi:10.1214/07-STS236',
    'Huber 1964, doi:10.1214/aoms/1177703732',
    'Floyd & Herring 2020, doi:10.1007/978-3-030-21718-1_5',
    'Herrera-Garcia et al. 2021, doi:10.1126/science.abb8549',
    'Erkens et al. 2015, doi:10.5194/piahs-372-189-2015',
    'Galloway, Jones & Ingebritsen 1999, Land subsidence in the United States, USGS Circular 1182',
  ],
  limits: [
    'With the shipped layers, mean annual damage over published: 3.0 in the United Kingdom, within the published range in France (docs/methods/closure.md).',
    'No displacement or soil layer ships: without one, only the kind of ground in cells of 9 km is known.',
    'The chance that ground moves is our reading of some thirty published places and of terrain; it is not fitted to claims.',
    'Movement is taken to go on for 30 years, an acceleration for 5, whatever its sign.',
    'Sinkholes, mine collapse and landslides that have not begun to move are not seen; the age of a layer is not read.',
    'Damage ratios, soil damage and spreads are ours: confidence is calibrated on simulated ground, not on claims.',
  ],
  prepare: (cards) => new SubsidenceAssessor(cards),
};
