import { BlockFit } from './block-fit.ts';
import { BlockHistory } from './block-history.ts';
import { DaySpread } from './day-spread.ts';
import { MAX_HARMONICS } from './season-design.ts';
import { SeasonSpread } from './season-spread.ts';

const DAY_MS = 86_400_000; // [ms]
const YEAR_MS = 365.25 * DAY_MS; // Julian year [ms]

/** Earlier observations without which nothing is expected (methods.md); those of one five-day block count once. */
export const MIN_OBSERVATIONS = 15;
/** Time that they must span [ms]: 365 days, so that every season has been seen. */
export const MIN_SPAN_MS = 365 * DAY_MS;
/** Span from which a trend is fitted [ms]: two years, a full baseline (methods.md); from less it passes for season. */
const TREND_SPAN_MS = 2 * YEAR_MS;
/** Blocks per coefficient, which decides the number of harmonics (ours). */
const PER_COEFFICIENT = 5;
/** A fit is renewed when its history has grown by this factor: of days, which are many, by more (ours). */
const GROWTH = { sparse: 1.25, dense: 1.4 };
/** Fewest degrees of freedom assumed (ours): a t law with fewer has no variance. */
const MIN_FREEDOM = 3;
/** Least credible standard deviation as a share of the largest value: rounding of single precision, with room (ours). */
const ROUNDING = 1e-6;

/**
 * What the history of a series leads one to expect on a date: intercept, trend and as many harmonics as it affords,
 * fitted robustly to the means of five days, with the spread of a new observation. One instance serves one series and is
 * refitted as it grows.
 */
export class Climatology {
  /** Value expected at the latest predicted observation [unit of the values]. */
  expected = Number.NaN;
  /** Standard deviation of an observation in its season [unit of the values]. */
  spread = Number.NaN;
  /** The same with the uncertainty of the fit. */
  scale = Number.NaN;
  /** Degrees of freedom of `scale`. */
  freedom = Number.NaN;
  /** Share of the history that is dry in the season, in [0, 1]. */
  dryShare = 0;
  readonly #memoryMs: number;
  readonly #history: BlockHistory;
  readonly #fit: BlockFit;
  readonly #days: DaySpread;
  readonly #dryness = new SeasonSpread();
  #fitted = false;
  #fitCount = 0;
  /** Block that `spread`, `scale` and `freedom` were worked out for. */
  #seasonOf = Number.NaN;
  #hasSeason = false;

  /**
   * @param values one per time; only those that are added are ever read
   * @param memoryMs longest history looked at [ms], so that a lasting new state becomes the expected one
   */
  constructor(timesMs: Float64Array, values: Float64Array, memoryMs: number) {
    this.#memoryMs = memoryMs;
    this.#history = new BlockHistory(timesMs, values);
    this.#fit = new BlockFit(this.#history);
    this.#days = new DaySpread(this.#history, this.#fit);
  }

  /** Adds an observation to the history; ascending in time. */
  add(index: number): void {
    this.#history.add(index);
  }

  /** Adds that nothing was there to measure, as no rain: it counts for `dryShare` alone. */
  addDry(index: number): void {
    this.#history.addDry(index);
  }

  /** Forgets what came before an observation: a new state began there. */
  forgetBefore(index: number): void {
    this.#history.forgetBefore(index);
    this.#days.forget();
    this.#fitted = false;
    this.#seasonOf = Number.NaN;
  }

  /** Works out what to expect at an observation; false when the history does not allow it, or has no such season. */
  predict(index: number): boolean {
    const { blocks, rows } = this.#history.design;
    const block = blocks[index]!;
    if (block !== this.#seasonOf) {
      this.#refit(this.#history.timesMs[index]!, block);
      if (this.#fitted) this.#enterSeason(index, block);
    }
    if (!this.#fitted) return false;
    this.expected = this.#fit.value(rows, index);
    return this.#hasSeason && this.scale > 0;
  }

  /** Everything but the expected value changes so little within five days that it is worked out once a block. */
  #enterSeason(index: number, block: number): void {
    this.#seasonOf = block;
    const { bins, rows } = this.#history.design;
    const bin = bins[index]!;
    const { spread, freedom } = this.#fit.isDense ? this.#days : this.#fit;
    this.#hasSeason = spread.hasSeason(bin);
    if (!this.#hasSeason) return;
    const ofSeason = spread.variance(bin);
    const ofFit = this.#fit.spread.variance(bin) * this.#fit.leverage(rows, index);
    const total = ofSeason + ofFit;
    const floor = ROUNDING * this.#fit.largest;
    this.spread = Math.max(floor, Math.sqrt(ofSeason));
    this.scale = Math.max(floor, Math.sqrt(total));
    // Satterthwaite (1946): the season's variance is part of the year's, so their covariance is the year's variance.
    const uncertainty = (ofSeason * ofSeason) / spread.freedom(bin) + (total + ofSeason) * ofFit;
    this.freedom =
      uncertainty > 0 ? Math.max(MIN_FREEDOM, (freedom * total * total) / uncertainty) : MIN_FREEDOM;
    this.dryShare = this.#history.dryCount > 0 ? this.#dryness.variance(bin) : 0;
  }

  #refit(nowMs: number, block: number): void {
    const history = this.#history;
    history.forgetOlder(nowMs, this.#memoryMs);
    // The block of the day itself is not yet whole.
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
    const withTrend = spanMs >= TREND_SPAN_MS && size >= 4 * PER_COEFFICIENT; // a first harmonic comes before it
    const affordable = Math.floor(size / PER_COEFFICIENT) - (withTrend ? 2 : 1);
    // Fewer harmonics where the dates cannot tell that many apart.
    let harmonics = Math.min(MAX_HARMONICS, Math.floor(affordable / 2));
    while (harmonics >= 0 && !this.#fit.fit(to, harmonics, withTrend, this.#fitted)) harmonics -= 1;
    this.#fitted = harmonics >= 0;
    if (!this.#fitted) return;
    if (this.#fit.isDense) this.#days.measure(size);
    if (history.dryCount > 0) this.#measureDryness();
  }

  #measureDryness(): void {
    const { history, isDry, from, count, design } = this.#history;
    this.#dryness.clear();
    for (let h = from; h < count; h++) this.#dryness.add(design.bins[history[h]!]!, isDry[h]!);
    this.#dryness.settle(1);
  }
}
