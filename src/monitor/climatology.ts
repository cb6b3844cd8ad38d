import { MAD_TO_SIGMA, medianInPlace } from './median.ts';
import { ModifiedResidualFit } from './modified-residual-fit.ts';
import { MAX_HARMONICS, seasonDesign, STRIDE, YEAR_BLOCKS, type SeasonDesign } from './season-design.ts';
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

/** Residual in standard deviations from which Huber's weight falls: 95 % efficient at the normal law (Huber 1964). */
const HUBER = 1.345;
/** Rounds of a new scale and two Huber steps each: from least squares, and from the fit before (ours). */
const HUBER_ROUNDS = { first: 4, renewed: 1 };
/** Residual beyond which an observation is an outlier and left out [standard deviations] (Rousseeuw & Leroy 1987). */
const OUTLIER = 3;
/** Variance of a normal law cut at `OUTLIER`: 1 - 2 c phi(c) / (2 Phi(c) - 1). */
const CUT_VARIANCE = 0.973337;
/** Rounds of leaving out, refitting and measuring the spread again (ours). */
const OUTLIER_ROUNDS = { first: 4, renewed: 2 };
/** Largest share left out (ours): more are not outliers but the law of the series. */
const MAX_OUTLIER_SHARE = 0.25;
/** Fewest degrees of freedom assumed (ours): a t law with fewer has no variance. */
const MIN_FREEDOM = 3;
/** Largest autocorrelation of neighbouring blocks assumed (ours): beyond it a history says next to nothing of its level. */
const MAX_CORRELATION = 0.9;
/**
 * Standard errors added to an estimated autocorrelation, the fewer the less sure it is that there is any (ours,
 * simulated): one that is taken too low flags more than one that is taken too high withholds.
 */
const CORRELATION_DOUBT = 0.7;
/** Largest share of the variance that a fit may be taken to have swallowed (ours). */
const MAX_SWALLOWED = 0.75;
/** Least credible standard deviation as a share of the largest value: rounding of single precision, with room (ours). */
const ROUNDING = 1e-6;

