import { BlockFit } from './block-fit.ts';
import { BlockHistory } from './block-history.ts';
import { DaySpread } from './day-spread.ts';
import type { PossibleNoise, Rest } from './red-noise.ts';
import { MAX_HARMONICS, STRIDE } from './season-design.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../base/time.ts';

/**
 * Minimum number of earlier observations for an expectation (docs/methods/anomaly.md). Observations in the same
 * five-day block count as one.
 */
export const MIN_OBSERVATIONS = 15;
/** Minimum span of the earlier observations [ms]: 365 days, so that every season has been seen. */
export const MIN_SPAN_MS = 365 * DAY_MS;
/**
 * Minimum span for fitting a trend [ms]: two years, a full baseline (docs/methods/anomaly.md). In a shorter span a
 * trend looks like a season.
 */
const TREND_SPAN_MS = 2 * JULIAN_YEAR_MS;
/** Minimum number of blocks per coefficient; limits the number of harmonics (our choice). */
const PER_COEFFICIENT = 5;
/** Minimum number of independent blocks per coefficient: below it a fit follows the noise (our choice, simulated). */
const PER_INDEPENDENT = 3;
/**
 * Factor by which the number of blocks must grow before a fit is renewed. The factor is larger for dense (daily)
 * series, which have many observations (our choice).
 */
const GROWTH = { sparse: 1.25, dense: 1.4 };
/** Minimum degrees of freedom (our choice): with 2 or fewer, a t distribution has no finite variance. */
const MIN_FREEDOM = 3;
/**
 * Minimum standard deviation as a share of the largest absolute value: the rounding errors of single precision, with a
 * margin (our choice).
 */
const ROUNDING = 1e-6;

/** A possible t distribution of a departure: `weight` is the probability that it is the true one. */
export interface PossibleLaw {
  readonly weight: number;
  readonly scale: number;
  readonly freedom: number;
}

const NONE: readonly PossibleLaw[] = [];

/**
 * Expected value and spread on a date, from the history of a series: intercept, trend and as many harmonics as the
 * history allows, fitted robustly to five-day means. One instance belongs to one series and is refitted as the series
 * grows.
 */
export class Climatology {
  /**
   * Expected values [unit of the values]. `enter` sets them from the given observation to the end of its block.
   */
  readonly expected: Float64Array;
  /** Standard deviation of an observation in the season of the entered block [unit of the values]. */
  spread = Number.NaN;
  /** Standard deviation of a departure, including the uncertainty of the fit [unit of the values]. */
  scale = Number.NaN;
  /** Degrees of freedom of `scale`. */
  freedom = Number.NaN;
  /** Lower bound for `scale` and for the scales of all `laws`. */
  narrowest = Number.NaN;
  /** Share of dry observations in the season, in [0, 1]. */
  dryShare = 0;
  readonly #memoryMs: number;
  readonly #history: BlockHistory;
  readonly #fit: BlockFit;
  readonly #days: DaySpread;
  readonly #leverages = new Float64Array(STRIDE);
  #laws: readonly PossibleLaw[] | undefined = NONE;
  /** Degrees of freedom of the whole year's variance. */
  #freedom = Number.NaN;
  /** Possible kinds of noise, each with the variances and degrees of freedom that follow from it. */
  #kinds: readonly (PossibleNoise & Rest & { readonly ofBlocks: number })[] = [];
  #floor = 0;
  #fitted = false;
  #fitCount = 0;
  /** Block that `spread`, `scale` and `freedom` were computed for. */
  #seasonOf = Number.NaN;
  #hasSeason = false;

  /**
   * @param values one value per time; a value is read only when its observation is added
   * @param memoryMs maximum age of the observations used [ms]; older ones are dropped, so that a lasting new state
   *   becomes the expected state
   */
  constructor(timesMs: Float64Array, values: Float64Array, memoryMs: number) {
    this.#memoryMs = memoryMs;
    this.#history = new BlockHistory(timesMs, values);
    this.#fit = new BlockFit(this.#history);
    this.expected = new Float64Array(values.length);
    this.#days = new DaySpread(this.#history, this.#fit, this.expected);
  }

  /** Adds an observation that is not dry to the history. Observations must be added in ascending order of time. */
  add(index: number): void {
    this.#history.add(index);
  }

  /** Adds a dry observation, such as a day without rain. It affects only `dryShare`. */
  addDry(index: number): void {
    this.#history.addDry(index);
  }

  /** Drops all observations before the given one, because a new state began there. */
  forgetBefore(index: number): void {
    this.#history.forgetBefore(index);
    this.#days.forget();
    this.#fitted = false;
    this.#seasonOf = Number.NaN;
  }

  /**
   * Computes the expectation for the five-day block of an observation. All earlier observations must have been added.
   * Returns false if the history is too short or has no observation in this season.
   */
  enter(index: number): boolean {
    const block = this.#history.design.blocks[index]!;
    if (block !== this.#seasonOf) {
      this.#refit(this.#history.timesMs[index]!, block);
      if (this.#fitted) {
        this.#enterSeason(index, block);
        this.#fit.values(this.#history.design.rows, index, this.blockEnd(index), this.expected);
      }
    }
    return this.#fitted && this.#hasSeason && this.scale > 0;
  }

  /** Index of the first observation after the five-day block of an observation. */
  blockEnd(index: number): number {
    const { blocks } = this.#history.design;
    let end = index + 1;
    while (end < blocks.length && blocks[end] === blocks[index]) end += 1;
    return end;
  }

