import { MAD_TO_SIGMA, medianInPlace, select } from '../../numerics/median.ts';
import { nearestMember } from '../kernel/bank-kernel.ts';
import type { Exchange } from '../kernel/track-arrays.ts';
import { PARAMETERS } from '../parameters.ts';
import { likeScale, type LikeBank, UNSEEN } from '../scene/like-bank.ts';
import { placesApart } from '../scene/places-apart.ts';
import { NONE, type StackSpec } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { PixelHistory } from './history.ts';
import { SortedValues } from './sorted-values.ts';

/** More observations than this, as of a loaded history, are not sorted: their medians are selected. */
const MANY = 30;

const known = new WeakMap<LikeBank, Int32Array>();

/** Returns the list that a member of a bank has in a scene, `[member][scene]`; see `LikeBank.lists`. */
export function listsByMember(bank: LikeBank): Int32Array {
  let turned = known.get(bank);
  if (turned !== undefined) return turned;
  const { lists, pixels } = bank;
  const members = pixels.length;
  const times = members === 0 ? 0 : lists.length / members;
  turned = new Int32Array(lists.length);
  for (let t = 0; t < times; t++)
    for (let b = 0; b < members; b++) turned[b * times + t] = lists[t * members + b]!;
  known.set(bank, turned);
  return turned;
}

/**
 * What the like pixels of one pixel lead one to expect: their median in a scene plus the usual difference of the pixel
 * from it. One instance is reused for every pixel of a thread.
 */
export class LikeReference {
  /** Value expected at the latest predicted scene, and standard deviation of a value about it [metric unit]. */
  expected = Number.NaN;
  scale = Number.NaN;
  /** Usual difference of the pixel from its like pixels [metric unit]. */
  offset = 0;
  /** Number of observations from which `offset` was computed. */
  observations = 0;
  /** High level of the pixel: `highQuantile` of the history, turned so that high is green [metric unit]. */
  high = Number.NaN;
  readonly #spec: StackSpec;
  #pixel = 0;
  readonly #sense: 1 | -1;
  readonly #bank: LikeBank;
  readonly #history: PixelHistory;
  readonly #times: number;
  /** Lists of the bank by member: the scenes of a pixel are then near each other in memory. */
  readonly #lists: Int32Array;
  /** Differences of the first `#sorted` observations of the history from the medians of `#sortedList`. */
  readonly #differences: SortedValues;
  #sorted = 0;
  #sortedList = NONE;
  /** `cleared` of the history of which they are, and of that of which the levels are. */
  #sortedOf = NONE;
  #levelledOf = NONE;
  /** Levels of the first observations of the history. */
  readonly #levels: SortedValues;
  readonly #selected: Float64Array;
  /** Position in the bank of the pixel itself, or of the pixel that resembles it most; -1 while unknown. */
  #at = NONE;
  #isOwn = false;
  /** Number of observations of the history when `#at` was chosen, and when `offset` was computed. */
  #chosen = 0;
  #measured = 0;
  /** Scene in which the list was made from which `offset` was computed. */
  #made = NONE;
  #sigma = 0;

  constructor(spec: StackSpec, bank: LikeBank, history: PixelHistory, sense: 1 | -1) {
    this.#spec = spec;
    this.#sense = sense;
    this.#bank = bank;
    this.#history = history;
    this.#times = history.frame.timesMs.length;
    this.#lists = listsByMember(bank);
    this.#differences = new SortedValues(this.#times);
    this.#levels = new SortedValues(this.#times);
    this.#selected = new Float64Array(this.#times);
  }

  /** Begins the next pixel. @param pixel its index in the grid */
  begin(pixel: number): void {
    this.#pixel = pixel;
    const { pixels } = this.#bank;
    let [low, high] = [0, pixels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pixels[middle]! < pixel) low = middle + 1;
      else high = middle;
    }
    this.#isOwn = pixels[low] === pixel;
    // These are saved, also before they are computed: the state of a pixel must not depend on the pixel before it.
    this.offset = 0;
    this.observations = 0;
    this.high = Number.NaN;
    this.#sigma = 0;
    this.clear();
    if (this.#isOwn) this.#at = low;
  }

