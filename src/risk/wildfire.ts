import type {
  Assessment,
  Assessor,
  Explanation,
  LayerMeta,
  LayerReading,
  Reason,
  RiskModel,
} from './assessment.ts';
import type { FirePlace } from './burn-rate.ts';
import { severityOfMeanIndex, severityOfWorstWeek, UNKNOWN_SEVERITY } from './burn-rate.ts';
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
import { explainPrior, priorAssessment, usedLayers } from './prior.ts';
import {
  SEASONS_YEARS,
  USUAL_YEARS,
  wildfireAssessment,
  wildfireCurve,
  workOutWildfire,
} from './wildfire-damage.ts';

/** Prior expected annual damage ratio of a building to wildfire [1/yr]: score 0.2, where nothing is known (ours). */
const PRIOR = priorAssessment(0.0001);

const VARIATES = SEASONS_YEARS.map(reducedVariate);
const MEDIAN_VARIATE = reducedVariate(2);

const INTENSITY = 'mean Daily Severity Rating of the fire season of a year [1]';

/** Farther than this off the mapped shore a point is open sea [km], as in the flood model. */
const SHORE_TOLERANCE_KM = 3.5;

/** A coarser land cover is not what stands around a house [m]; a slope from coarser heights is no slope [m] (ours). */
const COARSE_COVER_M = 1000;
const COARSE_SLOPE_M = 1000;

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
  /** Severity of the years at the point last looked at, over its own. */
  readonly #yearRatios = new Float64Array(SEASONS_YEARS.length);

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
    workOutWildfire(seen, this.#yearRatios);
    return wildfireAssessment();
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
    workOutWildfire(seen, this.#yearRatios);
    return {
      ...wildfireAssessment(),
      intensity: INTENSITY,
      hazardCurve: wildfireCurve(seen),
      layers,
      reasons: this.#reasons(readings, seen),
    };
  }

  /** Reads the layers; the severity of the years over the place's own is left in `#yearRatios`. */
  #look(readings: readonly LayerReading[]): Seen {
    const landCover = valueOf(readings, this.#cover);
    const meanIndex = valueOf(readings, this.#danger);
    let severity = meanIndex >= 0 ? severityOfMeanIndex(meanIndex) : Number.NaN;
    const version = versionAt(this.#dangerCurves, readings);
    this.#yearRatios.set(USUAL_YEARS);
    if (version >= 0) {
      readCurve(this.#dangerCurves[version]!, this.#dangerVariates[version]!, readings, this.#curve);
      const median = levelAt(this.#curve, MEDIAN_VARIATE);
      if (Number.isNaN(severity)) severity = severityOfWorstWeek(median);
      if (this.#curve.count > 1 && median > 0) {
        for (let i = 0; i < SEASONS_YEARS.length; i++) {
          const level = levelAt(this.#curve, VARIATES[i]!);
          this.#yearRatios[i] = dailySeverityRating(level) / dailySeverityRating(median);
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