  /**
   * Computes everything that `enter` sets except the expected values. These quantities change little in five days, so
   * they are computed once per block.
   */
  #enterSeason(index: number, block: number): void {
    this.#seasonOf = block;
    const { bins, rows } = this.#history.design;
    const bin = bins[index]!;
    const of = this.#fit.isDense ? this.#days : this.#fit;
    const { spread } = of;
    this.#hasSeason = spread.hasSeason(bin);
    if (!this.#hasSeason) return;
    const ofSeason = spread.variance(bin);
    const ofFit = this.#fit.spread.variance(bin) * this.#fit.leverage(rows, index);
    const total = ofSeason + ofFit;
    const floor = ROUNDING * this.#fit.largest;
    this.spread = Math.max(floor, Math.sqrt(ofSeason));
    this.scale = Math.max(floor, Math.sqrt(total));
    const share = spread.freedom(bin);
    this.freedom = freedomOf(this.#freedom, share, ofSeason, ofFit);
    this.#floor = floor;
    const [least] = this.#kinds;
    this.#laws = least === undefined ? NONE : undefined;
    this.narrowest = least === undefined ? this.scale : Math.max(floor, Math.sqrt(ofSeason * least.factor));
    this.dryShare = this.#history.dryCount > 0 ? this.#history.dryness.variance(bin) : 0;
  }

  /**
   * Possible distributions of the departures in the block, one for each autocorrelation that the history allows, the
   * narrowest first. Empty if `scale` and `freedom` alone describe the distribution.
   */
  laws(index: number): readonly PossibleLaw[] {
    this.#laws ??= this.#lawsOf(index);
    return this.#laws;
  }

  #lawsOf(index: number): readonly PossibleLaw[] {
    const fit = this.#fit;
    const { bins, rows } = this.#history.design;
    const bin = bins[index]!;
    const { spread } = fit.isDense ? this.#days : fit;
    fit.leverages(rows, index, this.#leverages);
    return this.#kinds.map(({ weight, growths, factor, freedom, ofBlocks }) => {
      let leverage = 0;
      for (let c = 0; c < growths.length; c++) leverage += growths[c]! * this.#leverages[c]!;
      const ofSeason = spread.variance(bin) * factor;
      const ofFit = fit.spread.variance(bin) * ofBlocks * leverage;
      return {
        weight,
        scale: Math.max(this.#floor, Math.sqrt(ofSeason + ofFit)),
        freedom: freedomOf(freedom, spread.freedom(bin), ofSeason, ofFit),
      };
    });
  }

  /** Refits with fewer harmonics, at least one, if autocorrelation leaves too few independent blocks. */
  #simplify(to: number, harmonics: number, withTrend: boolean): boolean {
    const independent = this.#fit.kept / Math.max(1, this.#fit.worth.growths[0]!); // growths[0]: of the intercept
    const affordable = Math.floor(independent / PER_INDEPENDENT) - (withTrend ? 2 : 1);
    const fewer = Math.max(1, Math.floor(affordable / 2));
    return fewer >= harmonics || this.#fit.fit(to, fewer, withTrend, false);
  }

  #refit(nowMs: number, block: number): void {
    const history = this.#history;
    history.forgetOlder(nowMs, this.#memoryMs);
    // The block of the current day is not complete yet.
    const to = history.wholeBlocks(block);
    const size = to - history.fromBlock;
    const spanMs = size <= 0 ? 0 : history.spanMs;
    if (size < MIN_OBSERVATIONS || spanMs < MIN_SPAN_MS) {
      this.#fitted = false;
      return;
    }
    const growth = this.#fit.isDense ? GROWTH.dense : GROWTH.sparse;
    if (this.#fitted && to - this.#fitCount < size * (growth - 1)) return;
    this.#fitCount = to;
    const withTrend = spanMs >= TREND_SPAN_MS && size >= 4 * PER_COEFFICIENT; // enough for a harmonic as well
    const affordable = Math.floor(size / PER_COEFFICIENT) - (withTrend ? 2 : 1);
    // Reduce the number of harmonics until the dates can separate them.
    let harmonics = Math.min(MAX_HARMONICS, Math.floor(affordable / 2));
    while (harmonics >= 0 && !this.#fit.fit(to, harmonics, withTrend, this.#fitted)) harmonics -= 1;
    this.#fitted = harmonics >= 0 && this.#simplify(to, harmonics, withTrend);
    if (!this.#fitted) return;
    if (this.#fit.isDense) this.#days.measure(size);
    if (history.dryCount > 0) history.dryness.settle(1);
    const of = this.#fit.isDense ? this.#days : this.#fit;
    this.#freedom = of.restsOn(this.#fit.worth).freedom;
    this.#kinds = this.#fit.noise.map((noise) => ({
      ...noise,
      ...of.restsOn(noise),
      ofBlocks: this.#fit.restsOn(noise).factor,
    }));
  }
}

/**
 * Degrees of freedom of the sum of a season's variance and the variance of a fit (Satterthwaite 1946). The season's
 * variance is part of the year's variance, so the covariance of the two estimates is the sampling variance of the
 * year's variance.
 * @param freedom degrees of freedom of the year's variance
 * @param share the season's degrees of freedom as a share of the year's
 */
function freedomOf(freedom: number, share: number, ofSeason: number, ofFit: number): number {
  const total = ofSeason + ofFit;
  const uncertainty = (ofSeason * ofSeason) / share + (total + ofSeason) * ofFit;
  return uncertainty > 0 ? Math.max(MIN_FREEDOM, (freedom * total * total) / uncertainty) : MIN_FREEDOM;
}