  /** Forgets what the history led to. */
  clear(): void {
    if (!this.#isOwn) this.#at = NONE;
    this.#chosen = 0;
    this.#measured = 0;
    this.#made = NONE;
    this.#sortedList = NONE;
  }

  /**
   * Computes `expected` and `scale` at a scene. Returns false if the history or the like pixels are not sufficient.
   * @param now scene at which the observation becomes known: the same or a later one
   */
  predict(scene: number, now: number): boolean {
    const { count, scenes, frame } = this.#history;
    const { listMade, median, spread } = this.#bank;
    if (count < PARAMETERS.minLikeHistory) return false;
    this.#history.list();
    if (frame.timesMs[scenes[count - 1]!]! - frame.timesMs[scenes[0]!]! < PARAMETERS.minLikeHistoryMs)
      return false;
    if (!this.#isOwn && (this.#at === NONE || count >= PARAMETERS.relistGrowth * this.#chosen))
      this.#choose(now);
    if (this.#at === NONE) return false;
    const list = this.#lists[this.#at * this.#times + now]!;
    if (list < 0) return false;
    if (listMade[list] !== this.#made || count >= PARAMETERS.likeRefit * this.#measured) this.#measure(list);
    if (this.observations < PARAMETERS.minLikeShared) return false;
    const at = list * this.#times + scene;
    this.expected = median[at]! + this.offset;
    this.scale = Math.hypot(this.#sigma, spread[at]!);
    return !Number.isNaN(this.expected);
  }

  /** Whether the usual difference from the like pixels is known. */
  get isMeasured(): boolean {
    return this.#measured > 0 && this.observations >= PARAMETERS.minLikeShared;
  }

  /**
   * Value that the like pixels of scene `now` lead one to expect in an earlier scene [metric unit]; NaN if too few of them
   * were seen.
   */
  expectedAt(earlier: number, now: number): number {
    const list = this.#at === NONE ? NONE : this.#lists[this.#at * this.#times + now]!;
    return list < 0 ? Number.NaN : this.#bank.median[list * this.#times + earlier]! + this.offset;
  }

  /**
   * Number of separate places, away from the pixel, in which like pixels have fallen plainly since a scene, and as low as
   * a value.
   * @param now scene at which it has to be known
   */
  fallenPlaces(since: number, now: number, value: number): number {
    const { members, fallenSince, pixels } = this.#bank;
    const list = this.#at === NONE ? NONE : this.#lists[this.#at * this.#times + now]!;
    if (list < 0) return 0;
    const fallen: number[] = [];
    const most = PARAMETERS.likePixels;
    for (let i = list * most; i < (list + 1) * most; i++) {
      const q = members[i]!;
      if (q < 0) break;
      if (fallenSince[now * pixels.length + q]! >= since && this.#isAsLow(q, now, value))
        fallen.push(pixels[q]!);
    }
    return placesApart(this.#spec, this.#pixel, fallen);
  }

  /** Whether pixels of any kind have plainly fallen in `most` or more separate places, away from the pixel, since a scene. */
  areFallen(since: number, now: number, most: number): boolean {
    const { fallenSince, pixels } = this.#bank;
    const fallen: number[] = [];
    for (let q = 0; q < pixels.length; q++)
      if (fallenSince[now * pixels.length + q]! >= since) fallen.push(pixels[q]!);
    return placesApart(this.#spec, this.#pixel, fallen, most) >= most;
  }

  /** Whether the like pixels lead one to expect a value in a scene that the ground has usually had. */
  isUsual(scene: number): boolean {
    const floor = this.#history.frame.noiseFloor;
    return this.#sense * this.expectedAt(scene, scene) <= this.high + floor;
  }

  /** Whether the latest value of a pixel of the bank is not plainly higher than a value. */
  #isAsLow(q: number, now: number, value: number): boolean {
    const { values, knownSince, pixels } = this.#bank;
    let scene = now;
    while (scene > 0 && knownSince[scene * pixels.length + q] === UNSEEN) scene -= 1;
    const higher = this.#sense * (values[scene * pixels.length + q]! - value);
    return higher < PARAMETERS.plainFloors * this.#history.frame.noiseFloor;
  }

  /** Chooses the pixel of the bank with the smallest mean difference in scenes that are history of both. */
  #choose(now: number): void {
    const { count, scenes, values } = this.#history;
    const at = nearestMember(this.#bank, now, scenes, values, count, PARAMETERS);
    this.#chosen = count;
    if (at === NONE || at === this.#at) return;
    this.#at = at;
    this.#made = NONE;
  }

  /** Measures the usual difference from the like pixels, its standard deviation, and the high level. */
  #measure(list: number): void {
    const { listMade } = this.#bank;
    const { count, frame, cleared } = this.#history;
    this.#made = listMade[list]!;
    this.#measured = count;
    this.high = Math.fround(this.#highOf(count));
    if (this.#sortedList !== list || this.#sortedOf !== cleared) {
      this.#differences.clear();
      this.#sorted = 0;
      this.#sortedList = list;
      this.#sortedOf = cleared;
    }
    const deviation = count - this.#sorted > MANY ? this.#select(count, list) : this.#sort(count, list);
    this.#sigma = Math.fround(likeScale(deviation, this.observations, frame.noiseFloor));
  }

  /** High level of the first `count` observations. It does not depend on the list. */
  #highOf(count: number): number {
    const { values, cleared } = this.#history;
    const rank = Math.floor(PARAMETERS.highQuantile * (count - 1));
    if (this.#levelledOf !== cleared) {
      this.#levels.clear();
      this.#levelledOf = cleared;
    }
    if (count - this.#levels.count > MANY) {
      for (let i = 0; i < count; i++) this.#selected[i] = this.#sense * values[i]!;
      select(this.#selected, count, rank);
      return this.#selected[rank]!;
    }
    for (let i = this.#levels.count; i < count; i++) this.#levels.add(this.#sense * values[i]!);
    return this.#levels.at(rank);
  }

  /** Sets `observations` and `offset` from sorted differences. Returns the robust standard deviation. */
  #sort(count: number, list: number): number {
    const { median } = this.#bank;
    const { scenes, values } = this.#history;
    const from = list * this.#times;
    for (let i = this.#sorted; i < count; i++) {
      const shown = median[from + scenes[i]!]!;
      if (!Number.isNaN(shown)) this.#differences.add(values[i]! - shown);
    }
    this.#sorted = count;
    const n = this.#differences.count;
    const offset = n === 0 ? 0 : this.#differences.median;
    this.observations = n;
    this.offset = Math.fround(offset);
    return n === 0 ? 0 : MAD_TO_SIGMA * this.#differences.deviationFrom(offset);
  }

  /** Does the same without sorting. */
  #select(count: number, list: number): number {
    const { median } = this.#bank;
    const { scenes, values } = this.#history;
    const selected = this.#selected;
    const from = list * this.#times;
    let n = 0;
    for (let i = 0; i < count; i++) {
      const shown = median[from + scenes[i]!]!;
      if (!Number.isNaN(shown)) selected[n++] = values[i]! - shown;
    }
    const offset = n === 0 ? 0 : medianInPlace(selected, n);
    this.observations = n;
    this.offset = Math.fround(offset);
    for (let i = 0; i < n; i++) selected[i] = Math.abs(selected[i]! - offset);
    return n === 0 ? 0 : MAD_TO_SIGMA * medianInPlace(selected, n);
  }

  /** Hands the state to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    this.offset = record.double(this.offset);
    this.high = record.double(this.high);
    this.#sigma = record.double(this.#sigma);
    this.#at = record.whole(this.#at);
    this.#isOwn = record.flag(this.#isOwn);
    this.#chosen = record.whole(this.#chosen);
    this.#measured = record.whole(this.#measured);
    this.#made = record.whole(this.#made);
    this.observations = record.whole(this.observations);
  }

  /** Writes or reads the saved fields, always in the same order. */
  fields(stream: StateStream): void {
    this.#at = stream.scene(this.#at);
    this.#chosen = stream.natural(this.#chosen);
    this.#measured = stream.natural(this.#measured);
    this.#made = stream.scene(this.#made);
    this.observations = stream.natural(this.observations);
    this.offset = stream.single(this.offset);
    this.high = stream.single(this.high);
    this.#sigma = stream.single(this.#sigma);
  }
}