/**
 * What the history of a series leads one to expect on a date: intercept, trend and as many harmonics as it affords,
 * fitted robustly, with the spread of a new observation. The fit is to means of five days, which say as much of level
 * and season as the days do where days hang together; the spread is that of single observations. One instance serves
 * one series and is refitted as it grows.
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
  readonly #timesMs: Float64Array;
  readonly #values: Float64Array;
  readonly #memoryMs: number;
  readonly #design: SeasonDesign;
  readonly #fit = new ModifiedResidualFit();
  readonly #ofBlocks = new SeasonSpread();
  readonly #ofDays = new SeasonSpread();
  readonly #dryness = new SeasonSpread();
  /** Observations of the history, and which of them are dry. */
  readonly #history: Int32Array;
  readonly #isDry: Uint8Array;
  #count = 0;
  #from = 0;
  #dryCount = 0;
  /** Blocks of what is not dry: mean row, mean value, first of its history, calendar block, size. */
  readonly #blockRows: Float64Array;
  readonly #blockValues: Float64Array;
  readonly #blockStart: Int32Array;
  readonly #blockName: Int32Array;
  readonly #blockSize: Int32Array;
  readonly #blockBin: Uint8Array;
  #blocks = 0;
  #fromBlock = 0;
  readonly #residuals: Float64Array;
  readonly #modified: Float64Array;
  readonly #kept: Uint8Array;
  readonly #sorted: Float64Array;
  #fitted = false;
  #fitCount = 0;
  #isDense = false;
  #hasDaySpread = false;
  #yearFreedom = 0;
  #floor = 0;
  #angles: readonly number[] = [];
  /** Variance of the residuals kept, over that of all. */
  #cutVariance = 1;
  /** Largest residual of a day that is kept, by bin. */
  readonly #bounds = new Float64Array(YEAR_BLOCKS);
  /** Block that `spread`, `scale` and `freedom` were worked out for. */
  #seasonOf = Number.NaN;
  #hasSeason = false;

  /**
   * @param values one per time; only those that are added are ever read
   * @param memoryMs longest history looked at [ms], so that a lasting new state becomes the expected one
   */
  constructor(timesMs: Float64Array, values: Float64Array, memoryMs: number) {
    const n = timesMs.length;
    this.#timesMs = timesMs;
    this.#values = values;
    this.#memoryMs = memoryMs;
    this.#design = seasonDesign(timesMs);
    let blocks = 0;
    for (let i = 0; i < n; i++)
      if (i === 0 || this.#design.blocks[i] !== this.#design.blocks[i - 1]) blocks += 1;
    this.#history = new Int32Array(n);
    this.#isDry = new Uint8Array(n);
    this.#blockRows = new Float64Array(blocks * STRIDE);
    this.#blockValues = new Float64Array(blocks);
    this.#blockStart = new Int32Array(blocks);
    this.#blockName = new Int32Array(blocks);
    this.#blockSize = new Int32Array(blocks);
    this.#blockBin = new Uint8Array(blocks);
    this.#residuals = new Float64Array(n);
    this.#modified = new Float64Array(blocks);
    this.#kept = new Uint8Array(blocks);
    this.#sorted = new Float64Array(n);
  }

  /** Adds an observation to the history; ascending in time. */
  add(index: number): void {
    this.#remember(index, false);
    const name = this.#design.blocks[index]!;
    const b = this.#blocks - 1;
    if (b >= this.#fromBlock && b >= 0 && this.#blockName[b] === name) this.#join(b, index);
    else this.#open(index, name);
  }

  /** Adds that nothing was there to measure, as no rain: it counts for `dryShare` alone. */
  addDry(index: number): void {
    this.#remember(index, true);
  }

  /** Forgets what came before an observation: a new state began there. */
  forgetBefore(index: number): void {
    while (this.#from < this.#count && this.#history[this.#from]! < index) this.#dropOldest();
    while (this.#fromBlock < this.#blocks && this.#blockStart[this.#fromBlock]! < this.#from)
      this.#fromBlock += 1;
    this.#fitted = false;
    this.#hasDaySpread = false;
    this.#seasonOf = Number.NaN;
  }

  /** Works out what to expect at an observation; false when the history does not allow it, or has no such season. */
  predict(index: number): boolean {
    const block = this.#design.blocks[index]!;
    if (block !== this.#seasonOf) {
      this.#refit(this.#timesMs[index]!, block);
      if (this.#fitted) this.#enterSeason(index, block);
    }
    if (!this.#fitted) return false;
    this.expected = this.#fit.value(this.#design.rows, index);
    return this.#hasSeason && this.scale > 0;
  }

  #remember(index: number, isDry: boolean): void {
    this.#history[this.#count] = index;
    this.#isDry[this.#count] = isDry ? 1 : 0;
    this.#count += 1;
    if (isDry) this.#dryCount += 1;
  }

  #dropOldest(): void {
    this.#dryCount -= this.#isDry[this.#from]!;
    this.#from += 1;
  }

  #open(index: number, name: number): void {
    const b = this.#blocks;
    this.#blocks += 1;
    this.#blockName[b] = name;
    this.#blockBin[b] = this.#design.bins[index]!;
    this.#blockStart[b] = this.#count - 1;
    this.#blockSize[b] = 1;
    this.#blockValues[b] = this.#values[index]!;
    const from = index * STRIDE;
    for (let c = 0; c < STRIDE; c++) this.#blockRows[b * STRIDE + c] = this.#design.rows[from + c]!;
  }

  /** Takes an observation into the mean of its block. */
  #join(b: number, index: number): void {
    const size = this.#blockSize[b]! + 1;
    this.#blockSize[b] = size;
    const part = 1 / size;
    this.#blockValues[b] = this.#blockValues[b]! + part * (this.#values[index]! - this.#blockValues[b]!);
    const from = index * STRIDE;
    const to = b * STRIDE;
    for (let c = 0; c < STRIDE; c++) {
      const mean = this.#blockRows[to + c]!;
      this.#blockRows[to + c] = mean + part * (this.#design.rows[from + c]! - mean);
    }
  }

  /** Everything but the expected value changes so little within five days that it is worked out once a block. */
  #enterSeason(index: number, block: number): void {
    this.#seasonOf = block;
    const bin = this.#design.bins[index]!;
    const ofObservation = this.#isDense ? this.#ofDays : this.#ofBlocks;
    this.#hasSeason = ofObservation.hasSeason(bin);
    if (!this.#hasSeason) return;
    const ofSeason = ofObservation.variance(bin);
    const ofFit = this.#ofBlocks.variance(bin) * this.#fit.leverage(this.#design.rows, index);
    const total = ofSeason + ofFit;
    this.spread = Math.max(this.#floor, Math.sqrt(ofSeason));
    this.scale = Math.max(this.#floor, Math.sqrt(total));
    // Satterthwaite (1946): the season's variance is part of the year's, so their covariance is the year's variance.
    const uncertainty = (ofSeason * ofSeason) / ofObservation.freedom(bin) + (total + ofSeason) * ofFit;
    this.freedom =
      uncertainty > 0
        ? Math.max(MIN_FREEDOM, (this.#yearFreedom * total * total) / uncertainty)
        : MIN_FREEDOM;
    this.dryShare = this.#dryCount > 0 ? this.#dryness.variance(bin) : 0;
  }

  #refit(nowMs: number, block: number): void {
    while (this.#from < this.#count && nowMs - this.#timesMs[this.#history[this.#from]!]! > this.#memoryMs)
      this.#dropOldest();
    while (this.#fromBlock < this.#blocks && this.#blockStart[this.#fromBlock]! < this.#from)
      this.#fromBlock += 1;
    // The block of the day itself is not yet whole.
    const isOpen = this.#blocks > this.#fromBlock && this.#blockName[this.#blocks - 1] === block;
    const to = this.#blocks - (isOpen ? 1 : 0);
    const size = to - this.#fromBlock;
    const span =
      size <= 0
        ? 0
        : this.#timesMs[this.#history[this.#count - 1]!]! -
          this.#timesMs[this.#history[this.#blockStart[this.#fromBlock]!]!]!;
    if (size < MIN_OBSERVATIONS || span < MIN_SPAN_MS) {
      this.#fitted = false;
      return;
    }
    const growth = this.#isDense ? GROWTH.dense : GROWTH.sparse;
    if (this.#fitted && to - this.#fitCount < size * (growth - 1)) return;
    this.#fitCount = to;
    const withTrend = span >= TREND_SPAN_MS && size >= 4 * PER_COEFFICIENT; // a first harmonic comes before it
    const affordable = Math.floor(size / PER_COEFFICIENT) - (withTrend ? 2 : 1);
    // Fewer harmonics where the dates cannot tell that many apart.
    let harmonics = Math.min(MAX_HARMONICS, Math.floor(affordable / 2));
    while (harmonics >= 0 && !this.#fitWith(harmonics, withTrend, to)) harmonics -= 1;
    this.#fitted = harmonics >= 0;
  }

  #fitWith(harmonics: number, withTrend: boolean, to: number): boolean {
    const n = to - this.#fromBlock;
    const width = 1 + 2 * harmonics + (withTrend ? 1 : 0);
    const isRenewed = this.#fitted && width === this.#fit.width;
    if (!this.#fit.begin(this.#blockRows, this.#fromBlock, to, withTrend ? 0 : 1, width)) return false;
    this.#fit.residuals(this.#blockValues, this.#residuals);
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
    this.#fit.residuals(this.#blockValues, this.#residuals);
  }

  /**
   * Leaves outliers out, refits, and measures the season's spread of the rest, until nothing changes.
   * @param scale deviation by which the first are told; null: the spread as it was measured before
   */
  #leaveOutliers(n: number, scale: number | null, rounds: number): void {
    const residuals = this.#residuals;
    const modified = this.#modified;
    const kept = this.#kept.fill(1, 0, n);
    for (let round = 0; round < rounds; round++) {
      const bounds = this.#bounds;
      for (let bin = 0; bin < YEAR_BLOCKS; bin++)
        bounds[bin] =
          OUTLIER * (round === 0 && scale !== null ? scale : Math.sqrt(this.#ofBlocks.variance(bin)));
      let out = 0;
      let changed = false;
      for (let k = 0; k < n; k++) {
        const keep = Math.abs(residuals[k]!) <= bounds[this.#binAt(k)]! ? 1 : 0;
        if (keep !== kept[k]) changed = true;
        kept[k] = keep;
        out += 1 - keep;
      }
      if (round > 0 && !changed) break;
      const all = out > n * MAX_OUTLIER_SHARE;
      if (all) kept.fill(1, 0, n);
      for (let k = 0; k < n; k++) modified[k] = kept[k] === 1 ? residuals[k]! : 0;
      this.#fit.step(modified);
      this.#fit.residuals(this.#blockValues, residuals);
      this.#cutVariance = all ? 1 : CUT_VARIANCE;
      this.#measureBlocks(n);
      if (all) break;
    }
  }

  #measureBlocks(n: number): void {
    let kept = 0;
    this.#ofBlocks.clear();
    for (let k = 0; k < n; k++) {
      if (this.#kept[k] === 0) continue;
      kept += 1;
      this.#ofBlocks.add(this.#binAt(k), this.#residuals[k]!);
    }
    this.#ofBlocks.settle(kept / ((kept - this.#fit.width) * this.#cutVariance));
  }

  /**
   * What autocorrelated residuals do: the fit is less certain, has swallowed more of the spread, and the spread rests
   * on fewer degrees of freedom (Bartlett 1935: (1 - r^2) / (1 + r^2)). A coefficient's variance grows by the spectrum
   * of the first-order process at its frequency.
   */
  #measureCorrelation(n: number): void {
    let kept = 0;
    let largest = 0;
    for (let k = 0; k < n; k++) {
      if (this.#kept[k] === 0) continue;
      kept += 1;
      largest = Math.max(largest, Math.abs(this.#blockValues[this.#fromBlock + k]!));
    }
    this.#floor = ROUNDING * largest;
    for (let k = 1; k < n; k++) this.#sorted[k - 1] = this.#gap(k);
    const step = Math.max(medianInPlace(this.#sorted, n - 1), YEAR_MS / YEAR_BLOCKS);
    let observations = 0;
    for (let k = 0; k < n; k++) observations += this.#blockSize[this.#fromBlock + k]!;
    this.#isDense = observations > n;
    this.#setAngles(step);
    const r = this.#correlation(n, kept, 1.5 * step);
    let lost = 0;
    this.#fit.inflation = this.#angles.map((angle) => {
      const growth = spectrum(r, Math.cos(angle));
      lost += growth;
      return growth;
    });
    const swallowed = Math.min(MAX_SWALLOWED, lost / kept);
    const independence = (1 - swallowed) * ((1 - r * r) / (1 + r * r));
    this.#ofBlocks.settle(1 / ((1 - swallowed) * this.#cutVariance), independence);
    this.#yearFreedom = kept * independence;
    if (this.#isDense) this.#measureDays(n, swallowed);
    if (this.#dryCount > 0) this.#measureDryness();
  }

  /** The spread of single observations, where blocks hold several. */
  #measureDays(n: number, swallowed: number): void {
    const residuals = this.#residuals;
    const values = this.#values;
    const history = this.#history;
    const isDry = this.#isDry;
    const rows = this.#design.rows;
    const to = this.#count;
    let seen = 0;
    for (let h = this.#from; h < to; h++) {
      if (isDry[h] === 1) continue;
      const index = history[h]!;
      residuals[seen] = values[index]! - this.#fit.value(rows, index);
      seen += 1;
    }
    if (!this.#hasDaySpread) {
      this.#bounds.fill(OUTLIER * this.#robustScale(seen));
      this.#sumDays();
      this.#ofDays.settle(1 / CUT_VARIANCE);
      this.#hasDaySpread = true;
    }
    for (let bin = 0; bin < YEAR_BLOCKS; bin++)
      this.#bounds[bin] = OUTLIER * Math.sqrt(this.#ofDays.variance(bin));
    let kept = this.#sumDays();
    let cut = CUT_VARIANCE;
    if (seen - kept > seen * MAX_OUTLIER_SHARE) {
      this.#bounds.fill(Number.POSITIVE_INFINITY);
      kept = this.#sumDays();
      cut = 1;
    }
    this.#ofDays.settle(1 / cut);
    const raw = this.#ofDays.yearVariance;
    const ofBlocks = this.#ofBlocks.yearVariance;
    const variance = raw + swallowed * ofBlocks;
    const within = Math.max(0, variance - ofBlocks);
    this.#yearFreedom =
      (variance * variance) /
      ((ofBlocks * ofBlocks) / this.#yearFreedom + (within * within) / Math.max(1, kept - n));
    this.#ofDays.settle(variance / (raw * cut), Math.min(1, this.#yearFreedom / kept));
  }

  /** Sums the days' residuals within the bounds up by bin; answers how many there are. */
  #sumDays(): number {
    const residuals = this.#residuals;
    const history = this.#history;
    const isDry = this.#isDry;
    const { bins } = this.#design;
    const bounds = this.#bounds;
    const spread = this.#ofDays;
    const to = this.#count;
    spread.clear();
    let kept = 0;
    let k = 0;
    for (let h = this.#from; h < to; h++) {
      if (isDry[h] === 1) continue;
      const residual = residuals[k]!;
      k += 1;
      const bin = bins[history[h]!]!;
      if (residual > bounds[bin]! || residual < -bounds[bin]!) continue;
      kept += 1;
      spread.add(bin, residual);
    }
    return kept;
  }

  #measureDryness(): void {
    this.#dryness.clear();
    for (let h = this.#from; h < this.#count; h++)
      this.#dryness.add(this.#design.bins[this.#history[h]!]!, this.#isDry[h]!);
    this.#dryness.settle(1);
  }

  /** Angle that each fitted column turns by in a step [radians]. */
  #setAngles(step: number): void {
    const withTrend = this.#fit.width % 2 === 0;
    this.#angles = Array.from({ length: this.#fit.width }, (_, c) => {
      const harmonic = (withTrend ? c : c + 1) >> 1; // intercept and trend are at frequency 0
      return (2 * Math.PI * harmonic * step) / YEAR_MS;
    });
  }

  /** Of neighbouring blocks no further apart than one and a half typical steps. */
  #correlation(n: number, kept: number, longest: number): number {
    let products = 0;
    let squares = 0;
    let pairs = 0;
    for (let k = 1; k < n; k++) {
      if (this.#kept[k] === 0 || this.#kept[k - 1] === 0 || this.#gap(k) > longest) continue;
      const a = this.#residuals[k - 1]! / Math.sqrt(this.#ofBlocks.variance(this.#binAt(k - 1)));
      const b = this.#residuals[k]! / Math.sqrt(this.#ofBlocks.variance(this.#binAt(k)));
      products += a * b;
      squares += (a * a + b * b) / 2;
      pairs += 1;
    }
    if (!(squares > 0)) return 0;
    const r = this.#correlationSeenAs(products / squares, kept);
    // Means of days hang together at one step but less at the next ones than the first-order law has it: margin enough.
    if (this.#isDense) return r;
    const error = Math.sqrt((1 - r * r) / pairs);
    const doubt = r > 0 ? (CORRELATION_DOUBT * error * r * r) / (r * r + error * error) : 0;
    return Math.min(MAX_CORRELATION, r + doubt);
  }

  /**
   * Correlation of a process whose residuals show another, since the fit takes its share at low frequencies out of
   * both the products and the squares.
   */
  #correlationSeenAs(seen: number, kept: number): number {
    let low = 0;
    let high = MAX_CORRELATION;
    for (let round = 0; round < 12; round++) {
      const r = (low + high) / 2;
      let products = r * kept;
      let squares = kept;
      for (const angle of this.#angles) {
        const cos = Math.cos(angle);
        const growth = spectrum(r, cos);
        products -= growth * cos;
        squares -= growth;
      }
      if (squares > (1 - MAX_SWALLOWED) * kept && products / squares < seen) low = r;
      else high = r;
    }
    return (low + high) / 2;
  }

  /** Time between the first observations of a block and of the one before [ms]. */
  #gap(k: number): number {
    const b = this.#fromBlock + k;
    return (
      this.#timesMs[this.#history[this.#blockStart[b]!]!]! -
      this.#timesMs[this.#history[this.#blockStart[b - 1]!]!]!
    );
  }

  #binAt(k: number): number {
    return this.#blockBin[this.#fromBlock + k]!;
  }

  #robustScale(n: number): number {
    for (let k = 0; k < n; k++) this.#sorted[k] = Math.abs(this.#residuals[k]!);
    return MAD_TO_SIGMA * medianInPlace(this.#sorted, n);
  }
}

/** Spectrum of a first-order process over its variance, at an angle per step: its coefficients' share of the variance. */
function spectrum(r: number, cos: number): number {
  return (1 - r * r) / (1 - 2 * r * cos + r * r);
}
