import type { BlockHistory } from './block-history.ts';
import { MAD_TO_SIGMA, medianInPlace } from './median.ts';
import { ModifiedResidualFit } from './modified-residual-fit.ts';
import { correlationSeenAs, doubted, freedomInDoubt, MAX_SWALLOWED, spectrum } from './red-noise.ts';
import { YEAR_BLOCKS } from './season-design.ts';
import { SeasonSpread } from './season-spread.ts';

const YEAR_MS = 365.25 * 86_400_000; // Julian year [ms]

/** Residual in standard deviations from which Huber's weight falls: 95 % efficient at the normal law (Huber 1964). */
const HUBER = 1.345;
/** Rounds of a new scale and two Huber steps each: from least squares, and from the fit before (ours). */
const HUBER_ROUNDS = { first: 4, renewed: 1 };
/** Residual beyond which an observation is an outlier and left out [standard deviations] (Rousseeuw & Leroy 1987). */
export const OUTLIER = 3;
/** Variance of a normal law cut at `OUTLIER`: 1 - 2 c phi(c) / (2 Phi(c) - 1). */
export const CUT_VARIANCE = 0.973337;
/** Rounds of leaving out, refitting and measuring the spread again (ours). */
const OUTLIER_ROUNDS = { first: 4, renewed: 2 };
/** Largest share left out (ours): more are not outliers but the law of the series. */
export const MAX_OUTLIER_SHARE = 0.25;
/** Neighbours are no further apart than so many typical steps (ours). */
const LONGEST_GAP = 1.5;

/**
 * Intercept, trend and harmonics fitted robustly to the means of five-day blocks, which say as much of level and season
 * as the days do where days hang together; and what their residuals tell of its own uncertainty.
 */
export class BlockFit {
  /** Spread of the blocks' means about the fit, by season. */
  readonly spread = new SeasonSpread();
  /** Independent residuals that those of the blocks are worth. */
  freedom = 0;
  /** Share of the variance that the fit has swallowed. */
  swallowed = 0;
  /** Whether blocks hold several observations. */
  isDense = false;
  /** Largest mean that was kept, either sign. */
  largest = 0;
  readonly #of: BlockHistory;
  readonly #fit = new ModifiedResidualFit();
  readonly #residuals: Float64Array;
  readonly #modified: Float64Array;
  readonly #kept: Uint8Array;
  readonly #sorted: Float64Array;
  readonly #bounds = new Float64Array(YEAR_BLOCKS);
  #angles: readonly number[] = [];
  /** Neighbouring blocks that told the correlation. */
  #pairs = 0;
  /** Variance of the residuals kept, over that of all. */
  #cutVariance = 1;

  constructor(history: BlockHistory) {
    const blocks = history.means.length;
    this.#of = history;
    this.#residuals = new Float64Array(blocks);
    this.#modified = new Float64Array(blocks);
    this.#kept = new Uint8Array(blocks);
    this.#sorted = new Float64Array(blocks);
  }

  /** Fitted value at a row of a design. */
  value(rows: Float64Array, row: number): number {
    return this.#fit.value(rows, row);
  }

  /** Variance of the fitted value at a row over that of an observation. */
  leverage(rows: Float64Array, row: number): number {
    return this.#fit.leverage(rows, row);
  }

  /**
   * Fits the blocks up to `to`.
   * @param wasFitted whether the fit before may be the start of this one
   * @returns false when the dates cannot tell so many harmonics apart
   */
  fit(to: number, harmonics: number, withTrend: boolean, wasFitted: boolean): boolean {
    const { fromBlock, rows, means } = this.#of;
    const n = to - fromBlock;
    const width = 1 + 2 * harmonics + (withTrend ? 1 : 0);
    const isRenewed = wasFitted && width === this.#fit.width;
    if (!this.#fit.begin(rows, fromBlock, to, withTrend ? 0 : 1, width)) return false;
    this.#fit.residuals(means, this.#residuals);
    if (!isRenewed) this.#step(n, Number.POSITIVE_INFINITY);
    const turn = isRenewed ? 'renewed' : 'first';
    let scale = 0;
    for (let round = 0; round < HUBER_ROUNDS[turn]; round++) {
      scale = this.#robustScale(n) * Math.sqrt(n / (n - width));
      if (!(scale > 0)) break;
      this.#step(n, HUBER * scale);
      this.#step(n, HUBER * scale);
    }
    this.#leaveOutliers(n, isRenewed ? null : scale, OUTLIER_ROUNDS[turn]);
    this.#measureCorrelation(n);
    return true;
  }

  /** One step with residuals clipped at a bound. */
  #step(n: number, bound: number): void {
    const residuals = this.#residuals;
    const modified = this.#modified;
    for (let k = 0; k < n; k++) {
      const residual = residuals[k]!;
      modified[k] = residual > bound ? bound : residual < -bound ? -bound : residual;
    }
    this.#fit.step(modified);
    this.#fit.residuals(this.#of.means, this.#residuals);
  }

