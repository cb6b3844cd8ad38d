import type {
  Assessment,
  Assessor,
  Explanation,
  HazardPoint,
  LayerMeta,
  LayerReading,
  Reason,
  RiskModel,
} from './assessment.ts';
import type { FirePlace } from './burn-rate.ts';
import {
  burnProbability,
  burnRate,
  SEVERITY_ERROR,
  severityFactor,
  severityOfMeanIndex,
  severityOfWorstWeek,
  UNKNOWN_SEVERITY,
  YEAR_SPREAD,
} from './burn-rate.ts';
import { confidenceOf } from './confidence.ts';
import { annualDamageWeights } from './expected-annual-damage.ts';
import { fuelOf, isOpenWater, UNKNOWN_FUEL } from './fire-fuel.ts';
import { dailySeverityRating } from './fire-weather/fire-weather-index.ts';
import type { CurveVersion, MappedCurve } from './hazard-curve.ts';
import {
  curveVersionsOf,
  levelAt,
  mappedCurve,
  readCurve,
  reducedVariate,
  versionAt,
} from './hazard-curve.ts';
import { absenceOf, answeringCard, candidatesOf, valueOf } from './layer-choice.ts';
import { normalQuantile } from './normal.ts';
import { DRAW_COUNT, DRAWS } from './predictive-draws.ts';
import { explainPrior, priorAssessment, usedLayers } from './prior.ts';
import { riskScore } from './score.ts';

/** Prior expected annual damage ratio of a building to wildfire [1/yr]: score 0.2, where nothing is known (ours). */
const PRIOR = priorAssessment(0.0001);

const INTENSITY = 'mean Daily Severity Rating of the fire season of a year [1]';

/** Years whose seasons are as severe as this once in so many: the first is one of the mildest of a century. */
const SEASONS_YEARS = [1.01, 1.25, 2, 5, 10, 25, 50, 100, 250] as const;
const COUNT = SEASONS_YEARS.length;
const WEIGHTS = annualDamageWeights(SEASONS_YEARS);
const WEIGHT_SUM = WEIGHTS.reduce((sum, weight) => sum + weight, 0);
const VARIATES = SEASONS_YEARS.map(reducedVariate);
const MEDIAN_VARIATE = reducedVariate(2);

/** Severity of those years over the median's, where no return levels of danger are mapped. */
const YEAR_FACTORS = SEASONS_YEARS.map((years) => Math.exp(YEAR_SPREAD * normalQuantile(1 - 1 / years)));

/** Log spread of the severity taken where there is none, and of the loss [1] (ours). */
const UNKNOWN_SEVERITY_SPREAD = 0.9;
const LOSS_SPREAD = 0.7;
const UNKNOWN_LOSS_SPREAD = 1;

/** Farther than this off the mapped shore a point is open sea [km], as in the flood model. */
const SHORE_TOLERANCE_KM = 3.5;

/** A coarser land cover is not what stands around a house [m]; a slope from coarser heights is no slope [m] (ours). */
const COARSE_COVER_M = 1000;
const COARSE_SLOPE_M = 1000;

/** Standard normal deviates of 5 and 95 %. */
const NINETY = normalQuantile(0.95);

/** Scratch of one evaluation. */
const rates = new Float64Array(DRAW_COUNT);
const losses = new Float64Array(DRAW_COUNT);
const scores = new Float64Array(DRAW_COUNT);
const severities = new Float64Array(COUNT);
const yearFactors = new Float64Array(COUNT);
const damages = new Float64Array(COUNT);

/** What the layers say of a place. */
interface Seen extends FirePlace {
  /** NaN where no land cover is known. */
  readonly landCover: number;
}

