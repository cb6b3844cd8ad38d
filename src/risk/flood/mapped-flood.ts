import { depthAt, type MappedDepths } from './flood-maps.ts';
import { dryMargins } from './mapped-flood-margin.ts';
import { normalProbability, normalQuantile } from '../../numerics/normal.ts';
import { DRAWS } from '../predictive-draws.ts';

/**
 * Error of a mapped depth that is common to all return periods (errors of ground and water surface), as a standard
 * deviation [m]: at cells of 10 m, and the increase when the cell size grows by a factor of e (our choice, based on
 * vertical errors of 0.3 m for lidar and about 1 m for the best global terrain model at 90 m).
 * @see doi:10.1088/1748-9326/ac4d4f (Hawker et al. 2022)
 */
const DEPTH_ERROR_M = 0.3;
const DEPTH_ERROR_PER_FOLD_M = 0.28;
const FINEST_CELL_M = 10;

/**
 * Relative increase of the depth error with the age of the map [1/yr] (our choice), and the year up to which the
 * age is counted: the year of this model's version.
 */
const AGEING_PER_YEAR = 0.01;
const MODEL_YEAR = 2026;

/**
 * Sampling error of a return level, relative to the rise of water levels per unit of ln T: its standard deviation
 * is `SHARE (1 + GROWTH ln T)` [1] (our choice, such that nine in ten intervals contain the truth for records of
 * 25 to 80 years; bench/calibration).
 */
const SAMPLING_SHARE = 0.42;
const SAMPLING_GROWTH = 0.5;

/**
 * Rise of the water level per unit of ln T [m] where fewer than two maps are wet (our choice: usual for rivers
 * and sea).
 */
const USUAL_RISE_M = 0.3;

/** Maximum depth of the two-year flood at places where people build [m] (our choice). */
const DEEPEST_USUAL_M = 0.5;
const USUAL_YEARS = 2;
/**
 * Errors that would make the two-year flood deeper than DEEPEST_USUAL_M are excluded, but at least this share of
 * the error distribution is kept [1]. The minimum applies if the mapped two-year depth exceeds DEEPEST_USUAL_M by
 * about two standard errors or more: such a map is believed.
 */
const LEAST_SHARE = 0.02;

/**
 * Spread between maps in the size of the error common to all return periods, as the standard deviation of its
 * logarithm [1] (our choice), and the resulting factor of the error in each draw.
 */
const ERROR_LOG_SPREAD = 0.3;
const ERROR_SIZES = DRAWS[4]!.map((z) => Math.exp(ERROR_LOG_SPREAD * z));

/**
 * Ranks in (0, 1) in each draw: of the error common to all return periods, and of the height of a dry place above
 * the rarest mapped flood.
 */
const ERROR_RANKS = DRAWS[0]!.map(normalProbability);
const MARGIN_RANKS = DRAWS[3]!.map(normalProbability);

/**
 * If the exclusion of errors would leave more than this share of the error distribution [1], none are excluded,
 * because no draw reaches the 99.9th percentile of the distribution.
 */
const WHOLE_SHARE = 0.999;

/** Standard deviation [m] of the error of a map's depths. @param date YYYY-MM-DD */
function depthErrorM(resolutionM: number, date: string): number {
  const folds = Math.log(Math.max(1, resolutionM / FINEST_CELL_M));
  const age = Math.max(0, MODEL_YEAR - Number.parseInt(date, 10));
  return (
    (DEPTH_ERROR_M + DEPTH_ERROR_PER_FOLD_M * folds) * (1 + AGEING_PER_YEAR * (Number.isNaN(age) ? 0 : age))
  );
}

/** Age of a map [years] in the year of this model's version. */
export function mapAgeYears(date: string): number {
  return MODEL_YEAR - Number.parseInt(date, 10);
}