  /**
   * Leaves outliers out, refits, and measures the season's spread of the rest, until nothing changes.
   * @param scale deviation by which the first are told; null: the spread as it was measured before
   */
  #leaveOutliers(n: number, scale: number | null, rounds: number): void {
    const residuals = this.#residuals;
    const modified = this.#modified;
    const kept = this.#kept.fill(1, 0, n);
    const bounds = this.#bounds;
    for (let round = 0; round < rounds; round++) {
      for (let bin = 0; bin < YEAR_BLOCKS; bin++)
        bounds[bin] =
          OUTLIER * (round === 0 && scale !== null ? scale : Math.sqrt(this.spread.variance(bin)));
      let out = 0;
      let changed = false;
      for (let k = 0; k < n; k++) {
        const keep = Math.abs(residuals[k]!) <= bounds[this.#of.binAt(k)]! ? 1 : 0;
        if (keep !== kept[k]) changed = true;
        kept[k] = keep;
        out += 1 - keep;
      }
      if (round > 0 && !changed) break;
      const all = out > n * MAX_OUTLIER_SHARE;
      if (all) kept.fill(1, 0, n);
      for (let k = 0; k < n; k++) modified[k] = kept[k] === 1 ? residuals[k]! : 0;
      this.#fit.step(modified);
      this.#fit.residuals(this.#of.means, residuals);
      this.#cutVariance = all ? 1 : CUT_VARIANCE;
      this.#measureSpread(n);
      if (all) break;
    }
  }

  #measureSpread(n: number): void {
    let kept = 0;
    this.spread.clear();
    for (let k = 0; k < n; k++) {
      if (this.#kept[k] === 0) continue;
      kept += 1;
      this.spread.add(this.#of.binAt(k), this.#residuals[k]!);
    }
    this.spread.settle(kept / ((kept - this.#fit.width) * this.#cutVariance));
  }

  /**
   * What autocorrelated residuals do: the fit is less certain, has swallowed more of the spread, and the spread rests
   * on fewer degrees of freedom (Bartlett 1935: (1 - r^2) / (1 + r^2)). A coefficient's variance grows by the spectrum
   * of the first-order process at its frequency.
   */
  #measureCorrelation(n: number): void {
    const { fromBlock, means, sizes } = this.#of;
    let kept = 0;
    this.largest = 0;
    for (let k = 0; k < n; k++) {
      if (this.#kept[k] === 0) continue;
      kept += 1;
      this.largest = Math.max(this.largest, Math.abs(means[fromBlock + k]!));
    }
    for (let k = 1; k < n; k++) this.#sorted[k - 1] = this.#of.gapMs(k);
    const stepMs = Math.max(medianInPlace(this.#sorted, n - 1), YEAR_MS / YEAR_BLOCKS);
    let observations = 0;
    for (let k = 0; k < n; k++) observations += sizes[fromBlock + k]!;
    this.isDense = observations > n;
    this.#setAngles(stepMs);
    const r = this.#correlation(n, kept, LONGEST_GAP * stepMs);
    let lost = 0;
    this.#fit.inflation = this.#angles.map((angle) => {
      const growth = spectrum(r, Math.cos(angle));
      lost += growth;
      return growth;
    });
    this.swallowed = Math.min(MAX_SWALLOWED, lost / kept);
    const independence = (1 - this.swallowed) * ((1 - r * r) / (1 + r * r));
    this.spread.settle(1 / ((1 - this.swallowed) * this.#cutVariance), independence);
    this.freedom = kept * independence;
    if (!this.isDense)
      this.freedom = freedomInDoubt(this.freedom, {
        r,
        pairs: this.#pairs,
        count: kept,
        angles: this.#angles,
      });
  }

  /** Angle that each fitted column turns by in a step [radians]. */
  #setAngles(stepMs: number): void {
    const withTrend = this.#fit.width % 2 === 0;
    this.#angles = Array.from({ length: this.#fit.width }, (_, c) => {
      const harmonic = (withTrend ? c : c + 1) >> 1; // intercept and trend are at frequency 0
      return (2 * Math.PI * harmonic * stepMs) / YEAR_MS;
    });
  }

  /** Of neighbouring blocks no further apart than `longestMs`. */
  #correlation(n: number, kept: number, longestMs: number): number {
    let products = 0;
    let squares = 0;
    let pairs = 0;
    for (let k = 1; k < n; k++) {
      if (this.#kept[k] === 0 || this.#kept[k - 1] === 0 || this.#of.gapMs(k) > longestMs) continue;
      const a = this.#residuals[k - 1]! / Math.sqrt(this.spread.variance(this.#of.binAt(k - 1)));
      const b = this.#residuals[k]! / Math.sqrt(this.spread.variance(this.#of.binAt(k)));
      products += a * b;
      squares += (a * a + b * b) / 2;
      pairs += 1;
    }
    this.#pairs = pairs;
    if (!(squares > 0)) return 0;
    const r = correlationSeenAs(products / squares, kept, this.#angles);
    // Means of days hang together at one step but less at the next ones than the first-order law has it: margin enough.
    return this.isDense ? r : doubted(r, pairs);
  }

  #robustScale(n: number): number {
    for (let k = 0; k < n; k++) this.#sorted[k] = Math.abs(this.#residuals[k]!);
    return MAD_TO_SIGMA * medianInPlace(this.#sorted, n);
  }
}
