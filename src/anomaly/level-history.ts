import { MIN_OBSERVATIONS, MIN_SPAN_MS } from './climatology.ts';
import { MAD_TO_SIGMA, medianInPlace } from '../numerics/median.ts';
import { DAY_MS } from '../base/time.ts';

/** Length of the window whose median is the level [ms]: the latest 30 days (our choice). */
const WINDOW_MS = 30 * DAY_MS;
/**
 * Minimum number of observations in the window (our choice). If the latest 30 days have fewer, the window is longer:
 * satellites pass every 6 to 12 days.
 */
const WINDOW_OBSERVATIONS = 8;
/**
 * Factor by which the history must grow before the scatter is measured again (our choice). The factor is larger for
 * histories with many observations, such as those of daily series.
 */
const GROWTH = { few: 1.25, many: 1.4 };
/** Number of observations from which `GROWTH.many` applies (our choice): about three years of daily values. */
const MANY = 1000;
/** Departure above which an observation is a step or an error and not scatter [standard deviations] (our choice). */
const BLUNDER = 6;
/**
 * Minimum degrees of freedom of the t distribution of the scatter (our choice): with 4 or fewer, the sampling variance
 * of a measured variance is infinite.
 */
const MIN_TAIL_FREEDOM = 5;
/** An excess kurtosis is used only if it exceeds this number of its standard errors (our choice). */
const BELIEVED = 2;

/**
 * Expectation for a level that can step and drift, such as the position of the ground: the median of the latest
 * observations. The first observation after a step departs from the median. After half of the window, the median has
 * moved to the new level. Drift and season change the level little within the window. The scatter has a t
 * distribution, because daily positions have more extreme values than a normal distribution.
 */
export class LevelHistory {
  /** Expected value: the level plus the mean departure from it [unit of the values]. */
  expected = Number.NaN;
  /** Standard deviation of an observation about the level. */
  spread = Number.NaN;
  /** Scale parameter of the t distribution of the departures from the level. */
  scale = Number.NaN;
  freedom = Number.NaN;
  readonly #timesMs: Float64Array;
  readonly #values: Float64Array;
  readonly #memoryMs: number;
  readonly #history: Int32Array;
  /** Departure of each observation of the history from the level just before it; NaN if there was no level yet. */
  readonly #departures: Float64Array;
  readonly #sorted: Float64Array;
  /** Sorted values of the observations in the window; only the first `#size` entries are valid. */
  readonly #window: Float64Array;
  #size = 0;
  #count = 0;
  #from = 0;
  #fitCount = 0;
  #fitted = false;
  #bias = 0;
  #latest = Number.NaN;
  #levelMs = Number.NaN;
  #levelCount = -1;

  constructor(timesMs: Float64Array, values: Float64Array, memoryMs: number) {
    this.#timesMs = timesMs;
    this.#values = values;
    this.#memoryMs = memoryMs;
    this.#history = new Int32Array(timesMs.length);
    this.#departures = new Float64Array(timesMs.length);
    this.#sorted = new Float64Array(timesMs.length);
    this.#window = new Float64Array(timesMs.length + 1);
  }

