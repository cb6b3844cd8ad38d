import type { LayerMeta, LayerReading, Reason } from '../assessment.ts';
import type { FirePlace } from './burn-rate.ts';
import {
  MEAN_INDEX_ERROR,
  SEVERITY_ERROR,
  severityOfMeanIndex,
  severityOfWorstWeek,
  UNKNOWN_SEVERITY,
  UNKNOWN_SEVERITY_ERROR,
  WORST_WEEK_ERROR,
} from './burn-rate.ts';
import { fuelOf, isOpenWater, UNKNOWN_FUEL } from './fire-fuel.ts';
import type { CurveVersion, MappedCurve } from '../hazard-curve.ts';
import {
  curveVersionsOf,
  levelAt,
  mappedCurve,
  readCurve,
  reducedVariate,
  versionAt,
} from '../hazard-curve.ts';
import { absenceOf, answeringCard, candidatesOf, valueOf, type Candidates } from '../layer-choice.ts';
import { SEASONS_YEARS, USUAL_YEARS, yearRatiosOf } from './wildfire-damage.ts';

const VARIATES = SEASONS_YEARS.map(reducedVariate);
const MEDIAN_VARIATE = reducedVariate(2);

/** Farther than this off the mapped shore a point is open sea [km], as in the flood model. */
const SHORE_TOLERANCE_KM = 3.5;

/** A coarser land cover is not what stands around a house [m]; a slope from coarser heights is no slope [m] (ours). */
const COARSE_COVER_M = 1000;
const COARSE_SLOPE_M = 1000;

/** Cells of land cover up to this see what stands around a house [m]; log spread of the rate per tenfold coarser one (ours). */
const FINE_COVER_M = 100;
const COARSE_COVER_SPREAD = 0.2;

/** Year that a land cover is to speak for; log spread of the rate per year older (ours); and from when it is called stale [years]. */
const MODEL_YEAR = 2026;
const COVER_AGE_SPREAD = 0.02;
const STALE_AFTER_YEARS = 20;

/** What the layers say of a place. */
export interface FireEvidence extends FirePlace {
  /** NaN where no land cover is known. */
  readonly landCover: number;
  /** Whether the years' spread is mapped here. */
  readonly hasYears: boolean;
}

