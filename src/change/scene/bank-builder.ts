// Long file: one computation, whose steps share the state of the bank.
import { MAD_TO_SIGMA, medianInPlace } from '../../numerics/median.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import type { StackSpec } from '../stack.ts';
import {
  addDifferences,
  type BankSeries,
  type BankState,
  type LikeBank,
  likeScale,
  NEVER,
  nextCusum,
  UNSEEN,
} from './like-bank.ts';

/**
 * Makes the bank from the series of its pixels. It is empty if they are too few.
 * @param before the bank of the same pixels after the earlier scenes, which is continued
 */
export function likeBank(
  spec: StackSpec,
  traits: MetricTraits,
  series: BankSeries,
  before?: LikeBank,
): LikeBank {
  const isEnough = series.pixels.length >= PARAMETERS.leastBank;
  return new BankBuilder(spec, traits, isEnough ? series : { pixels: [], values: [] }, before).build();
}

/** Lists that there is room for at first, as a multiple of those of the earlier bank, or of the pixels. */
const MORE_LISTS = 1.25;

class BankBuilder {
  readonly #spec: StackSpec;
  readonly #floor: number;
  readonly #sense: 1 | -1;
  readonly #count: number;
  readonly #times: number;
  /** First scene that is not in the earlier bank. */
  readonly #since: number;
  readonly #pixels: Int32Array;
  readonly #values: Float32Array;
  readonly #knownSince: Int32Array;
  readonly #firsts: Int32Array;
  readonly #lists: Int32Array;
  readonly #state: BankState;
  /**
   * By list: the scene in which it was made, the medians and spreads of its like pixels by scene, and these pixels. One
   * array each, with room for more lists: there are thousands, and an array of its own for each is work for the garbage
   * collector.
   */
  readonly #made: number[] = [];
  #medians: Float32Array;
  #spreads: Float32Array;
  #members: Int32Array;
  readonly #fallenSince: Int32Array;
  readonly #sums: Float64Array;
  readonly #counts: Int32Array;
  readonly #sorted: Float64Array;

  constructor(
    spec: StackSpec,
    { noiseFloor, sense }: MetricTraits,
    { pixels, values }: BankSeries,
    before: LikeBank | undefined,
  ) {
    const order = [...pixels.keys()].toSorted((a, b) => pixels[a]! - pixels[b]!);
    const times = spec.timesMs.length;
    const count = order.length;
    this.#spec = spec;
    this.#floor = noiseFloor;
    this.#sense = sense;
    this.#count = count;
    this.#times = times;
    this.#since = before === undefined || count === 0 ? 0 : before.knownSince.length / count;
    this.#pixels = Int32Array.from(order, (i) => pixels[i]!);
    this.#values = new Float32Array(count * times);
    this.#knownSince = new Int32Array(count * times).fill(UNSEEN);
    for (const [b, i] of order.entries()) {
      const own = values[i]!;
      for (let t = 0; t < times; t++) {
        if (!Number.isFinite(own[t]!)) continue;
        this.#values[t * count + b] = own[t]!;
        this.#knownSince[t * count + b] = NEVER;
      }
    }
    this.#firsts = new Int32Array(count * times).fill(NEVER);
    this.#lists = new Int32Array(count * times).fill(-1);
    this.#fallenSince = new Int32Array(count * times).fill(-1);
    this.#state = before === undefined ? firstState(count) : structuredClone(before.state);
    this.#sums = new Float64Array(count);
    this.#counts = new Int32Array(count);
    this.#sorted = new Float64Array(Math.max(times, count));
    const lists = Math.ceil(MORE_LISTS * Math.max(count, before?.listMade.length ?? 0));
    this.#medians = new Float32Array(lists * times).fill(Number.NaN);
    this.#spreads = new Float32Array(lists * times).fill(Number.NaN);
    this.#members = new Int32Array(lists * PARAMETERS.likePixels);
    if (before !== undefined) this.#takeUp(before);
  }

