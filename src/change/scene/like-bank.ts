// Long file: one computation, whose steps share the state of the bank.
import { MAD_TO_SIGMA, medianInPlace } from '../../numerics/median.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import type { StackSpec } from '../stack.ts';

/** Series of the pixels of a bank, collected by a survey in any order. */
export interface BankSeries {
  /** Grid index of each pixel. */
  readonly pixels: number[];
  /** Values of each pixel by scene [metric unit]; NaN where nothing was observed. */
  readonly values: Float32Array[];
}

/**
 * A sample of the pixels of a grid, each with its like pixels: those of the sample whose history is most similar,
 * wherever they lie. What the like pixels show in a scene is what a pixel would show if nothing happened to it. A pixel
 * of the grid that is not in the bank uses the like pixels of the pixel of the bank that resembles it most. What the
 * bank says of a scene does not depend on later scenes. Plain data that can be sent to other threads.
 */
export interface LikeBank {
  /** Grid indices of the pixels, ascending. */
  readonly pixels: Int32Array;
  /** Values [metric unit], `[pixel][scene]`; NaN where nothing was observed. */
  readonly values: Float32Array;
  /** Scene since which the value is known to be undisturbed history, `[pixel][scene]`; `NEVER` if it is not. */
  readonly knownSince: Int32Array;
  /** List of like pixels that a pixel has in a scene, `[pixel][scene]`; -1 before its first list. */
  readonly lists: Int32Array;
  /** First scene of the history from which a list was made, `[list]`. */
  readonly listFrom: Int32Array;
  /**
   * Median and robust standard deviation of the values of the like pixels [metric unit], `[list][scene]`, up to the
   * last scene in which the list is used; NaN where too few of them were observed.
   */
  readonly median: Float32Array;
  readonly spread: Float32Array;
}

/** Value of `knownSince` for a value that is not history. */
export const NEVER = 0x7fffffff;

/** Distance between the rows, and between the columns, of the pixels of the bank. */
export function bankStep({ width, height }: StackSpec): number {
  return Math.max(1, Math.ceil(Math.sqrt((width * height) / PARAMETERS.bankPixels)));
}

/** Whether a pixel of the grid is in the bank. */
export function isInBank(spec: StackSpec, pixel: number, step: number): boolean {
  return Math.floor(pixel / spec.width) % step === 0 && (pixel % spec.width) % step === 0;
}

/** Makes the bank from the series of its pixels. */
export function likeBank(spec: StackSpec, traits: MetricTraits, series: BankSeries): LikeBank {
  return new BankBuilder(spec, traits, series).build();
}

/** Returns the series from which a bank was made. */
export function bankSeries({ pixels, values }: LikeBank): BankSeries {
  const times = pixels.length === 0 ? 0 : values.length / pixels.length;
  return {
    pixels: [...pixels],
    values: Array.from(pixels, (_, b) => values.slice(b * times, (b + 1) * times)),
  };
}

class BankBuilder {
  readonly #spec: StackSpec;
  readonly #floor: number;
  readonly #sense: 1 | -1;
  readonly #count: number;
  readonly #times: number;
  readonly #pixels: Int32Array;
  readonly #values: Float32Array;
  readonly #knownSince: Int32Array;
  readonly #lists: Int32Array;
  readonly #listFrom: number[] = [];
  readonly #medians: Float32Array[] = [];
  readonly #spreads: Float32Array[] = [];
  /** Of each pixel: its like pixels (positions in the bank), and its list. */
  readonly #likes: (Int32Array | undefined)[] = [];
  readonly #list: Int32Array;
  /** Number of observations of the history, and that number when the list was made. */
  readonly #known: Int32Array;
  readonly #listed: Int32Array;
  /** First scene of the history, and of the observations since the evidence of a departure began (-1: none). */
  readonly #from: Int32Array;
  readonly #began: Int32Array;
  /** Usual difference from the like pixels, its standard deviation [metric unit], and the high level. */
  readonly #offset: Float64Array;
  readonly #sigma: Float64Array;
  readonly #high: Float64Array;
  /** CUSUM of falls and of rises [standard deviations]. */
  readonly #falls: Float64Array;
  readonly #rises: Float64Array;
  /** 1 while a pixel departs, so that it is no standard for others. */
  readonly #departs: Uint8Array;
  readonly #sorted: Float64Array;

  constructor(spec: StackSpec, { noiseFloor, sense }: MetricTraits, { pixels, values }: BankSeries) {
    const order = [...pixels.keys()].toSorted((a, b) => pixels[a]! - pixels[b]!);
    const times = spec.timesMs.length;
    const count = order.length;
    this.#spec = spec;
    this.#floor = noiseFloor;
    this.#sense = sense;
    this.#count = count;
    this.#times = times;
    this.#pixels = Int32Array.from(order, (i) => pixels[i]!);
    this.#values = new Float32Array(count * times);
    for (const [b, i] of order.entries()) this.#values.set(values[i]!, b * times);
    this.#knownSince = new Int32Array(count * times).fill(NEVER);
    this.#lists = new Int32Array(count * times).fill(-1);
    this.#list = new Int32Array(count).fill(-1);
    this.#known = new Int32Array(count);
    this.#listed = new Int32Array(count);
    this.#from = new Int32Array(count).fill(-1);
    this.#began = new Int32Array(count).fill(-1);
    this.#offset = new Float64Array(count);
    this.#sigma = new Float64Array(count);
    this.#high = new Float64Array(count);
    this.#falls = new Float64Array(count);
    this.#rises = new Float64Array(count);
    this.#departs = new Uint8Array(count);
    this.#sorted = new Float64Array(Math.max(times, count));
  }

