import type { LayerMeta, LayerReading, Reason } from '../assessment.ts';
import type { FireClimate, FirePlace } from './modelled-rate.ts';
import {
  MEAN_INDEX_ERROR,
  SEVERITY_ERROR,
  severityOfMeanIndex,
  severityOfWorstWeek,
  UNKNOWN_SEVERITY,
  UNKNOWN_SEVERITY_ERROR,
  WORST_WEEK_ERROR,
} from './seasonal-severity.ts';
import { type Ground, Shores } from '../shores.ts';
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

/**
 * Maximum cell size at which a land cover map still describes the surroundings of a house, and maximum cell size of an
 * elevation map from which slope is used [m] (our choice).
 */
const COARSE_COVER_M = 1000;
const COARSE_SLOPE_M = 1000;

/**
 * Maximum cell size of a land cover map that adds no error to the burn rate [m], and log spread that is added to the
 * rate per tenfold increase of the cell size [1] (our choice).
 */
const FINE_COVER_M = 100;
const COARSE_COVER_SPREAD = 0.2;

/**
 * Year that the model describes; log spread of the burn rate per year of age of a land cover [1/yr] (our choice);
 * age from which a land cover is reported as stale [years].
 */
const MODEL_YEAR = 2026;
const COVER_AGE_SPREAD = 0.02;
const STALE_AFTER_YEARS = 20;

/** Readings of the layers at a place. */
export interface FireEvidence extends FirePlace {
  /** Land cover code; NaN where none is known. */
  readonly landCover: number;
  /**
   * Levels of the worst week by reduced variate; empty where none is mapped. The next call of `look` overwrites
   * it.
   */
  readonly curve: MappedCurve;
  /** Whether `curve` determines the spread between years. */
  readonly hasYears: boolean;
}

/** Reads the layers of one snapshot at a place, and reports which data are missing there. */
export class FireLayers {
  readonly #curve: MappedCurve;
  readonly #cards: readonly LayerMeta[];
  readonly #shores: Shores;
  readonly #severity: Candidates;
  readonly #danger: Candidates;
  readonly #dangerCurves: readonly CurveVersion[];
  readonly #dangerVariates: readonly (readonly number[])[];
  readonly #cover: Candidates;
  /** Log spread that the land cover of each card adds to the burn rate [1]. */
  readonly #coverErrors: Float64Array;
  readonly #climate: Candidates;
  readonly #climateLoss: Candidates;
  readonly #climateSeverity: Candidates;
  readonly #slope: Candidates;
  readonly #coarseSlope: Candidates;
  readonly #history: Candidates;
  readonly #frequency: Candidates;
  /** For each card, the record-length cards of the same version. */
  readonly #recordYears: readonly Candidates[];