/** Draws of the flood depth at one point from the maps of one cause, river or sea, at given return periods. */
export class MappedFlood {
  /**
   * Height of the water level above the ground by return period [m]; below 0 if the water does not reach the
   * ground.
   */
  readonly #water: Float64Array;
  readonly #sampling: Float64Array;
  #errorM = 0;
  #riseM = 0;
  #count = 0;
  #isDry = false;
  /**
   * Share of the normal distribution of errors that remains after errors that make the two-year flood too deep for
   * a building are excluded [1].
   */
  #share = 1;
  /**
   * Cache of the draws of the height of a dry place above the rarest mapped flood [m]. The key is the standard
   * error of the map [m], which is the same for all points of a map version.
   */
  readonly #margins = new Map<number, Float64Array>();
  #dryMargins: Float64Array = MARGIN_RANKS;

  constructor(length: number) {
    this.#water = new Float64Array(length);
    this.#sampling = new Float64Array(length);
  }

  /**
   * Sets the point and the return periods [years]. The water level is interpolated between the maps. It is
   * extrapolated linearly in ln T beyond the last map, and below the first wet map.
   */
  prepare(mapped: MappedDepths, years: readonly number[]): void {
    const { version, depthsM } = mapped;
    const mapYears = version.returnPeriodsYears;
    const last = mapYears.length - 1;
    const firstWet = depthsM.findIndex((depth) => depth > 0);
    this.#errorM = depthErrorM(version.resolutionM, version.date);
    this.#count = years.length;
    this.#isDry = firstWet < 0;
    const anchor = this.#isDry ? last : firstWet;
    const folds = Math.log(mapYears[last]! / mapYears[anchor]!);
    const rise = folds > 0 ? (depthsM[last]! - depthsM[anchor]!) / folds : 0;
    this.#riseM = rise > 0 ? rise : USUAL_RISE_M;
    const usualM = depthsM[anchor]! - this.#riseM * Math.log(mapYears[anchor]! / USUAL_YEARS);
    this.#share = Math.max(LEAST_SHARE, normalProbability((DEEPEST_USUAL_M - usualM) / this.#errorM));
    if (this.#isDry) this.#dryMargins = this.#marginsOf(this.#errorM);
    for (let i = 0; i < years.length; i++) {
      const T = years[i]!;
      const fold = Math.log(T);
      this.#sampling[i] = 1 + SAMPLING_GROWTH * fold;
      if (T < mapYears[anchor]!) {
        const below = depthsM[anchor]! - this.#riseM * (Math.log(mapYears[anchor]!) - fold);
        this.#water[i] = anchor > 0 ? Math.min(0, below) : below;
      } else if (T > mapYears[last]!)
        this.#water[i] = depthsM[last]! + this.#riseM * (fold - Math.log(mapYears[last]!));
      else this.#water[i] = depthAt(mapped, T);
    }
  }

  #marginsOf(errorM: number): Float64Array {
    let margins = this.#margins.get(errorM);
    if (margins === undefined) this.#margins.set(errorM, (margins = dryMargins(errorM, MARGIN_RANKS)));
    return margins;
  }

  /**
   * For each return period, replaces the value in `depths` [m] by the depth in this draw if the latter is greater.
   */
  add(draw: number, depths: Float64Array): void {
    const shift = this.#isDry
      ? -this.#dryMargins[draw]!
      : this.#errorM * ERROR_SIZES[draw]! * this.#deviate(draw);
    const sampling = SAMPLING_SHARE * this.#riseM * DRAWS[1]![draw]!;
    for (let i = 0; i < this.#count; i++) {
      const depth = this.#water[i]! + shift + sampling * this.#sampling[i]!;
      if (depth > depths[i]!) depths[i] = depth;
    }
  }

  /**
   * Standard normal deviate [1] in a draw of the error common to all return periods. Deviates that would make the
   * two-year flood too deep for a building are excluded.
   */
  #deviate(draw: number): number {
    return this.#share > WHOLE_SHARE ? DRAWS[0]![draw]! : normalQuantile(ERROR_RANKS[draw]! * this.#share);
  }
}