  build(): LikeBank {
    const times = this.#times;
    for (let t = 0; t < times; t++) this.#follow(t);
    const size = this.#medians.length * times;
    const [median, spread] = [new Float32Array(size), new Float32Array(size)];
    for (const [list, values] of this.#medians.entries()) {
      median.set(values, list * times);
      spread.set(this.#spreads[list]!, list * times);
    }
    return {
      pixels: this.#pixels,
      values: this.#values,
      knownSince: this.#knownSince,
      lists: this.#lists,
      listFrom: Int32Array.from(this.#listFrom),
      median,
      spread,
    };
  }

  #follow(t: number): void {
    const times = this.#times;
    for (let b = 0; b < this.#count; b++) {
      if (this.#isDue(b, t)) this.#choose(b, t);
      const list = this.#list[b]!;
      this.#lists[b * times + t] = list;
      if (list < 0) continue;
      const n = this.#collect(this.#likes[b]!, t);
      this.#note(list, t, n);
    }
    for (let b = 0; b < this.#count; b++) {
      const value = this.#values[b * times + t]!;
      if (Number.isFinite(value)) this.#judge(b, t, value);
    }
  }

  /** Whether a pixel gets a new list: its history has grown by half, or has become long enough for the first one. */
  #isDue(b: number, t: number): boolean {
    const { timesMs } = this.#spec;
    const known = this.#known[b]!;
    if (
      known < PARAMETERS.minLikeHistory ||
      timesMs[t]! - timesMs[this.#from[b]!]! < PARAMETERS.minLikeHistoryMs
    )
      return false;
    return this.#list[b]! < 0 || known >= PARAMETERS.relistGrowth * this.#listed[b]!;
  }

  /** Makes the list of a pixel: the pixels with the smallest mean difference over the scenes that both have as history. */
  #choose(b: number, t: number): void {
    const { width } = this.#spec;
    const times = this.#times;
    const values = this.#values;
    const known = this.#knownSince;
    const own: number[] = [];
    for (let s = this.#from[b]!; s < t; s++) if (known[b * times + s]! <= t) own.push(s);
    const step = Math.max(1, Math.floor(own.length / PARAMETERS.comparedScenes));
    const compared = own.filter((_, i) => (own.length - 1 - i) % step === 0);
    const pixel = this.#pixels[b]!;
    const [row, column] = [Math.floor(pixel / width), pixel % width];
    const candidates: number[] = [];
    const distances = new Float64Array(this.#count);
    for (let q = 0; q < this.#count; q++) {
      const other = this.#pixels[q]!;
      const isNear =
        Math.abs(Math.floor(other / width) - row) <= PARAMETERS.likeApart &&
        Math.abs((other % width) - column) <= PARAMETERS.likeApart;
      if (isNear || this.#departs[q] === 1) continue;
      const first = this.#from[q]!;
      let n = 0;
      let sum = 0;
      for (const s of compared) {
        if (s < first || known[q * times + s]! > t) continue;
        sum += Math.min(PARAMETERS.likeClip, Math.abs(values[b * times + s]! - values[q * times + s]!));
        n += 1;
      }
      if (n < PARAMETERS.minLikeShared) continue;
      distances[q] = sum / n;
      candidates.push(q);
    }
    this.#listed[b] = this.#known[b]!;
    if (candidates.length < PARAMETERS.minLikePixels) return;
    candidates.sort((p, q) => distances[p]! - distances[q]! || p - q);
    const likes = Int32Array.from(candidates.slice(0, PARAMETERS.likePixels));
    this.#likes[b] = likes;
    const list = this.#medians.length;
    this.#list[b] = list;
    this.#listFrom.push(this.#from[b]!);
    this.#medians.push(new Float32Array(times).fill(Number.NaN));
    this.#spreads.push(new Float32Array(times).fill(Number.NaN));
    for (let s = this.#from[b]!; s < t; s++) this.#note(list, s, this.#collectKnown(likes, s, t));
    this.#measure(b, own);
  }

  /** Measures the usual difference of a pixel from its like pixels, and its high level, over its history. */
  #measure(b: number, own: readonly number[]): void {
    const times = this.#times;
    const median = this.#medians[this.#list[b]!]!;
    const sorted = this.#sorted;
    let n = 0;
    for (const s of own) {
      const difference = this.#values[b * times + s]! - median[s]!;
      if (!Number.isNaN(difference)) sorted[n++] = difference;
    }
    const differences = sorted.slice(0, n).sort();
    const offset = n === 0 ? 0 : middle(differences, n);
    this.#offset[b] = offset;
    for (let i = 0; i < n; i++) sorted[i] = Math.abs(differences[i]! - offset);
    const deviation = n === 0 ? 0 : MAD_TO_SIGMA * middle(sorted.subarray(0, n).sort(), n);
    this.#sigma[b] = likeScale(deviation, n, this.#floor);
    const levels = Float64Array.from(own, (s) => this.#sense * this.#values[b * times + s]!).sort();
    this.#high[b] = levels[Math.floor(PARAMETERS.highQuantile * (levels.length - 1))]!;
  }

  #collect(likes: Int32Array, t: number): number {
    let n = 0;
    for (const q of likes) {
      const value = this.#values[q * this.#times + t]!;
      if (this.#departs[q] === 1 || !Number.isFinite(value)) continue;
      this.#sorted[n++] = value;
    }
    return n;
  }

  /** Collects the values that the like pixels had in an earlier scene, as known at scene `t`. */
  #collectKnown(likes: Int32Array, scene: number, t: number): number {
    let n = 0;
    for (const q of likes) {
      const at = q * this.#times + scene;
      if (this.#knownSince[at]! <= t) this.#sorted[n++] = this.#values[at]!;
    }
    return n;
  }

  /** Notes the median and the spread of the first `n` collected values. */
  #note(list: number, scene: number, n: number): void {
    if (n < PARAMETERS.minLikePixels) return;
    const sorted = this.#sorted;
    const median = medianInPlace(sorted, n);
    this.#medians[list]![scene] = median;
    for (let i = 0; i < n; i++) sorted[i] = Math.abs(sorted[i]! - median);
    this.#spreads[list]![scene] = MAD_TO_SIGMA * medianInPlace(sorted, n);
  }

  #judge(b: number, t: number, value: number): void {
    const list = this.#list[b]!;
    if (this.#from[b]! < 0) this.#from[b] = t;
    const expected = list < 0 ? Number.NaN : this.#medians[list]![t]! + this.#offset[b]!;
    if (!Number.isNaN(expected)) {
      const z = (value - expected) / Math.hypot(this.#sigma[b]!, this.#spreads[list]![t]!);
      // What is dormant anyway shows no fall of greenness.
      const isDormant = this.#sense * expected < PARAMETERS.dormantShare * this.#high[b]!;
      const turned = this.#sense * z;
      const most = PARAMETERS.cusumCap;
      if (!isDormant) this.#falls[b] = Math.min(most, nextCusum(this.#falls[b]!, -turned));
      this.#rises[b] = Math.min(most, nextCusum(this.#rises[b]!, turned));
    }
    const evidence = Math.max(this.#falls[b]!, this.#rises[b]!);
    if (evidence > PARAMETERS.suspectCusum) this.#departs[b] = 1;
    if (evidence > 0) {
      if (this.#began[b]! < 0) this.#began[b] = t;
      this.#restartAfterYear(b, t);
      return;
    }
    this.#departs[b] = 0;
    this.#learn(b, this.#began[b]! < 0 ? t : this.#began[b]!, t);
    this.#began[b] = -1;
  }

  /** Adds the observations of the scenes `[since, t]` to the history. */
  #learn(b: number, since: number, t: number): void {
    for (let s = since; s <= t; s++) {
      const at = b * this.#times + s;
      if (!Number.isFinite(this.#values[at]!)) continue;
      this.#knownSince[at] = t;
      this.#known[b]! += 1;
    }
  }

  /** After a year the departed state is the normal one: the history begins anew with it. */
  #restartAfterYear(b: number, t: number): void {
    const { timesMs } = this.#spec;
    const since = this.#began[b]!;
    if (this.#departs[b] === 0 || timesMs[t]! - timesMs[since]! < PARAMETERS.recoveryWindowMs) return;
    this.#from[b] = since;
    this.#known[b] = 0;
    this.#listed[b] = 0;
    this.#list[b] = -1;
    this.#falls[b] = 0;
    this.#rises[b] = 0;
    this.#departs[b] = 0;
    this.#began[b] = -1;
    this.#learn(b, since, t);
  }
}

/**
 * Standard deviation of the difference of a pixel from its like pixels, shrunk to a prior while it is known from few
 * observations [metric unit].
 * @param deviation robust standard deviation of `n` differences
 */
export function likeScale(deviation: number, n: number, noiseFloor: number): number {
  const { scalePrior, likePriorFloors, likeLeastFloors } = PARAMETERS;
  const prior = likePriorFloors * noiseFloor;
  const variance = (n * deviation ** 2 + scalePrior * prior ** 2) / (n + scalePrior);
  return Math.max(likeLeastFloors * noiseFloor, Math.sqrt(variance));
}

/** Next value of a one-sided CUSUM. @param z standardised residual in the direction of the departure */
export function nextCusum(sum: number, z: number): number {
  const { cusumClip, cusumSlack } = PARAMETERS;
  return Math.max(0, sum + Math.min(cusumClip, z) - cusumSlack);
}

/** Median of the first `n` of ascending values. */
function middle(sorted: Float64Array, n: number): number {
  const half = n >> 1;
  return n % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