  /** Adds an observation to the history. Observations must be added in ascending order of time. */
  add(index: number): void {
    const value = this.#values[index]!;
    this.#departures[this.#count] = value - this.#level(this.#timesMs[index]!);
    this.#history[this.#count] = index;
    this.#count += 1;
    const at = this.#place(value);
    const window = this.#window;
    for (let k = this.#size; k > at; k--) window[k] = window[k - 1]!; // faster than copyWithin for a small window
    window[at] = value;
    this.#size += 1;
  }

  /** Computes the expectation for an observation. Returns false if the history is too short. */
  predict(index: number): boolean {
    const nowMs = this.#timesMs[index]!;
    this.#refit(nowMs);
    if (!this.#fitted) return false;
    this.expected = this.#level(nowMs) + this.#bias;
    return this.scale > 0;
  }

  /** Median of the observations in the window before `nowMs`; NaN if there are too few. */
  #level(nowMs: number): number {
    // Cached, because the level is needed to predict an observation and again to add it.
    if (nowMs === this.#levelMs && this.#count === this.#levelCount) return this.#latest;
    this.#levelMs = nowMs;
    this.#levelCount = this.#count;
    this.#latest = this.#findLevel(nowMs);
    return this.#latest;
  }

  #findLevel(nowMs: number): number {
    const window = this.#window;
    while (
      this.#size > WINDOW_OBSERVATIONS &&
      nowMs - this.#timesMs[this.#history[this.#count - this.#size]!]! > WINDOW_MS
    ) {
      const at = this.#place(this.#values[this.#history[this.#count - this.#size]!]!);
      this.#size -= 1;
      for (let k = at; k < this.#size; k++) window[k] = window[k + 1]!;
    }
    const middle = this.#size >> 1;
    if (this.#size < WINDOW_OBSERVATIONS) return Number.NaN;
    return this.#size % 2 === 1
      ? this.#window[middle]!
      : (this.#window[middle - 1]! + this.#window[middle]!) / 2;
  }

  /** Position of a value in the sorted window. */
  #place(value: number): number {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#window[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #refit(nowMs: number): void {
    while (this.#from < this.#count && nowMs - this.#timesMs[this.#history[this.#from]!]! > this.#memoryMs)
      this.#from += 1;
    const size = this.#count - this.#from;
    const span =
      size === 0
        ? 0
        : this.#timesMs[this.#history[this.#count - 1]!]! - this.#timesMs[this.#history[this.#from]!]!;
    if (size < MIN_OBSERVATIONS + WINDOW_OBSERVATIONS || span < MIN_SPAN_MS) {
      this.#fitted = false;
      return;
    }
    if (this.#fitted && this.#count - this.#fitCount < size * ((size < MANY ? GROWTH.few : GROWTH.many) - 1))
      return;
    this.#fitCount = this.#count;
    this.#fitted = this.#measure();
  }

  #measure(): boolean {
    let n = 0;
    for (let k = this.#from; k < this.#count; k++)
      if (!Number.isNaN(this.#departures[k])) this.#sorted[n++] = this.#departures[k]!;
    if (n < MIN_OBSERVATIONS) return false;
    const middle = medianInPlace(this.#sorted, n);
    for (let k = 0; k < n; k++) this.#sorted[k] = Math.abs(this.#sorted[k]! - middle);
    const bound = BLUNDER * MAD_TO_SIGMA * medianInPlace(this.#sorted, n);
    let kept = 0;
    let sum = 0;
    const departures = this.#departures;
    const to = this.#count;
    for (let k = this.#from; k < to; k++) {
      if (!(Math.abs(departures[k]! - middle) <= bound)) continue;
      kept += 1;
      sum += departures[k]!;
    }
    const bias = sum / kept;
    this.#bias = bias;
    let [squares, fourths, products, before] = [0, 0, 0, Number.NaN];
    for (let k = this.#from; k < to; k++) {
      const e = departures[k]! - bias;
      if (!(Math.abs(departures[k]! - middle) <= bound)) {
        before = Number.NaN;
        continue;
      }
      const square = e * e;
      squares += square;
      fourths += square * square;
      if (!Number.isNaN(before)) products += e * before;
      before = e;
    }
    const variance = squares / (kept - 1);
    const correlation = squares > 0 ? Math.max(0, products / squares) : 0;
    const independent = (kept * (1 - correlation ** 2)) / (1 + correlation ** 2);
    const kurtosis = fourths / kept / variance ** 2 - 3;
    // A t distribution with f degrees of freedom has an excess kurtosis of 6 / (f - 4) and a variance of f / (f - 2).
    const isHeavy = kurtosis > BELIEVED * Math.sqrt(24 / independent);
    const tail = isHeavy ? Math.max(MIN_TAIL_FREEDOM, 4 + 6 / kurtosis) : Number.POSITIVE_INFINITY;
    this.spread = Math.sqrt(variance);
    this.freedom = Math.max(3, Math.min(tail, independent));
    this.scale = this.spread * (tail < independent ? Math.sqrt((tail - 2) / tail) : 1);
    return true;
  }
}
