import { depthAt, type MappedDepths } from './flood-maps.ts';
import { dryMargins } from './mapped-flood-margin.ts';
import { normalProbability, normalQuantile } from '../../numerics/normal.ts';
import { DRAWS } from '../predictive-draws.ts';

/**
 * Error of a mapped depth that is common to all return periods: ground and water surface, standard deviation [m] at cells
 * of 10 m, and what each e-fold of the cell's size adds (ours, after vertical errors of 0.3 m for lidar, and about 1 m of
 * the best global terrain at 90 m). @see doi:10.1088/1748-9326/ac4d4f (Hawker et al. 2022)
 */
const DEPTH_ERROR_M = 0.3;
const DEPTH_ERROR_PER_FOLD_M = 0.28;
const FINEST_CELL_M = 10;

/** Growth of that error with the age of the map [1/yr], from the year of this model's version (ours). */
const AGEING_PER_YEAR = 0.01;
const MODEL_YEAR = 2026;

/**
 * Error of a return level as a share of how fast levels rise with ln T: standard deviation `SHARE (1 + GROWTH ln T)` [1]
 * (ours: so wide that nine in ten intervals hold the truth for records of 25 to 80 years, bench/calibration).
 */
const SAMPLING_SHARE = 0.42;
const SAMPLING_GROWTH = 0.5;

/** Rise of the water with ln T where a map shows fewer than two wet depths [m] (ours: rivers and sea of the usual range). */
const USUAL_RISE_M = 0.3;

/** Nobody builds where the flood of every other year is deeper than this [m] (ours). */
const DEEPEST_USUAL_M = 0.5;
const USUAL_YEARS = 2;
/** A map that says so more than two of its errors deep is believed: no more of the error is cut off than this leaves [1]. */
const LEAST_SHARE = 0.02;

/** Spread of that error itself from map to map, standard deviation of its logarithm [1] (ours), and its factor in each draw. */
const ERROR_LOG_SPREAD = 0.3;
const ERROR_SIZES = DRAWS[4]!.map((z) => Math.exp(ERROR_LOG_SPREAD * z));

/** Ranks of the draws of the common error, and of a dry place's margin. */
const ERROR_RANKS = DRAWS[0]!.map(normalProbability);
const MARGIN_RANKS = DRAWS[3]!.map(normalProbability);

/** From this share on the error is not cut off: its 99.9th percentile is beyond every draw [1]. */
const WHOLE_SHARE = 0.999;

/** Standard deviation [m] of a map's depths. @param date YYYY-MM-DD */
export function depthErrorM(resolutionM: number, date: string): number {
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

/** Mapped depths of one cause at one point, at the return periods asked for, and their draws. */
export class MappedFlood {
  /** Height of the water over the ground [m], below 0 where it does not reach. */
  readonly #water: Float64Array;
  readonly #sampling: Float64Array;
  #errorM = 0;
  #riseM = 0;
  #count = 0;
  #isDry = false;
  /** Share of the normal distribution of errors that is left by what is built. */
  #share = 1;
  /** Heights over the rarest flood where no map is wet [m], for each error met: one for each version of a map. */
  readonly #margins = new Map<number, Float64Array>();
  #dryMargins: Float64Array = MARGIN_RANKS;

  constructor(length: number) {
    this.#water = new Float64Array(length);
    this.#sampling = new Float64Array(length);
  }

  /** Takes a point's depths; between and beyond the maps, and below the ground, the water is taken to go on as it rises. */
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

  /** Adds one draw's depths: the larger of what stands and them. */
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

  /** Deviate of the common error: normal, cut off where the usual flood would be deeper than any that is built in. */
  #deviate(draw: number): number {
    return this.#share > WHOLE_SHARE ? DRAWS[0]![draw]! : normalQuantile(ERROR_RANKS[draw]! * this.#share);
  }
}
