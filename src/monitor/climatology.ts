import { MAD_TO_SIGMA, medianInPlace } from './median.ts';
import { SeasonSpread } from './season-spread.ts';
import { DESIGN_COLUMNS, seasonalDesign } from './seasonal-fit.ts';
import { WeightedFit } from './weighted-fit.ts';

const DAY_MS = 86_400_000; // [ms]
const YEAR_MS = 365.25 * DAY_MS; // Julian year [ms]

/** Earlier observations without which nothing is expected (methods.md: what a baseline needs). */
export const MIN_OBSERVATIONS = 15;
/** Time that they must span [ms]: 365 days, so that every season has been seen. */
export const MIN_SPAN_MS = 365 * DAY_MS;
/** Longest history looked at [ms]: ten years (ours), so that a lasting new state becomes the expected one. */
const WINDOW_MS = 10 * YEAR_MS;
/** Span from which a trend is fitted [ms]: two years, a full baseline (methods.md); from less it passes for season. */
const TREND_SPAN_MS = 2 * YEAR_MS;
/** Most harmonics: those of the design (methods.md: two or three). */
const MAX_HARMONICS = (DESIGN_COLUMNS - 2) / 2;
/** Observations per coefficient, which decides the number of harmonics (ours). */
const PER_COEFFICIENT = 5;
/** A fit is renewed when its history has grown by this factor (ours). */
const GROWTH = 1.1;

/** Column of the trend in the seasonal design. */
const TREND = 1;

/** Residual in standard deviations from which Huber's weight falls: 95 % efficient at the normal law (Huber 1964). */
const HUBER = 1.345;
/** Rounds of Huber weights before outliers are told (ours). */
const HUBER_ROUNDS = 5;
/** Residual beyond which an observation is an outlier and left out [standard deviations] (Rousseeuw & Leroy 1987). */
const OUTLIER = 3;
/** Variance of a normal law cut at `OUTLIER`: 1 - 2 c phi(c) / (2 Phi(c) - 1). */
const CUT_VARIANCE = 0.973337;
/** Rounds of leaving out, refitting and measuring the spread again (ours). */
const OUTLIER_ROUNDS = 4;
/** Largest share left out (ours): more are not outliers but the law of the series, as the wet days of a dry climate. */
const MAX_OUTLIER_SHARE = 0.25;
/** Fewest degrees of freedom assumed (ours): a t law with fewer has no variance. */
const MIN_FREEDOM = 3;
/** Largest lag-one autocorrelation assumed (ours): beyond it a history says next to nothing of its level. */
const MAX_CORRELATION = 0.9;
/** Standard errors taken off an estimated autocorrelation (ours, simulated): white noise is not to pass for red. */
const CORRELATION_MARGIN = 0.7;
/** Largest share of the variance that a fit may be taken to have swallowed (ours). */
const MAX_SWALLOWED = 0.75;
/** Least credible standard deviation as a share of the largest value: rounding of single precision, with room (ours). */
const ROUNDING = 1e-6;

/**
 * What the history of a series leads one to expect on a date: intercept, trend and as many harmonics as it affords,
 * fitted robustly, with the spread of a new observation. Harmonics rather than a table by day of the year: clouds
 * leave irregular dates, and one year is enough to start. One instance serves one series and is refitted as it grows.
 */
export class Climatology {
  /** Value expected at the latest predicted observation [metric unit]. */
  expected = Number.NaN;
  /** Standard deviation of an observation about it [metric unit]: season's spread and uncertainty of the fit. */
  scale = Number.NaN;
  /** Degrees of freedom of `scale`. */
  freedom = Number.NaN;
  readonly #timesMs: Float64Array;
  readonly #values: Float64Array;
  readonly #bins: Uint8Array;
  readonly #history: Int32Array;
  readonly #weights: Float64Array;
  readonly #residuals: Float64Array;
  readonly #sorted: Float64Array;
  readonly #spread = new SeasonSpread();
  readonly #fit: WeightedFit;
  #count = 0;
  #from = 0;
  #fitted = false;
  #fitCount = 0;
  /** Degrees of freedom of the whole year's variance. */
  #yearFreedom = 0;
  #floor = 0;

