import type { BlockHistory } from './block-history.ts';
import { MAD_TO_SIGMA, medianInPlace } from '../numerics/median.ts';
import { ModifiedResidualFit } from './modified-residual-fit.ts';
import {
  noiseSeenAs,
  possibleNoise,
  type PossibleNoise,
  type Rest,
  type Worth,
  worthOf,
} from './red-noise.ts';
import { YEAR_BLOCKS } from './season-design.ts';
import { SeasonSpread } from './season-spread.ts';
import { JULIAN_YEAR_MS } from '../base/time.ts';

/**
 * Absolute residual above which Huber's weight of an observation decreases [standard deviations]. With this value the
 * fit is 95 % as efficient as least squares on normal data (Huber 1964).
 */
const HUBER = 1.345;
/**
 * Number of Huber rounds (our choice): `first` for a fit that starts from least squares, `renewed` for a fit that
 * starts from the previous fit. Each round estimates the scale and takes two steps.
 */
const HUBER_ROUNDS = { first: 4, renewed: 1 };
/** Residual above which an observation is left out as an outlier [standard deviations] (Rousseeuw & Leroy 1987). */
export const OUTLIER = 3;
/** Variance of a standard normal distribution truncated at c = `OUTLIER`: 1 - 2 c phi(c) / (2 Phi(c) - 1). */
export const CUT_VARIANCE = 0.973337;
/** Maximum number of rounds that reject outliers, refit and measure the spread, by kind of fit (our choice). */
const OUTLIER_ROUNDS = { first: 4, renewed: 2 };
/**
 * Maximum share of outliers (our choice). If the share is larger, the values count as part of the distribution and
 * nothing is left out.
 */
export const MAX_OUTLIER_SHARE = 0.25;
/**
 * Number of standard errors that are added to the estimated correlation, to test whether the data determine the
 * correlation (our choice).
 */
const DOUBT = 2;
/**
 * Maximum change in the share of the variance that the fit has absorbed (our choice). If a correlation higher by
 * `DOUBT` standard errors changes this share by more, the data do not determine the correlation.
 */
const OPEN = 0.05;
/**
 * Maximum time between two blocks that count as neighbours (our choice), in units of the median time between blocks.
 */
const LONGEST_GAP = 1.5;

/**
 * Intercept, trend and harmonics, fitted robustly to the means of five-day blocks, and the uncertainty of the fit
 * from its residuals. When daily values are autocorrelated, the block means contain as much information on level and
 * season as the daily values.
 */
export class BlockFit {
  /** Spread of the block means about the fit, by season. */
  readonly spread = new SeasonSpread();
  /** Best estimate of the information in the residuals. */
  worth: Worth = { swallowed: 0, independence: 1, growths: [] };
  /** Number of blocks that were not left out as outliers. */
  kept = 0;
  /**
   * The possible values of `worth` with their probabilities, if there are too few blocks for a single estimate;
   * otherwise empty.
   */
  noise: readonly PossibleNoise[] = [];
  /** Whether any block contains several observations. */
  isDense = false;
  /** Largest absolute mean among the kept blocks. */
  largest = 0;
  readonly #of: BlockHistory;
  readonly #fit = new ModifiedResidualFit();
  readonly #residuals: Float64Array;
  readonly #modified: Float64Array;
  readonly #kept: Uint8Array;
  readonly #sorted: Float64Array;
  /** Work array by bin of the year: first the maximum residual that is kept, later the standard deviation. */
  readonly #bounds = new Float64Array(YEAR_BLOCKS);
  #angles: readonly number[] = [];
  /** Number of pairs of neighbouring blocks that the correlation was estimated from. */
  #pairs = 0;
  /**
   * Expected ratio of the variance of the kept residuals to the variance of all residuals; 1 if nothing is left out.
   */
  #cutVariance = 1;

  constructor(history: BlockHistory) {
    const blocks = history.means.length;
    this.#of = history;
    this.#residuals = new Float64Array(blocks);
    this.#modified = new Float64Array(blocks);
    this.#kept = new Uint8Array(blocks);
    this.#sorted = new Float64Array(blocks);
  }

  /** Writes the fitted values at the rows `[from, to)` of a design to `out`, at the same indices. */
  values(rows: Float64Array, from: number, to: number, out: Float64Array): void {
    this.#fit.values(rows, from, to, out);
  }

  /** Variance of the fitted value at a row, divided by the variance of one block mean. */
  leverage(rows: Float64Array, row: number): number {
    return this.#fit.leverage(rows, row);
  }

  /**
   * Degrees of freedom of the whole year's variance for a given value of `worth`, and the ratio of that variance to
   * `spread.yearVariance`.
   */
  restsOn({ swallowed, independence }: Worth): Rest {
    return {
      freedom: this.kept * independence,
      factor: (1 - this.worth.swallowed) / (1 - swallowed),
    };
  }

  /**
   * Writes to `out` how much each fitted column contributes to the leverage at a row, without the increase by
   * autocorrelation.
   */
  leverages(rows: Float64Array, row: number, out: Float64Array): void {
    this.#fit.leverages(rows, row, out);
  }