/** Reads what the layers of one snapshot say of places, and tells what they do not say. */
export class FireLayers {
  /** Levels of the worst week at the point last looked at; none where `count` is 0. */
  readonly curve: MappedCurve;
  readonly #cards: readonly LayerMeta[];
  readonly #coast: Candidates;
  readonly #severity: Candidates;
  readonly #danger: Candidates;
  readonly #dangerCurves: readonly CurveVersion[];
  readonly #dangerVariates: readonly (readonly number[])[];
  readonly #cover: Candidates;
  /** What each card does not tell as a land cover. */
  readonly #coverErrors: Float64Array;
  readonly #slope: Candidates;
  readonly #coarseSlope: Candidates;
  readonly #history: Candidates;
  readonly #frequency: Candidates;
  /** Years of the record that each card is of. */
  readonly #recordYears: readonly Candidates[];

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#coast = candidatesOf(cards, 'coast-distance');
    this.#severity = candidatesOf(cards, 'fire-severity');
    this.#danger = candidatesOf(cards, 'fire-danger');
    this.#dangerCurves = curveVersionsOf(cards, 'fire-danger');
    this.#dangerVariates = this.#dangerCurves.map((version) =>
      version.returnPeriodsYears.map(reducedVariate),
    );
    this.curve = mappedCurve(this.#dangerCurves);
    this.#cover = candidatesOf(cards, 'land-cover');
    this.#coverErrors = Float64Array.from(cards, coverErrorOf);
    const slopes = candidatesOf(cards, 'slope');
    this.#slope = slopes.filter((i) => cards[i]!.resolutionM <= COARSE_SLOPE_M);
    this.#coarseSlope = slopes.filter((i) => cards[i]!.resolutionM > COARSE_SLOPE_M);
    this.#history = candidatesOf(cards, 'burn-history');
    this.#frequency = candidatesOf(cards, 'fire-frequency');
    const years = candidatesOf(cards, 'fire-record-years');
    this.#recordYears = cards.map(({ version }) => years.filter((i) => cards[i]!.version === version));
  }

  /** Reads the layers at a point; what they say of its years is left in `curve` and `yearRatios`. */
  look(readings: readonly LayerReading[]): FireEvidence {
    const landCover = valueOf(readings, this.#cover);
    const fuel = fuelOf(landCover);
    let severity = valueOf(readings, this.#severity);
    let severityError = SEVERITY_ERROR;
    if (!(severity >= 0)) {
      const meanIndex = valueOf(readings, this.#danger);
      severity = meanIndex >= 0 ? severityOfMeanIndex(meanIndex) : Number.NaN;
      severityError = MEAN_INDEX_ERROR;
    }
    const version = versionAt(this.#dangerCurves, readings);
    this.curve.count = 0;
    if (version >= 0) {
      readCurve(this.#dangerCurves[version]!, this.#dangerVariates[version]!, readings, this.curve);
      if (Number.isNaN(severity)) {
        severity = severityOfWorstWeek(levelAt(this.curve, MEDIAN_VARIATE));
        severityError = WORST_WEEK_ERROR;
      }
    }
    const hasYears = this.curve.count > 1 && this.curve.levels[this.curve.count - 1]! > 0;
    return {
      severity,
      severityError: Number.isNaN(severity) ? UNKNOWN_SEVERITY_ERROR : severityError,
      hasYears,
      landCover,
      fuel: fuel ?? UNKNOWN_FUEL,
      coverError: fuel === undefined ? 0 : this.#coverErrors[answeringCard(readings, this.#cover)]!,
      slope: valueOf(readings, this.#slope),
      burnHistory: valueOf(readings, this.#history),
      fireFrequency: valueOf(readings, this.#frequency),
      recordYears: this.#yearsOfRecord(readings),
    };
  }

  /** Years of the record that answers here: those of the layer of the same version. */
  #yearsOfRecord(readings: readonly LayerReading[]): number {
    const counted = answeringCard(readings, this.#frequency);
    const from = counted >= 0 ? counted : answeringCard(readings, this.#history);
    return from < 0 ? Number.NaN : valueOf(readings, this.#recordYears[from]!);
  }

  /** Severity of each of SEASONS_YEARS over the place's own, at the point last looked at. */
  yearRatios({ hasYears }: FireEvidence): ArrayLike<number> {
    return hasYears ? yearRatiosOf(this.curve, VARIATES) : USUAL_YEARS;
  }

  /** Land cover decides where it is known, the coast elsewhere. */
  isWater(readings: readonly LayerReading[], { landCover }: FireEvidence): boolean {
    if (Number.isFinite(landCover)) return isOpenWater(landCover);
    return valueOf(readings, this.#coast) < -SHORE_TOLERANCE_KM;
  }

  /** Why nothing that ranks places is known here. */
  absence(readings: readonly LayerReading[], { landCover }: FireEvidence): Reason[] {
    const asked = [...this.#dangerLayers(), ...this.#cover, ...this.#history, ...this.#frequency];
    const message =
      'no fire-danger, land-cover, burn-history or fire-frequency layer says anything here: this is the prior for any place';
    const reasons: Reason[] = [{ code: absenceOf(readings, asked), message }];
    if (Number.isFinite(landCover)) reasons.push(unknownCover(landCover));
    return [...reasons, { code: 'prior', message: 'slope alone ranks no place' }];
  }

  /** What makes the answer at the point weaker than the model at its best. */
  reasons(readings: readonly LayerReading[], seen: FireEvidence): Reason[] {
    const reasons: Reason[] = [];
    if (Number.isNaN(seen.severity)) {
      const message = `no fire-danger here: a seasonal severity of ${UNKNOWN_SEVERITY} is taken, which few places have`;
      reasons.push({ code: absenceOf(readings, this.#dangerLayers()), message });
    }
    if (Number.isNaN(seen.landCover)) {
      const message = 'no land-cover here: fuel and loss are those of mixed land';
      reasons.push({ code: absenceOf(readings, this.#cover), message });
    } else if (seen.fuel === UNKNOWN_FUEL) {
      reasons.push(unknownCover(seen.landCover));
    } else {
      const { resolutionM, date } = this.#cards[answeringCard(readings, this.#cover)]!;
      if (resolutionM > COARSE_COVER_M)
        reasons.push({ code: 'coarse', message: `land cover is coarser than ${COARSE_COVER_M} m` });
      if (MODEL_YEAR - yearOf(date) > STALE_AFTER_YEARS)
        reasons.push({ code: 'stale', message: `the land cover is of ${date}` });
    }
    if (Number.isNaN(seen.slope)) {
      const unused = answeringCard(readings, this.#coarseSlope) >= 0;
      const message = unused
        ? `slope from cells over ${COARSE_SLOPE_M} m is that of no hillside: it is not used`
        : 'no slope here: that of rolling land is taken';
      reasons.push({ code: unused ? 'coarse' : absenceOf(readings, this.#slope), message });
    }
    if (!hasRecord(seen)) {
      const message = 'no burn-history or fire-frequency here: how often this place burned is not known';
      reasons.push({ code: absenceOf(readings, [...this.#history, ...this.#frequency]), message });
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

  /** Positions of all that tells of danger. */
  #dangerLayers(): number[] {
    return [...this.#severity, ...this.#danger, ...this.#dangerCurves.flatMap(({ cards }) => cards)];
  }
}

/** Log spread of the rate by what a land cover of this card does not tell. */
function coverErrorOf({ resolutionM, date }: LayerMeta): number {
  const coarse = COARSE_COVER_SPREAD * Math.max(0, Math.log10(resolutionM / FINE_COVER_M));
  return Math.hypot(coarse, COVER_AGE_SPREAD * Math.max(0, MODEL_YEAR - yearOf(date)));
}

function yearOf(date: string): number {
  return Number.parseInt(date, 10);
}

/** Whether anything that ranks places is known here. */
export function isKnown(seen: FireEvidence): boolean {
  return Number.isFinite(seen.severity) || seen.fuel !== UNKNOWN_FUEL || hasRecord(seen);
}

/** Whether anything tells of the fires before. */
export function hasRecord({ burnHistory, fireFrequency }: FirePlace): boolean {
  return Number.isFinite(burnHistory) || Number.isFinite(fireFrequency);
}

function unknownCover(landCover: number): Reason {
  return {
    code: 'not-modelled',
    message: `land-cover ${landCover} is no class of WorldCover or CORINE: fuel and loss are those of mixed land`,
  };
}
