import { type BlockFit, CUT_VARIANCE, MAX_OUTLIER_SHARE, OUTLIER } from './block-fit.ts';
import type { BlockHistory } from './block-history.ts';
import { MAD_TO_SIGMA, medianInPlace } from '../numerics/median.ts';
import type { Rest, Worth } from './red-noise.ts';
import { YEAR_BLOCKS } from './season-design.ts';
import { SeasonSpread } from './season-spread.ts';

/** Spread of single observations about a fit to block means, for series with several observations per block. */
export class DaySpread {
  /** Spread by season. */
  readonly spread = new SeasonSpread();
  readonly #of: BlockHistory;
  readonly #fit: BlockFit;
  /** Maximum residual that is kept, by bin of the year. */
  readonly #bounds = new Float64Array(YEAR_BLOCKS);
  /**
   * Fitted value of each observation of the series. `measure` overwrites the values of past observations, which are
   * no longer needed at that time.
   */
  readonly #fitted: Float64Array;
  /** Variance of the daily values about the fit, and the number of kept days minus the number of blocks. */
  #raw = Number.NaN;
  #within = 0;
  #seen = 0;
  #kept = 0;
  #isMeasured = false;

  /**
   * @param fitted array with one entry per observation of the series; `measure` overwrites the entries of past
   *   observations
   */
  constructor(history: BlockHistory, fit: BlockFit, fitted: Float64Array) {
    this.#of = history;
    this.#fit = fit;
    this.#fitted = fitted;
  }

  /** Forgets the previous spread, so that the next `measure` does not use it to define outliers. */
  forget(): void {
    this.#isMeasured = false;
  }

  /** Measures the spread again. @param n number of fitted blocks */
  measure(n: number): void {
    const { history, from, count, design } = this.#of;
    this.#fit.values(design.rows, history[from]!, history[count - 1]! + 1, this.#fitted);
    if (!this.#isMeasured) {
      this.#bounds.fill(OUTLIER * MAD_TO_SIGMA * this.#medianSize());
      this.#sum();
      this.spread.settle(1 / CUT_VARIANCE);
      this.#isMeasured = true;
    }
    for (let bin = 0; bin < YEAR_BLOCKS; bin++)
      this.#bounds[bin] = OUTLIER * Math.sqrt(this.spread.variance(bin));
    this.#sum();
    let cut = CUT_VARIANCE;
    if (this.#seen - this.#kept > this.#seen * MAX_OUTLIER_SHARE) {
      this.#bounds.fill(Number.POSITIVE_INFINITY);
      this.#sum();
      cut = 1;
    }
    this.spread.settleYear(1 / cut);
    this.#raw = this.spread.yearVariance;
    this.#within = this.#kept - n;
    const { variance, freedom } = this.#year(this.#fit.worth);
    this.spread.settle(variance / (this.#raw * cut), Math.min(1, freedom / this.#kept));
  }

  /**
   * Degrees of freedom of the whole year's variance for a given `worth` of the block residuals, and the ratio of that
   * variance to `spread.yearVariance`.
   */
  restsOn(worth: Worth): Rest {
    const { variance, freedom } = this.#year(worth);
    return { freedom, factor: variance / this.#year(this.#fit.worth).variance };
  }

  /**
   * Variance over the whole year and its degrees of freedom. The variance is that of the daily values about the fit,
   * plus the part of the variance of the block means that the fit has absorbed.
   */
  #year(worth: Worth): { readonly variance: number; readonly freedom: number } {
    const blocks = this.#fit.restsOn(worth);
    const ofBlocks = this.#fit.spread.yearVariance * blocks.factor;
    const variance = this.#raw + worth.swallowed * ofBlocks;
    const within = Math.max(0, variance - ofBlocks);
    const doubt = (ofBlocks * ofBlocks) / blocks.freedom + (within * within) / Math.max(1, this.#within);
    return { variance, freedom: (variance * variance) / doubt };
  }

  /** Median absolute residual. */
  #medianSize(): number {
    const { values, history, isDry, from, count } = this.#of;
    const sizes = new Float64Array(count - from);
    let seen = 0;
    for (let h = from; h < count; h++) {
      if (isDry[h] === 1) continue;
      const index = history[h]!;
      sizes[seen++] = Math.abs(values[index]! - this.#fitted[index]!);
    }
    return medianInPlace(sizes, seen);
  }

  /** Adds the residuals that are within the bounds to `spread`, by bin of the year. */
  #sum(): void {
    const { values, history, isDry, from, count } = this.#of;
    const { bins } = this.#of.design;
    const fitted = this.#fitted;
    const bounds = this.#bounds;
    this.spread.clear();
    let kept = 0;
    let seen = 0;
    for (let h = from; h < count; h++) {
      if (isDry[h] === 1) continue;
      seen += 1;
      const index = history[h]!;
      const residual = values[index]! - fitted[index]!;
      const bin = bins[index]!;
      if (residual > bounds[bin]! || residual < -bounds[bin]!) continue;
      kept += 1;
      this.spread.add(bin, residual);
    }
    this.#seen = seen;
    this.#kept = kept;
  }
}
