import { depthAt, type MappedDepths } from './flood-maps.ts';
import { DRAWS } from './predictive-draws.ts';

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
const SAMPLING_SHARE = 0.36;
const SAMPLING_GROWTH = 0.5;

/** Rise of the water with ln T where a map shows fewer than two wet depths [m] (ours: rivers and sea of the usual range). */
const USUAL_RISE_M = 0.3;

/** Height above the rarest mapped flood of a place that no map wets: median [m] and standard deviation of its logarithm [1] (ours). */
const DRY_MARGIN_M = 0.55;
const DRY_MARGIN_LOG_SPREAD = 1;

const DRY_MARGINS = DRAWS[3]!.map((z) => DRY_MARGIN_M * Math.exp(DRY_MARGIN_LOG_SPREAD * z));

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

  /** Adds one draw's depths: the larger of what stands and them. */
  add(draw: number, depths: Float64Array): void {
    const shift = this.#errorM * DRAWS[0]![draw]! - (this.#isDry ? DRY_MARGINS[draw]! : 0);
    const sampling = SAMPLING_SHARE * this.#riseM * DRAWS[1]![draw]!;
    for (let i = 0; i < this.#count; i++) {
      const depth = this.#water[i]! + shift + sampling * this.#sampling[i]!;
      if (depth > depths[i]!) depths[i] = depth;
    }
  }
}
