import { depthAt, type MappedDepths } from './flood-maps.ts';
import { DRAWS } from './predictive-draws.ts';

/**
 * Error of a mapped depth that is common to all return periods: ground and water surface, standard deviation [m] at cells
 * of 10 m, and what each e-fold of the cell's size adds (ours, after vertical errors of 0.3 m for lidar and 0.7 m on flood
 * plains for the best global terrain).
 */
const DEPTH_ERROR_M = 0.3;
const DEPTH_ERROR_PER_FOLD_M = 0.2;
const FINEST_CELL_M = 10;

/** Growth of that error with the age of the map [1/yr], from the year of this model's version (ours). */
const AGEING_PER_YEAR = 0.01;
const MODEL_YEAR = 2026;

/** Spread of the height of the flood itself, standard deviation of the logarithm of the depth [1] (ours: records of decades). */
const DEPTH_LOG_SPREAD = 0.2;

/** A place that is dry on the map stands this many errors above the water: one in ten is wet all the same (ours). */
const DRY_MARGIN = 1.2816; // normal quantile of 0.9

const DEPTH_FACTORS = DRAWS[1]!.map((z) => Math.exp(DEPTH_LOG_SPREAD * z));

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
  readonly #depths: Float64Array;
  #errorM = 0;
  #count = 0;
  /** Index from which the maps speak; more often than their first they say nothing. */
  #first = 0;

  constructor(length: number) {
    this.#depths = new Float64Array(length);
  }

  prepare(mapped: MappedDepths, years: readonly number[]): void {
    const { version } = mapped;
    this.#errorM = depthErrorM(version.resolutionM, version.date);
    this.#count = years.length;
    this.#first = years.length;
    for (let i = 0; i < years.length; i++) {
      this.#depths[i] = depthAt(mapped, years[i]!);
      if (years[i]! >= version.returnPeriodsYears[0]!) this.#first = Math.min(this.#first, i);
    }
  }

  /** Depth [m] at the return period of that index. */
  depthM(index: number): number {
    return this.#depths[index]!;
  }

  /** Adds one draw's depths: the larger of what stands and them. */
  add(draw: number, depths: Float64Array): void {
    const shift = this.#errorM * DRAWS[0]![draw]!;
    const factor = DEPTH_FACTORS[draw]!;
    const dry = -DRY_MARGIN * this.#errorM;
    for (let i = this.#first; i < this.#count; i++) {
      const mapped = this.#depths[i]!;
      const depth = (mapped > 0 ? mapped * factor : dry) + shift;
      if (depth > depths[i]!) depths[i] = depth;
    }
  }
}