  /**
   * Fits the blocks before index `to`.
   * @param wasFitted whether this fit may start from the previous one
   * @returns false if the dates do not allow this number of harmonics to be separated
   */
  fit(to: number, harmonics: number, withTrend: boolean, wasFitted: boolean): boolean {
    const { fromBlock, rows, means } = this.#of;
    const n = to - fromBlock;
    const width = 1 + 2 * harmonics + (withTrend ? 1 : 0);
    const isRenewed = wasFitted && width === this.#fit.width;
    if (!this.#fit.begin(rows, fromBlock, to, withTrend ? 0 : 1, width)) return false;
    this.#fit.residuals(means, this.#residuals);
    if (!isRenewed) this.#step(Number.POSITIVE_INFINITY);
    const turn = isRenewed ? 'renewed' : 'first';
    let scale = 0;
    for (let round = 0; round < HUBER_ROUNDS[turn]; round++) {
      scale = this.#robustScale(n) * Math.sqrt(n / (n - width));
      if (!(scale > 0)) break;
      this.#step(HUBER * scale);
      this.#step(HUBER * scale);
    }
    this.#leaveOutliers(n, isRenewed ? null : scale, OUTLIER_ROUNDS[turn]);
    this.#measureCorrelation(n);
    return true;
  }

  /** Takes one step of the fit with the residuals clipped at `bound`, and updates the residuals. */
  #step(bound: number): void {
    this.#fit.step(this.#residuals, bound);
    this.#fit.residuals(this.#of.means, this.#residuals);
  }

  /**
   * Repeats until nothing changes, at most `rounds` times: leaves out the outliers, refits, and measures the seasonal
   * spread of the other blocks.
   * @param scale standard deviation that defines outliers in the first round; null to use the previous `spread`
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
        modified[k] = keep * residuals[k]!;
        out += 1 - keep;
      }
      if (round > 0 && !changed) break;
      const all = out > n * MAX_OUTLIER_SHARE;
      if (all) kept.fill(1, 0, n);
      this.#fit.step(all ? residuals : modified);
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

  /** Estimates the autocorrelation of the residuals and their `worth`. */
  #measureCorrelation(n: number): void {
    const { fromBlock, means, sizes } = this.#of;
    let [kept, observations, largest] = [0, 0, 0];
    for (let k = 0; k < n; k++) {
      if (k > 0) this.#sorted[k - 1] = this.#of.gapMs(k);
      observations += sizes[fromBlock + k]!;
      if (this.#kept[k] === 0) continue;
      kept += 1;
      largest = Math.max(largest, Math.abs(means[fromBlock + k]!));
    }
    const stepMs = Math.max(medianInPlace(this.#sorted, n - 1), JULIAN_YEAR_MS / YEAR_BLOCKS);
    this.largest = largest;
    this.isDense = observations > n;
    this.#setAngles(stepMs);
    const seen = this.#correlation(n, LONGEST_GAP * stepMs);
    const steps = Math.round(observations / n);
    this.worth = worthOf(noiseSeenAs(seen, kept, this.#angles, steps), kept, this.#angles);
    const { swallowed, independence, growths } = this.worth;
    this.#fit.inflate(growths);
    this.spread.settle(1 / ((1 - swallowed) * this.#cutVariance), independence);
    this.kept = kept;
    const more = noiseSeenAs(seen + DOUBT / Math.sqrt(this.#pairs), kept, this.#angles, steps);
    const isOpen = worthOf(more, kept, this.#angles).swallowed - swallowed > OPEN;
    this.noise = isOpen ? possibleNoise(seen, this.#pairs, kept, this.#angles, steps) : [];
  }

  /** Sets the phase by which each fitted column advances in `stepMs` [radians]. */
  #setAngles(stepMs: number): void {
    const withTrend = this.#fit.width % 2 === 0;
    this.#angles = Array.from({ length: this.#fit.width }, (_, c) => {
      const harmonic = (withTrend ? c : c + 1) >> 1; // intercept and trend have frequency 0
      return (2 * Math.PI * harmonic * stepMs) / JULIAN_YEAR_MS;
    });
  }

  /** Lag-one correlation of the residuals of neighbouring blocks that are at most `longestMs` apart. */
  #correlation(n: number, longestMs: number): number {
    const deviations = this.#bounds;
    for (let bin = 0; bin < YEAR_BLOCKS; bin++) deviations[bin] = Math.sqrt(this.spread.variance(bin));
    let products = 0;
    let squares = 0;
    let pairs = 0;
    let a = Number.NaN;
    for (let k = 0; k < n; k++) {
      const b = this.#kept[k] === 0 ? Number.NaN : this.#residuals[k]! / deviations[this.#of.binAt(k)]!;
      if (k > 0 && !Number.isNaN(a) && !Number.isNaN(b) && this.#of.gapMs(k) <= longestMs) {
        products += a * b;
        squares += (a * a + b * b) / 2;
        pairs += 1;
      }
      a = b;
    }
    this.#pairs = pairs;
    return squares > 0 ? products / squares : 0;
  }

  #robustScale(n: number): number {
    for (let k = 0; k < n; k++) this.#sorted[k] = Math.abs(this.#residuals[k]!);
    return MAD_TO_SIGMA * medianInPlace(this.#sorted, n);
  }
}