  #takeUp(before: LikeBank): void {
    const { knownSince, firsts, lists, listMade, median, spread, members } = before;
    this.#fallenSince.set(before.fallenSince);
    this.#knownSince.set(knownSince);
    this.#firsts.set(firsts);
    this.#lists.set(lists);
    this.#members.set(members);
    for (const made of listMade) this.#made.push(made);
    copyRows(median, this.#since, this.#medians, this.#times);
    copyRows(spread, this.#since, this.#spreads, this.#times);
  }

  /** Adds a list. @param members positions in the bank of its like pixels */
  #addList(made: number, members: Int32Array): number {
    const list = this.#made.length;
    const end = (list + 1) * PARAMETERS.likePixels;
    if (end > this.#members.length) this.#makeRoom();
    this.#members.set(members, end - PARAMETERS.likePixels);
    this.#made.push(made);
    return list;
  }

  /** Doubles the number of lists that there is room for. */
  #makeRoom(): void {
    const [medians, spreads, members] = [this.#medians, this.#spreads, this.#members];
    this.#medians = new Float32Array(2 * medians.length).fill(Number.NaN, medians.length);
    this.#spreads = new Float32Array(2 * spreads.length).fill(Number.NaN, spreads.length);
    this.#members = new Int32Array(2 * members.length);
    this.#medians.set(medians);
    this.#spreads.set(spreads);
    this.#members.set(members);
  }

  build(): LikeBank {
    const times = this.#times;
    for (let t = this.#since; t < times; t++) this.#follow(t);
    const lists = this.#made.length;
    return {
      pixels: this.#pixels,
      values: this.#values,
      knownSince: this.#knownSince,
      firsts: this.#firsts,
      lists: this.#lists,
      listMade: Int32Array.from(this.#made),
      median: this.#medians.slice(0, lists * times),
      spread: this.#spreads.slice(0, lists * times),
      members: this.#members.slice(0, lists * PARAMETERS.likePixels),
      fallenSince: this.#fallenSince,
      state: this.#state,
    };
  }

  #follow(t: number): void {
    const count = this.#count;
    const { list, first } = this.#state;
    for (let b = 0; b < count; b++) {
      if (this.#isDue(b, t)) this.#choose(b, t);
      if (list[b]! < 0) continue;
      this.#lists[t * count + b] = list[b]!;
      this.#firsts[t * count + b] = first[b]!;
      this.#note(list[b]!, t, this.#collect(b, t));
    }
    for (let b = 0; b < count; b++) {
      if (this.#knownSince[t * count + b] !== UNSEEN) this.#judge(b, t, this.#values[t * count + b]!);
      this.#fallenSince[t * count + b] = this.#state.fallen[b]!;
    }
  }

  /** Whether a pixel gets a new list: its history has grown enough, or has become long enough for the first one. */
  #isDue(b: number, t: number): boolean {
    const { timesMs } = this.#spec;
    const { known, listed, from, list } = this.#state;
    const { minLikeHistory, minLikeHistoryMs, relistGrowth } = PARAMETERS;
    if (known[b]! < minLikeHistory || timesMs[t]! - timesMs[from[b]!]! < minLikeHistoryMs) return false;
    return list[b]! < 0 || known[b]! >= relistGrowth * listed[b]!;
  }

  /** Makes the list of a pixel: the pixels with the smallest mean difference over the scenes that both have as history. */
  #choose(b: number, t: number): void {
    const count = this.#count;
    const { known, listed, from, list, first, likes } = this.#state;
    const own: number[] = [];
    for (let s = from[b]!; s < t; s++) if (this.#knownSince[s * count + b]! <= t) own.push(s);
    listed[b] = known[b]!;
    const distances = this.#distances(b, t, own);
    const sorted = this.#sorted;
    let n = 0;
    for (const distance of distances) if (distance < Number.POSITIVE_INFINITY) sorted[n++] = distance;
    if (n < PARAMETERS.minLikePixels) return;
    const most = PARAMETERS.likePixels;
    const limit = sorted.subarray(0, n).sort()[Math.min(n, most) - 1]!;
    const chosen = likes.subarray(b * most, (b + 1) * most).fill(-1);
    let taken = 0;
    for (let q = 0; q < count; q++) if (distances[q]! < limit) chosen[taken++] = q;
    for (let q = 0; q < count && taken < most; q++) if (distances[q] === limit) chosen[taken++] = q;
    list[b] = this.#addList(t, chosen);
    first[b] = from[b]!;
    for (let s = from[b]!; s < t; s++) this.#note(list[b], s, this.#collectKnown(b, s, t));
    this.#measure(b, own);
  }

  /** Mean difference of each pixel from one of them; infinite for those that are near, depart, or share few scenes. */
  #distances(b: number, t: number, own: readonly number[]): Float64Array {
    const { width } = this.#spec;
    const { from, departs } = this.#state;
    const [sums, counts] = [this.#sums.fill(0), this.#counts.fill(0)];
    const step = Math.max(1, Math.floor(own.length / PARAMETERS.comparedScenes));
    for (let i = own.length - 1; i >= 0; i -= step) {
      const s = own[i]!;
      addDifferences(
        { values: this.#values, knownSince: this.#knownSince },
        s,
        this.#values[s * this.#count + b]!,
        t,
        from,
        0,
        sums,
        counts,
      );
    }
    const pixel = this.#pixels[b]!;
    const [row, column] = [Math.floor(pixel / width), pixel % width];
    for (let q = 0; q < this.#count; q++) {
      const other = this.#pixels[q]!;
      const isNear =
        Math.abs(Math.floor(other / width) - row) <= PARAMETERS.likeApart &&
        Math.abs((other % width) - column) <= PARAMETERS.likeApart;
      const isComparable = !isNear && departs[q] === 0 && counts[q]! >= PARAMETERS.minLikeShared;
      sums[q] = isComparable ? sums[q]! / counts[q]! : Number.POSITIVE_INFINITY;
    }
    return sums;
  }

  /** Measures the usual difference of a pixel from its like pixels, and its high level, over its history. */
  #measure(b: number, own: readonly number[]): void {
    const count = this.#count;
    const { list, offset, sigma, high } = this.#state;
    const from = list[b]! * this.#times;
    const sorted = this.#sorted;
    let n = 0;
    for (const s of own) {
      const difference = this.#values[s * count + b]! - this.#medians[from + s]!;
      if (!Number.isNaN(difference)) sorted[n++] = difference;
    }
    offset[b] = n === 0 ? 0 : medianInPlace(sorted, n);
    for (let i = 0; i < n; i++) sorted[i] = Math.abs(sorted[i]! - offset[b]);
    const deviation = n === 0 ? 0 : MAD_TO_SIGMA * medianInPlace(sorted, n);
    sigma[b] = likeScale(deviation, n, this.#floor);
    const levels = Float64Array.from(own, (s) => this.#sense * this.#values[s * count + b]!).sort();
    high[b] = levels[Math.floor(PARAMETERS.highQuantile * (levels.length - 1))]!;
  }

  /** Collects the values of the like pixels of a pixel in a scene. Returns their number. */
  #collect(b: number, t: number): number {
    const { likes, departs } = this.#state;
    const most = PARAMETERS.likePixels;
    const from = t * this.#count;
    let n = 0;
    for (let i = b * most; i < (b + 1) * most; i++) {
      const q = likes[i]!;
      if (q < 0) break;
      if (departs[q] === 0 && this.#knownSince[from + q] !== UNSEEN)
        this.#sorted[n++] = this.#values[from + q]!;
    }
    return n;
  }

  /** Collects the values that the like pixels had in an earlier scene, as known at scene `t`. */
  #collectKnown(b: number, scene: number, t: number): number {
    const { likes } = this.#state;
    const most = PARAMETERS.likePixels;
    const from = scene * this.#count;
    let n = 0;
    for (let i = b * most; i < (b + 1) * most; i++) {
      const q = likes[i]!;
      if (q < 0) break;
      if (this.#knownSince[from + q]! <= t) this.#sorted[n++] = this.#values[from + q]!;
    }
    return n;
  }

  /** Notes the median and the spread of the first `n` collected values. */
  #note(list: number, scene: number, n: number): void {
    if (n < PARAMETERS.minLikePixels) return;
    const sorted = this.#sorted;
    const median = medianInPlace(sorted, n);
    const at = list * this.#times + scene;
    this.#medians[at] = median;
    for (let i = 0; i < n; i++) sorted[i] = Math.abs(sorted[i]! - median);
    this.#spreads[at] = MAD_TO_SIGMA * medianInPlace(sorted, n);
  }

  #judge(b: number, t: number, value: number): void {
    const { list, from, began, offset, sigma, high, falls, rises, departs, fallen } = this.#state;
    if (from[b]! < 0) from[b] = t;
    const at = list[b]! * this.#times + t;
    const expected = list[b]! < 0 ? Number.NaN : this.#medians[at]! + offset[b]!;
    if (!Number.isNaN(expected)) {
      const z = (value - expected) / Math.hypot(sigma[b]!, this.#spreads[at]!);
      // What is dormant anyway shows no fall of greenness.
      const isDormant = this.#sense * expected < PARAMETERS.dormantShare * high[b]!;
      const turned = this.#sense * z;
      const most = PARAMETERS.cusumCap;
      if (!isDormant) falls[b] = Math.min(most, nextCusum(falls[b]!, -turned));
      rises[b] = Math.min(most, nextCusum(rises[b]!, turned));
    }
    if (falls[b] === 0) fallen[b] = -1;
    else if (falls[b]! > PARAMETERS.plainCusum && fallen[b]! < 0) fallen[b] = t;
    const evidence = Math.max(falls[b]!, rises[b]!);
    if (evidence > PARAMETERS.suspectCusum) departs[b] = 1;
    if (evidence > 0) {
      if (began[b]! < 0) began[b] = t;
      this.#restartAfterYear(b, t);
      return;
    }
    departs[b] = 0;
    this.#learn(b, began[b]! < 0 ? t : began[b]!, t);
    began[b] = -1;
  }

  /** Adds the observations of the scenes `[since, t]` to the history. */
  #learn(b: number, since: number, t: number): void {
    const { known } = this.#state;
    for (let s = since; s <= t; s++) {
      const at = s * this.#count + b;
      if (this.#knownSince[at] === UNSEEN) continue;
      this.#knownSince[at] = t;
      known[b] = known[b]! + 1;
    }
  }

  /** After a year the departed state is the normal one: the history begins anew with it. */
  #restartAfterYear(b: number, t: number): void {
    const { timesMs } = this.#spec;
    const { list, known, listed, from, began, falls, rises, departs, fallen } = this.#state;
    const since = began[b]!;
    if (departs[b] === 0 || timesMs[t]! - timesMs[since]! < PARAMETERS.recoveryWindowMs) return;
    from[b] = since;
    known[b] = 0;
    listed[b] = 0;
    list[b] = -1;
    falls[b] = 0;
    rises[b] = 0;
    fallen[b] = -1;
    departs[b] = 0;
    began[b] = -1;
    this.#learn(b, since, t);
  }
}

/** Copies rows of one array to the beginnings of the rows of another one, which are longer. */
function copyRows(from: Float32Array, length: number, to: Float32Array, toLength: number): void {
  for (let row = 0; row * length < from.length; row++)
    for (let i = 0; i < length; i++) to[row * toLength + i] = from[row * length + i]!;
}

/** State before the first scene. */
function firstState(count: number): BankState {
  const none = (): Int32Array => new Int32Array(count).fill(-1);
  return {
    list: none(),
    first: none(),
    likes: new Int32Array(count * PARAMETERS.likePixels).fill(-1),
    known: new Int32Array(count),
    listed: new Int32Array(count),
    from: none(),
    began: none(),
    offset: new Float64Array(count),
    sigma: new Float64Array(count),
    high: new Float64Array(count),
    falls: new Float64Array(count),
    rises: new Float64Array(count),
    departs: new Uint8Array(count),
    fallen: none(),
  };
}
