import { YEAR_BLOCKS } from './season-design.ts';

/** Number of bins of the year, of five days each. */
const BINS = YEAR_BLOCKS;
/**
 * Half-width of the season around a date [bins]: at most 45 days, as in the change monitor, and as little as 15 days
 * where the history is long enough.
 */
const HALF_WIDTH = { most: 9, least: 3 };
/** Target number of independent observations per season (our choice): the standard deviation is then known to 10 %. */
const SEASON_OBSERVATIONS = 50;
/**
 * Weight of the whole year's variance in the variance of a season [observations] (our choice): prevents extreme values
 * in seasons with few observations.
 */
const YEAR_WEIGHT = 2;

/**
 * Spread of residuals by day of the year: a triangular window over the season, shrunk to the whole year's spread
 * where the season has few observations. One instance is reused for every fit.
 */
export class SeasonSpread {
  /** Variance over the whole year [metric unit squared]. */
  yearVariance = 0;
  readonly #counts = new Float64Array(BINS);
  readonly #squares = new Float64Array(BINS);
  readonly #variance = new Float64Array(BINS);
  readonly #local = new Float64Array(BINS);
  #observations = 0;

  /** Removes all residuals. */
  clear(): void {
    this.#counts.fill(0);
    this.#squares.fill(0);
  }

  /** Adds a residual [metric unit] to a bin of the year. */
  add(bin: number, residual: number): void {
    this.#counts[bin] = this.#counts[bin]! + 1;
    this.#squares[bin] = this.#squares[bin]! + residual * residual;
  }

  /** Removes a residual that was added before. */
  remove(bin: number, residual: number): void {
    this.#counts[bin] = this.#counts[bin]! - 1;
    this.#squares[bin] = this.#squares[bin]! - residual * residual;
  }

  /**
   * Computes the spread.
   * @param correction factor that converts a mean square of residuals to the variance of an observation
   * @param independence number of independent residuals that would contain the same information, divided by the
   * number of residuals
   */
  settle(correction: number, independence = 1): void {
    this.#observations = this.settleYear(correction) * independence;
    // The total weight of a triangular window of half-width w is w + 1 bins.
    const wanted = Math.ceil((SEASON_OBSERVATIONS * BINS) / this.#observations) - 1;
    const halfWidth = Math.max(HALF_WIDTH.least, Math.min(HALF_WIDTH.most, wanted));
    for (let b = 0; b < BINS; b++) this.#settleBin(b, halfWidth, correction, independence);
  }

  /** Computes only the whole year's variance. Returns the number of residuals. */
  settleYear(correction: number): number {
    let count = 0;
    let squares = 0;
    for (let b = 0; b < BINS; b++) {
      count += this.#counts[b]!;
      squares += this.#squares[b]!;
    }
    this.yearVariance = (correction * squares) / count;
    return count;
  }

  /** Multiplies all variances by a factor. */
  widen(factor: number): void {
    this.yearVariance *= factor;
    for (let b = 0; b < BINS; b++) this.#variance[b] = this.#variance[b]! * factor;
  }

  /** Variance of an observation in a bin of the year [metric unit squared]. */
  variance(bin: number): number {
    return this.#variance[bin]!;
  }

  /** Whether the history has an observation in the season of a bin. */
  hasSeason(bin: number): boolean {
    return this.#local[bin]! > 0;
  }

  /**
   * Degrees of freedom of the variance of a bin, divided by those of the whole year's variance, in (0, 1]. They
   * follow from the sampling variance of the weighted sum of the season's variance and the whole year's variance.
   * These two are correlated, because the year includes the season.
   */
  freedom(bin: number): number {
    const local = this.#local[bin]!;
    const total = YEAR_WEIGHT + local;
    return (total * total) / (YEAR_WEIGHT * (YEAR_WEIGHT + 2 * local) + local * this.#observations);
  }

  #settleBin(bin: number, halfWidth: number, correction: number, independence: number): void {
    let weights = 0;
    let weightsSquared = 0;
    let squares = 0;
    for (let k = -halfWidth; k <= halfWidth; k++) {
      const at = bin + k;
      const b = at < 0 ? at + BINS : at >= BINS ? at - BINS : at;
      const weight = 1 - Math.abs(k) / (halfWidth + 1);
      weights += weight * this.#counts[b]!;
      weightsSquared += weight * weight * this.#counts[b]!;
      squares += weight * this.#squares[b]!;
    }
    const local = weights > 0 ? (independence * weights * weights) / weightsSquared : 0;
    const season = weights > 0 ? (correction * squares) / weights : 0;
    this.#local[bin] = local;
    this.#variance[bin] = (YEAR_WEIGHT * this.yearVariance + local * season) / (YEAR_WEIGHT + local);
  }
}