  /** @param values one per time [metric unit]; only those that are added are ever read */
  constructor(timesMs: Float64Array, values: Float64Array) {
    const n = timesMs.length;
    this.#timesMs = timesMs;
    this.#values = values;
    this.#fit = new WeightedFit(seasonalDesign(timesMs), DESIGN_COLUMNS);
    this.#bins = new Uint8Array(n);
    this.#history = new Int32Array(n);
    this.#weights = new Float64Array(n);
    this.#residuals = new Float64Array(n);
    this.#sorted = new Float64Array(n);
    for (let i = 0; i < n; i++) this.#bins[i] = SeasonSpread.bin(yearPhase(timesMs[i]!));
  }

  /** Adds an observation to the history; ascending in time. */
  add(index: number): void {
    this.#history[this.#count] = index;
    this.#count += 1;
  }

  /** Works out what to expect at an observation; false when the history does not allow it, or has no such season. */
  predict(index: number): boolean {
    this.#refit(this.#timesMs[index]!);
    const bin = this.#bins[index]!;
    if (!this.#fitted || !this.#spread.hasSeason(bin)) return false;
    const ofSeason = this.#spread.variance(bin);
    const ofFit = this.#spread.yearVariance * this.#fit.leverage(index);
    const total = ofSeason + ofFit;
    this.expected = this.#fit.value(index);
    this.scale = Math.max(this.#floor, Math.sqrt(total));
    // Satterthwaite (1946): the season's variance is part of the year's, so their covariance is the year's variance.
    const spread = (ofSeason * ofSeason) / this.#spread.freedom(bin) + (total + ofSeason) * ofFit;
    this.freedom =
      spread > 0 ? Math.max(MIN_FREEDOM, (this.#yearFreedom * total * total) / spread) : MIN_FREEDOM;
    return this.scale > 0;
  }

  #refit(nowMs: number): void {
    const n = this.#count;
    while (this.#from < n && nowMs - this.#timesMs[this.#history[this.#from]!]! > WINDOW_MS) this.#from += 1;
    const size = n - this.#from;
    const span =
      size === 0 ? 0 : this.#timesMs[this.#history[n - 1]!]! - this.#timesMs[this.#history[this.#from]!]!;
    if (size < MIN_OBSERVATIONS || span < MIN_SPAN_MS) {
      this.#fitted = false;
      return;
    }
    if (this.#fitted && n - this.#fitCount < size * (GROWTH - 1)) return;
    this.#fitCount = n;
    const withTrend = span >= TREND_SPAN_MS && size >= 4 * PER_COEFFICIENT; // a first harmonic comes before it
    const affordable = Math.floor(size / PER_COEFFICIENT) - (withTrend ? 2 : 1);
    // Fewer harmonics where the dates cannot tell that many apart.
    let harmonics = Math.min(MAX_HARMONICS, Math.floor(affordable / 2));
    while (harmonics >= 0 && !this.#fitWith(harmonics, withTrend)) harmonics -= 1;
    this.#fitted = harmonics >= 0;
    if (this.#fitted) this.#measureCorrelation();
  }

  #fitWith(harmonics: number, withTrend: boolean): boolean {
    const columns: number[] = [];
    for (let c = 0; c < 2 + 2 * harmonics; c++) if (c !== TREND || withTrend) columns.push(c);
    this.#fit.columns = columns;
    const n = this.#count - this.#from;
    this.#weights.fill(1, 0, n);
    if (!this.#solve()) return false;
    let scale = this.#robustScale();
    for (let round = 0; round < HUBER_ROUNDS && scale > 0; round++) {
      for (let k = 0; k < n; k++) {
        this.#weights[k] = Math.min(1, (HUBER * scale) / Math.abs(this.#residuals[k]!));
      }
      if (!this.#solve()) return false;
      scale = this.#robustScale();
    }
    return this.#leaveOutliers(scale);
  }

  #solve(): boolean {
    const window = this.#history.subarray(this.#from, this.#count);
    return this.#fit.solve(window, this.#values, this.#weights, this.#residuals);
  }

  /** Leaves outliers out, refits, and measures the season's spread of the rest, until nothing changes. */
  #leaveOutliers(scale: number): boolean {
    const n = this.#count - this.#from;
    for (let round = 0; round < OUTLIER_ROUNDS; round++) {
      let out = 0;
      let changed = false;
      for (let k = 0; k < n; k++) {
        const sigma = round === 0 ? scale : Math.sqrt(this.#spread.variance(this.#binOf(k)));
        const weight = Math.abs(this.#residuals[k]!) <= OUTLIER * sigma ? 1 : 0;
        if (weight !== this.#weights[k]) changed = true;
        this.#weights[k] = weight;
        out += 1 - weight;
      }
      if (round > 0 && !changed) break;
      const all = out > n * MAX_OUTLIER_SHARE;
      if (all) this.#weights.fill(1, 0, n);
      if (!this.#solve()) return false;
      this.#measureSpread(all ? 1 : CUT_VARIANCE);
      if (all) break;
    }
    return true;
  }

  #measureSpread(cutVariance: number): void {
    const n = this.#count - this.#from;
    let kept = 0;
    this.#spread.clear();
    for (let k = 0; k < n; k++) {
      if (this.#weights[k] === 0) continue;
      kept += 1;
      this.#spread.add(this.#binOf(k), this.#residuals[k]!);
    }
    this.#spread.settle(kept / ((kept - this.#fit.columns.length) * cutVariance));
  }

  /**
   * What autocorrelated residuals do: the fit is less certain, has swallowed more of the spread, and the spread rests
   * on fewer degrees of freedom (Bartlett 1935: (1 - r^2) / (1 + r^2)). A coefficient's variance grows by the spectrum
   * of the first-order process at its frequency.
   */
  #measureCorrelation(): void {
    const n = this.#count - this.#from;
    let kept = 0;
    let largest = 0;
    for (let k = 0; k < n; k++) {
      if (this.#weights[k] === 0) continue;
      kept += 1;
      largest = Math.max(largest, Math.abs(this.#values[this.#history[this.#from + k]!]!));
    }
    this.#floor = ROUNDING * largest;
    for (let k = 1; k < n; k++) this.#sorted[k - 1] = this.#step(k);
    const step = medianInPlace(this.#sorted, n - 1);
    const r = this.#correlation(kept, 1.5 * step);
    let lost = 0;
    this.#fit.inflation = this.#fit.columns.map((column) => {
      const harmonic = column >> 1; // intercept and trend are at frequency 0
      const angle = (2 * Math.PI * harmonic * step) / YEAR_MS;
      const growth = (1 - r * r) / (1 - 2 * r * Math.cos(angle) + r * r);
      lost += growth;
      return growth;
    });
    const swallowed = Math.min(MAX_SWALLOWED, lost / kept);
    this.#spread.widen((1 - this.#fit.columns.length / kept) / (1 - swallowed));
    this.#yearFreedom = kept * (1 - swallowed) * ((1 - r * r) / (1 + r * r));
  }

  /** Of neighbours no further apart than one and a half typical steps; corrected for what the fit takes away. */
  #correlation(kept: number, longest: number): number {
    const n = this.#count - this.#from;
    let products = 0;
    let squares = 0;
    let pairs = 0;
    for (let k = 1; k < n; k++) {
      if (this.#weights[k] === 0 || this.#weights[k - 1] === 0 || this.#step(k) > longest) continue;
      const a = this.#residuals[k - 1]! / Math.sqrt(this.#spread.variance(this.#binOf(k - 1)));
      const b = this.#residuals[k]! / Math.sqrt(this.#spread.variance(this.#binOf(k)));
      products += a * b;
      squares += (a * a + b * b) / 2;
      pairs += 1;
    }
    if (!(squares > 0)) return 0;
    const raw = products / squares;
    const corrected = raw + (this.#fit.columns.length * (1 + raw)) / kept;
    return Math.max(0, Math.min(MAX_CORRELATION, corrected - CORRELATION_MARGIN / Math.sqrt(pairs)));
  }

  #step(k: number): number {
    return (
      this.#timesMs[this.#history[this.#from + k]!]! - this.#timesMs[this.#history[this.#from + k - 1]!]!
    );
  }

  #binOf(k: number): number {
    return this.#bins[this.#history[this.#from + k]!]!;
  }

  #robustScale(): number {
    const n = this.#count - this.#from;
    for (let k = 0; k < n; k++) this.#sorted[k] = Math.abs(this.#residuals[k]!);
    return MAD_TO_SIGMA * medianInPlace(this.#sorted, n) * Math.sqrt(n / (n - this.#fit.columns.length));
  }
}

/** Phase of the year of a time, in [0, 1), as the seasonal design counts it. */
function yearPhase(timeMs: number): number {
  const years = timeMs / YEAR_MS;
  return years - Math.floor(years);
}
