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

/** Residual in standard deviations from which Huber's weight falls: 95 % efficient at the normal law (Huber 1964). */
const HUBER = 1.345;
/**
 * Rounds of a new scale and two Huber steps each: for a first fit, which starts from least squares, and for one that
 * starts from the previous fit (our choice).
 */
const HUBER_ROUNDS = { first: 4, renewed: 1 };
/** Residual beyond which an observation is an outlier and left out [standard deviations] (Rousseeuw & Leroy 1987). */
export const OUTLIER = 3;
/** Variance of a normal distribution truncated at `OUTLIER`: 1 - 2 c phi(c) / (2 Phi(c) - 1). */
export const CUT_VARIANCE = 0.973337;
/** Rounds of rejecting, refitting and measuring the spread (our choice). */
const OUTLIER_ROUNDS = { first: 4, renewed: 2 };
/** Largest share left out (our choice): more would not be outliers but part of the distribution. */
export const MAX_OUTLIER_SHARE = 0.25;
/** Standard errors added to a correlation to see whether the data leave it open (our choice). */
const DOUBT = 2;
/** A correlation is open when the fit would then have absorbed this much more of the variance (our choice). */
const OPEN = 0.05;
/** Longest distance of neighbours, in typical steps (our choice). */
const LONGEST_GAP = 1.5;

/**
 * Intercept, trend and harmonics, fitted robustly to the means of five-day blocks, and the uncertainty of the fit
 * from its residuals. When days are autocorrelated, the means contain as much information on level and season as the
 * days.
 */
export class BlockFit {
  /** Spread of the block means about the fit, by season. */
  readonly spread = new SeasonSpread();
  /** How many independent residuals the residuals are worth: the best estimate. */
  worth: Worth = { swallowed: 0, independence: 1, growths: [] };
  /** Number of blocks that were not left out. */
  kept = 0;
  /**
   * The possible values of `worth` with their probabilities, when there are too few blocks for one estimate; else
   * empty.
   */
  noise: readonly PossibleNoise[] = [];
  /** Whether blocks hold several observations. */
  isDense = false;
  /** Largest absolute mean among the kept blocks. */
  largest = 0;
  readonly #of: BlockHistory;
  readonly #fit = new ModifiedResidualFit();
  readonly #residuals: Float64Array;
  readonly #modified: Float64Array;
  readonly #kept: Uint8Array;
  readonly #sorted: Float64Array;
  /** By bin of the year: first the largest residual that is kept, later the standard deviation. */
  readonly #bounds = new Float64Array(YEAR_BLOCKS);
  #angles: readonly number[] = [];
  /** Number of neighbouring blocks that the correlation was estimated from. */
  #pairs = 0;
  /** Variance of the kept residuals divided by that of all. */
  #cutVariance = 1;

  constructor(history: BlockHistory) {
    const blocks = history.means.length;
    this.#of = history;
    this.#residuals = new Float64Array(blocks);
    this.#modified = new Float64Array(blocks);
    this.#kept = new Uint8Array(blocks);
    this.#sorted = new Float64Array(blocks);
  }

  /** Writes the fitted values at the rows `[from, to)` of a design. */
  values(rows: Float64Array, from: number, to: number, out: Float64Array): void {
    this.#fit.values(rows, from, to, out);
  }

  /** Variance of the fitted value at a row, in units of one observation's. */
  leverage(rows: Float64Array, row: number): number {
    return this.#fit.leverage(rows, row);
  }

  /**
   * Degrees of freedom of the whole year's spread, and that spread divided by `spread`, under another value of
   * `worth`.
   */
  restsOn({ swallowed, independence }: Worth): Rest {
    return {
      freedom: this.kept * independence,
      factor: (1 - this.worth.swallowed) / (1 - swallowed),
    };
  }

  /** Writes the share of each fitted column in the leverage at a row, before any inflation. */
  leverages(rows: Float64Array, row: number, out: Float64Array): void {
    this.#fit.leverages(rows, row, out);
  }

  /**
   * Fits the blocks up to `to`.
   * @param wasFitted whether the previous fit may be the start of this one
   * @returns false when the dates do not separate that many harmonics
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

  /** One step with residuals clipped at a bound. */
  #step(bound: number): void {
    this.#fit.step(this.#residuals, bound);
    this.#fit.residuals(this.#of.means, this.#residuals);
  }

  /**
   * Leaves outliers out, refits, and measures the seasonal spread of the rest, until nothing changes.
   * @param scale standard deviation that defines the first outliers; null: the spread as measured before
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

  /** Sets the phase that each fitted column advances by per step [radians]. */
  #setAngles(stepMs: number): void {
    const withTrend = this.#fit.width % 2 === 0;
    this.#angles = Array.from({ length: this.#fit.width }, (_, c) => {
      const harmonic = (withTrend ? c : c + 1) >> 1; // intercept and trend are at frequency 0
      return (2 * Math.PI * harmonic * stepMs) / JULIAN_YEAR_MS;
    });
  }

  /** Lag-one correlation of neighbouring blocks no further apart than `longestMs`. */
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
