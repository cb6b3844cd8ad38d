import { type BlockFit, CUT_VARIANCE, MAX_OUTLIER_SHARE, OUTLIER } from './block-fit.ts';
import type { BlockHistory } from './block-history.ts';
import { MAD_TO_SIGMA, medianInPlace } from './median.ts';
import { YEAR_BLOCKS } from './season-design.ts';
import { SeasonSpread } from './season-spread.ts';

/** The spread of single observations about a fit to the means of blocks that hold several. */
export class DaySpread {
  /** By season. */
  readonly spread = new SeasonSpread();
  /** Degrees of freedom of the whole year's. */
  freedom = 0;
  readonly #of: BlockHistory;
  readonly #fit: BlockFit;
  readonly #residuals: Float64Array;
  /** Largest residual that is kept, by bin. */
  readonly #bounds = new Float64Array(YEAR_BLOCKS);
  #isMeasured = false;

  constructor(history: BlockHistory, fit: BlockFit) {
    this.#of = history;
    this.#fit = fit;
    this.#residuals = new Float64Array(history.values.length);
  }

  /** Forgets the spread before, by which outliers are told. */
  forget(): void {
    this.#isMeasured = false;
  }

  /** Measures it anew. @param n how many blocks were fitted */
  measure(n: number): void {
    const { values, history, isDry, from, count } = this.#of;
    const { swallowed } = this.#fit;
    const { rows } = this.#of.design;
    const residuals = this.#residuals;
    let seen = 0;
    for (let h = from; h < count; h++) {
      if (isDry[h] === 1) continue;
      const index = history[h]!;
      residuals[seen] = values[index]! - this.#fit.value(rows, index);
      seen += 1;
    }
    if (!this.#isMeasured) {
      const sizes = residuals.slice(0, seen).map(Math.abs);
      this.#bounds.fill(OUTLIER * MAD_TO_SIGMA * medianInPlace(sizes, seen));
      this.#sum();
      this.spread.settle(1 / CUT_VARIANCE);
      this.#isMeasured = true;
    }
    for (let bin = 0; bin < YEAR_BLOCKS; bin++)
      this.#bounds[bin] = OUTLIER * Math.sqrt(this.spread.variance(bin));
    let kept = this.#sum();
    let cut = CUT_VARIANCE;
    if (seen - kept > seen * MAX_OUTLIER_SHARE) {
      this.#bounds.fill(Number.POSITIVE_INFINITY);
      kept = this.#sum();
      cut = 1;
    }
    this.spread.settle(1 / cut);
    const raw = this.spread.yearVariance;
    const ofBlocks = this.#fit.spread.yearVariance;
    const variance = raw + swallowed * ofBlocks;
    const within = Math.max(0, variance - ofBlocks);
    this.freedom =
      (variance * variance) /
      ((ofBlocks * ofBlocks) / this.#fit.freedom + (within * within) / Math.max(1, kept - n));
    this.spread.settle(variance / (raw * cut), Math.min(1, this.freedom / kept));
  }

  /** Sums the residuals within the bounds up by bin; answers how many there are. */
  #sum(): number {
    const { history, isDry, from, count } = this.#of;
    const { bins } = this.#of.design;
    const residuals = this.#residuals;
    const bounds = this.#bounds;
    this.spread.clear();
    let kept = 0;
    let k = 0;
    for (let h = from; h < count; h++) {
      if (isDry[h] === 1) continue;
      const residual = residuals[k]!;
      k += 1;
      const bin = bins[history[h]!]!;
      if (residual > bounds[bin]! || residual < -bounds[bin]!) continue;
      kept += 1;
      this.spread.add(bin, residual);
    }
    return kept;
  }
}