class WildfireAssessor implements Assessor {
  readonly #cards: readonly LayerMeta[];
  readonly #coast: readonly number[];
  readonly #danger: readonly number[];
  readonly #dangerCurves: readonly CurveVersion[];
  readonly #dangerVariates: readonly (readonly number[])[];
  readonly #curve: MappedCurve;
  readonly #cover: readonly number[];
  readonly #slope: readonly number[];
  readonly #coarseSlope: readonly number[];
  readonly #history: readonly number[];

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#coast = candidatesOf(cards, 'coast-distance');
    this.#danger = candidatesOf(cards, 'fire-danger');
    this.#dangerCurves = curveVersionsOf(cards, 'fire-danger');
    this.#dangerVariates = this.#dangerCurves.map((version) =>
      version.returnPeriodsYears.map(reducedVariate),
    );
    this.#curve = mappedCurve(this.#dangerCurves);
    this.#cover = candidatesOf(cards, 'land-cover');
    const slopes = candidatesOf(cards, 'slope');
    this.#slope = slopes.filter((i) => cards[i]!.resolutionM <= COARSE_SLOPE_M);
    this.#coarseSlope = slopes.filter((i) => cards[i]!.resolutionM > COARSE_SLOPE_M);
    this.#history = candidatesOf(cards, 'burn-history');
  }

  assess(readings: readonly LayerReading[]): Assessment {
    const seen = this.#look(readings);
    if (!isKnown(seen) || this.#isWater(readings, seen)) return PRIOR;
    evaluate(seen);
    return summarise();
  }

  explain(readings: readonly LayerReading[]): Explanation {
    const layers = usedLayers(this.#cards, readings);
    const seen = this.#look(readings);
    if (this.#isWater(readings, seen)) {
      const message = 'the point lies in open water: no building stands there';
      return explainPrior(PRIOR, INTENSITY, layers, [{ code: 'sea', message }]);
    }
    if (!isKnown(seen)) {
      const asked = [
        ...this.#danger,
        ...this.#dangerCurves.flatMap(({ cards }) => cards),
        ...this.#cover,
        ...this.#history,
      ];
      const message =
        'no fire-danger, land-cover or burn-history layer says anything here: this is the prior for any place';
      const reasons: Reason[] = [{ code: absenceOf(readings, asked), message }];
      if (Number.isFinite(seen.landCover)) reasons.push(unknownCover(seen.landCover));
      return explainPrior(PRIOR, INTENSITY, layers, [
        ...reasons,
        { code: 'prior', message: 'slope alone ranks no place' },
      ]);
    }
    evaluate(seen);
    const summary = summarise();
    return {
      ...summary,
      intensity: INTENSITY,
      hazardCurve: hazardCurve(seen),
      layers,
      reasons: this.#reasons(readings, seen),
    };
  }

  /** Reads the layers; the severity of the years about the median is left in the scratch. */
  #look(readings: readonly LayerReading[]): Seen {
    const landCover = valueOf(readings, this.#cover);
    const meanIndex = valueOf(readings, this.#danger);
    let severity = meanIndex >= 0 ? severityOfMeanIndex(meanIndex) : Number.NaN;
    const version = versionAt(this.#dangerCurves, readings);
    severities.set(YEAR_FACTORS);
    if (version >= 0) {
      readCurve(this.#dangerCurves[version]!, this.#dangerVariates[version]!, readings, this.#curve);
      const median = levelAt(this.#curve, MEDIAN_VARIATE);
      if (Number.isNaN(severity)) severity = severityOfWorstWeek(median);
      if (this.#curve.count > 1 && median > 0) {
        for (let i = 0; i < COUNT; i++) {
          const level = levelAt(this.#curve, VARIATES[i]!);
          severities[i] = dailySeverityRating(level) / dailySeverityRating(median);
        }
      }
    }
    return {
      severity,
      landCover,
      fuel: fuelOf(landCover) ?? UNKNOWN_FUEL,
      slope: valueOf(readings, this.#slope),
      burnHistory: valueOf(readings, this.#history),
    };
  }

  /** Land cover decides where it is known, the coast elsewhere. */
  #isWater(readings: readonly LayerReading[], { landCover }: Seen): boolean {
    if (Number.isFinite(landCover)) return isOpenWater(landCover);
    return valueOf(readings, this.#coast) < -SHORE_TOLERANCE_KM;
  }

  #reasons(readings: readonly LayerReading[], seen: Seen): Reason[] {
    const reasons: Reason[] = [];
    if (Number.isNaN(seen.severity)) {
      const asked = [...this.#danger, ...this.#dangerCurves.flatMap(({ cards }) => cards)];
      const message = `no fire-danger here: a seasonal severity of ${UNKNOWN_SEVERITY} is taken, which few places have`;
      reasons.push({ code: absenceOf(readings, asked), message });
    }
    if (Number.isNaN(seen.landCover)) {
      const message = 'no land-cover here: fuel and loss are those of mixed land';
      reasons.push({ code: absenceOf(readings, this.#cover), message });
    } else if (seen.fuel === UNKNOWN_FUEL) {
      reasons.push(unknownCover(seen.landCover));
    } else if (this.#cards[answeringCard(readings, this.#cover)]!.resolutionM > COARSE_COVER_M) {
      reasons.push({ code: 'coarse', message: `land cover is coarser than ${COARSE_COVER_M} m` });
    }
    if (Number.isNaN(seen.slope)) {
      const unused = answeringCard(readings, this.#coarseSlope) >= 0;
      const message = unused
        ? `slope from cells over ${COARSE_SLOPE_M} m is that of no hillside: it is not used`
        : 'no slope here: that of rolling land is taken';
      reasons.push({ code: unused ? 'coarse' : absenceOf(readings, this.#slope), message });
    }
    if (Number.isNaN(seen.burnHistory)) {
      const message = 'no burn-history here: how often this place burned is not known';
      reasons.push({ code: absenceOf(readings, this.#history), message });
    }
    reasons.push(
      {
        code: 'prior',
        message: 'the level is that of Iberia and losses by cover are judgements: no claims are known',
      },
      {
        code: 'not-modelled',
        message:
          'fuel is that of one cell, not of the land around; defensible space and fire brigades are ignored',
      },
    );
    return reasons;
  }
}

/** Whether anything that ranks places is known here. */
function isKnown({ severity, fuel, burnHistory }: Seen): boolean {
  return Number.isFinite(severity) || fuel !== UNKNOWN_FUEL || Number.isFinite(burnHistory);
}

function unknownCover(landCover: number): Reason {
  return {
    code: 'not-modelled',
    message: `land-cover ${landCover} is no class of WorldCover or CORINE: fuel and loss are those of mixed land`,
  };
}

/** Fills the scratch for one place: draws of its burn rate and loss, and what each kind of year does there. */
function evaluate(seen: Seen): void {
  const known = Number.isFinite(seen.severity);
  const severity = known ? seen.severity : UNKNOWN_SEVERITY;
  let mean = 0;
  for (let i = 0; i < COUNT; i++) {
    severities[i]! *= severity;
    yearFactors[i] = severityFactor(severities[i]!);
    mean += (WEIGHTS[i]! * yearFactors[i]!) / WEIGHT_SUM;
  }
  for (let i = 0; i < COUNT; i++) yearFactors[i]! /= mean;

  const rate = burnRate(seen);
  lognormal(DRAWS[0]!, rate.mean, rate.logSpread, rates);
  const lossSpread = seen.fuel === UNKNOWN_FUEL ? UNKNOWN_LOSS_SPREAD : LOSS_SPREAD;
  lognormal(DRAWS[2]!, seen.fuel.conditionalLoss, lossSpread, losses);
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

function summarise(): Assessment {
  let annual = 0;
  for (let i = 0; i < COUNT; i++) annual += WEIGHTS[i]! * damages[i]!;
  const expectedAnnualDamageRatio = Math.min(1, annual);
  const score = riskScore(expectedAnnualDamageRatio);
  return { riskScore: score, confidence: confidenceOf(score, scores), expectedAnnualDamageRatio };
}

function hazardCurve(seen: Seen): HazardPoint[] {
  const spread = Number.isFinite(seen.severity) ? SEVERITY_ERROR : UNKNOWN_SEVERITY_SPREAD;
  return SEASONS_YEARS.map((returnPeriodYears, i) => ({
    returnPeriodYears,
    intensity: severities[i]!,
    low: severities[i]! * Math.exp(-NINETY * spread),
    high: severities[i]! * Math.exp(NINETY * spread),
    damageRatio: damages[i]!,
  }));
}

/** Wildfire: how often a place burns, by danger, fuel, slope and history, and what a fire there does to a building. */
export const wildfireModel: RiskModel = {
  peril: 'wildfire',
  modelVersion: 'wildfire-v0.2.0',
  layers: ['coast-distance', 'fire-danger', 'land-cover', 'slope', 'burn-history'],
  method:
    'Burn probability 1 - exp(-rate), the log rate linear in seasonal severity (Fire Weather Index climatology), fuel by land ' +
    'cover and slope, updated by the burn history; times the conditional loss by fuel; expected annual damage over years ' +
    'of different severity and quasi-random draws of what is uncertain.',
  citations: [
    'Van Wagner & Pickett 1985, Forestry Technical Report 33 (Fire Weather Index System, coefficient 147.27723; 147.2 on request)',
    'DaCamara 2024, doi:10.3390/cli12090143',
    'Oliveira et al. 2012, doi:10.1071/WF10131',
    'Moreira et al. 2009, doi:10.1071/WF07098',
  ],
  limits: [
    'Ships without layers of fuel, fire weather or fire history: until some are installed every place has the prior.',
    'Shipped heights have cells of 9 km, from which no slope is made.',
    'Land use and slope are fitted in Castilla-La Mancha, where positions known to 10 km let them rank held-back fires ' +
      'hardly better than chance (AUC 0.51, 0.47 to 0.54); months 0.62, burn history 0.77.',
    'The effect of danger is taken from Portugal, not fitted; the level is that of Iberia.',
    'Losses by fuel are judgements; the land around the point, defensible space and fire brigades are ignored.',
  ],
  prepare: (cards) => new WildfireAssessor(cards),
};