  constructor(cards: readonly LayerMeta[]) {
    this.#cards = cards;
    this.#shores = new Shores(cards);
    this.#severity = candidatesOf(cards, 'fire-severity');
    this.#danger = candidatesOf(cards, 'fire-danger');
    this.#dangerCurves = curveVersionsOf(cards, 'fire-danger');
    this.#dangerVariates = this.#dangerCurves.map((version) =>
      version.returnPeriodsYears.map(reducedVariate),
    );
    this.#curve = mappedCurve(this.#dangerCurves);
    this.#cover = candidatesOf(cards, 'land-cover');
    this.#coverErrors = Float64Array.from(cards, coverErrorOf);
    this.#climate = candidatesOf(cards, 'fire-climate');
    this.#climateLoss = candidatesOf(cards, 'fire-climate-loss');
    this.#climateSeverity = candidatesOf(cards, 'fire-climate-severity');
    const slopes = candidatesOf(cards, 'slope');
    this.#slope = slopes.filter((i) => cards[i]!.resolutionM <= COARSE_SLOPE_M);
    this.#coarseSlope = slopes.filter((i) => cards[i]!.resolutionM > COARSE_SLOPE_M);
    this.#history = candidatesOf(cards, 'burn-history');
    this.#frequency = candidatesOf(cards, 'fire-frequency');
    const years = candidatesOf(cards, 'fire-record-years');
    this.#recordYears = cards.map(({ version }) => years.filter((i) => cards[i]!.version === version));
  }

  /** Reads the layers at a point. */
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
    const curve = this.#curve;
    curve.count = 0;
    if (version >= 0) {
      readCurve(this.#dangerCurves[version]!, this.#dangerVariates[version]!, readings, curve);
      if (Number.isNaN(severity)) {
        severity = severityOfWorstWeek(levelAt(curve, MEDIAN_VARIATE));
        severityError = WORST_WEEK_ERROR;
      }
    }
    const hasYears = curve.count > 1 && curve.levels[curve.count - 1]! > 0;
    const climate = this.#climateAt(readings);
    return {
      ...(climate !== undefined && { climate }),
      severity,
      severityError: Number.isNaN(severity) ? UNKNOWN_SEVERITY_ERROR : severityError,
      curve,
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

  /** What the climate says at the point; undefined unless all its layers have a possible value. */
  #climateAt(readings: readonly LayerReading[]): FireClimate | undefined {
    const rate = Math.min(1, 10 ** valueOf(readings, this.#climate));
    const loss = Math.min(1, 10 ** valueOf(readings, this.#climateLoss));
    const severity = 10 ** valueOf(readings, this.#climateSeverity);
    return rate > 0 && loss > 0 && severity < Infinity ? { rate, loss, severity } : undefined;
  }

  /**
   * Length of the fire record at the point [years], from the record-length layer with the same version as the
   * layer of fire frequency or burn history.
   */
  #yearsOfRecord(readings: readonly LayerReading[]): number {
    const counted = answeringCard(readings, this.#frequency);
    const from = counted >= 0 ? counted : answeringCard(readings, this.#history);
    return from < 0 ? Number.NaN : valueOf(readings, this.#recordYears[from]!);
  }

  /** Returns whether the place is land: by its land cover where that is fine and known, otherwise by the shores. */
  ground(readings: readonly LayerReading[], seen: FireEvidence): Ground {
    if (isOpenWater(seen.landCover)) return 'water';
    return this.#shores.at(readings, this.#isLandShown(readings, seen));
  }

  #isLandShown(readings: readonly LayerReading[], { fuel }: FireEvidence): boolean {
    const card = fuel === UNKNOWN_FUEL ? -1 : answeringCard(readings, this.#cover);
    return card >= 0 && this.#cards[card]!.resolutionM <= COARSE_COVER_M;
  }

  /** Returns the reason for the prior at a place that is not land. */
  waterReason(
    readings: readonly LayerReading[],
    { landCover }: FireEvidence,
    ground: 'water' | 'unmapped',
  ): Reason {
    if (!isOpenWater(landCover)) return this.#shores.priorReason(readings, ground);
    return { code: 'sea', message: 'the land cover here is open water: no building stands there' };
  }

  /**
   * Returns the reasons for answering with the prior if nothing is known that distinguishes the place from
   * others.
   */
  absence(readings: readonly LayerReading[], { landCover }: FireEvidence): Reason[] {
    const asked = [
      ...this.#climate,
      ...this.#dangerLayers(),
      ...this.#cover,
      ...this.#history,
      ...this.#frequency,
    ];
    const message =
      'no fire-climate, fire-danger, land-cover, burn-history or fire-frequency layer says anything here: this is the prior for any place';
    const reasons: Reason[] = [{ code: absenceOf(readings, asked), message }];
    if (Number.isFinite(landCover)) reasons.push(unknownCover(landCover));
    return [...reasons, { code: 'prior', message: 'slope alone ranks no place' }];
  }

  /** Returns the reasons why the answer at the point is less certain than the best answer of the model. */
  reasons(readings: readonly LayerReading[], seen: FireEvidence): Reason[] {
    const reasons: Reason[] = [];
    if (Number.isNaN(seen.severity)) {
      const message =
        seen.climate === undefined
          ? `no fire-danger here: a seasonal severity of ${UNKNOWN_SEVERITY} is taken, which few places have`
          : 'no fire-danger here: that usual in the climate is taken';
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
        message: `the level is that of ${seen.climate === undefined ? 'Iberia' : 'the climate in this country'} and losses are judgements: no claims are known`,
      },
      {
        code: 'not-modelled',
        message:
          'fuel is that of one cell, not of the land around; defensible space and fire brigades are ignored',
      },
      ...(this.#isLandShown(readings, seen) ? [] : this.#shores.doubts(readings)),
    );
    return reasons;
  }

  /** Returns the indices of all cards of fire danger and severity. */
  #dangerLayers(): number[] {
    return [...this.#severity, ...this.#danger, ...this.#dangerCurves.flatMap(({ cards }) => cards)];
  }
}

/**
 * Log spread that a land cover map adds to the burn rate [1]; it depends on the cell size and age of the map.
 */
function coverErrorOf({ resolutionM, date }: LayerMeta): number {
  const coarse = COARSE_COVER_SPREAD * Math.max(0, Math.log10(resolutionM / FINE_COVER_M));
  return Math.hypot(coarse, COVER_AGE_SPREAD * Math.max(0, MODEL_YEAR - yearOf(date)));
}

function yearOf(date: string): number {
  return Number.parseInt(date, 10);
}

/** Returns the ratio of the severity of each of SEASONS_YEARS to the mean severity of the place. */
export function yearRatiosAt({ hasYears, curve }: FireEvidence): ArrayLike<number> {
  return hasYears ? yearRatiosOf(curve, VARIATES) : USUAL_YEARS;
}

/** Whether anything is known that distinguishes the place from others. */
export function isKnown(seen: FireEvidence): boolean {
  return seen.climate !== undefined || isMapped(seen) || hasRecord(seen);
}

/** Whether fire danger or land cover is mapped at the place. */
export function isMapped({ severity, fuel }: FirePlace): boolean {
  return Number.isFinite(severity) || fuel !== UNKNOWN_FUEL;
}

/** Whether a record of past fires covers the place. */
export function hasRecord({ burnHistory, fireFrequency }: FirePlace): boolean {
  return Number.isFinite(burnHistory) || Number.isFinite(fireFrequency);
}

function unknownCover(landCover: number): Reason {
  return {
    code: 'not-modelled',
    message: `land-cover ${landCover} is no class of WorldCover or CORINE: fuel and loss are those of mixed land`,
  };
}
