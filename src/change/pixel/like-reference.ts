import { MAD_TO_SIGMA, medianInPlace } from '../../numerics/median.ts';
import { PARAMETERS } from '../parameters.ts';
import { likeScale, type LikeBank } from '../scene/like-bank.ts';
import { NONE } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { PixelHistory } from './history.ts';

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
  /** Second lowest value of the history in scenes in which the like pixels are not dormant [metric unit]. */
  growing = Number.NaN;
  /** Highest value that was expected in the history [metric unit]. */
  high = Number.NaN;
  readonly #bank: LikeBank;
  readonly #history: PixelHistory;
  readonly #times: number;
  readonly #sorted: Float64Array;
  /** Position in the bank of the pixel itself, or of the pixel that resembles it most; -1 while unknown. */
  #at = NONE;
  #isOwn = false;
  /** Number of observations of the history when `#at` was chosen, and when `offset` was computed. */
  #chosen = 0;
  #measured = 0;
  #list = NONE;
  #sigma = 0;

  constructor(bank: LikeBank, history: PixelHistory) {
    this.#bank = bank;
    this.#history = history;
    this.#times = history.frame.timesMs.length;
    this.#sorted = new Float64Array(this.#times);
  }

  /** Begins the next pixel. @param pixel its index in the grid */
  begin(pixel: number): void {
    const { pixels } = this.#bank;
    let [low, high] = [0, pixels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pixels[middle]! < pixel) low = middle + 1;
      else high = middle;
    }
    this.#isOwn = pixels[low] === pixel;
    this.clear();
    if (this.#isOwn) this.#at = low;
  }

  /** Forgets what the history led to. */
  clear(): void {
    if (!this.#isOwn) this.#at = NONE;
    this.#chosen = 0;
    this.#measured = 0;
    this.#list = NONE;
  }

  /** Computes `expected` and `scale` at a scene. Returns false if the history or the like pixels are not sufficient. */
  predict(scene: number): boolean {
    const { count, scenes, frame } = this.#history;
    const { lists, median, spread } = this.#bank;
    if (count < PARAMETERS.minLikeHistory) return false;
    this.#history.list();
    if (frame.timesMs[scenes[count - 1]!]! - frame.timesMs[scenes[0]!]! < PARAMETERS.minLikeHistoryMs)
      return false;
    if (!this.#isOwn && (this.#at === NONE || count >= PARAMETERS.relistGrowth * this.#chosen))
      this.#choose(scene);
    if (this.#at === NONE) return false;
    const list = lists[this.#at * this.#times + scene]!;
    if (list < 0) return false;
    if (list !== this.#list || count >= PARAMETERS.refitGrowth * this.#measured) this.#measure(list);
    if (this.observations < PARAMETERS.minLikeShared) return false;
    const at = list * this.#times + scene;
    this.expected = median[at]! + this.offset;
    this.scale = Math.hypot(this.#sigma, spread[at]!);
    return !Number.isNaN(this.expected);
  }

  /** Chooses the pixel of the bank with the smallest mean difference in scenes that are history of both. */
  #choose(scene: number): void {
    const { pixels, values, knownSince, lists, listFrom } = this.#bank;
    const { count, scenes, values: own } = this.#history;
    const times = this.#times;
    const step = Math.max(1, Math.floor(count / PARAMETERS.comparedScenes));
    this.#chosen = count;
    let least = Number.POSITIVE_INFINITY;
    for (let b = 0; b < pixels.length; b++) {
      const list = lists[b * times + scene]!;
      if (list < 0) continue;
      const first = listFrom[list]!;
      let n = 0;
      let sum = 0;
      for (let i = count - 1; i >= 0; i -= step) {
        const at = b * times + scenes[i]!;
        if (scenes[i]! < first || knownSince[at]! > scene) continue;
        sum += Math.min(PARAMETERS.likeClip, Math.abs(own[i]! - values[at]!));
        n += 1;
      }
      if (n < PARAMETERS.minLikeShared || sum / n >= least) continue;
      least = sum / n;
      this.#at = b;
    }
  }

  #measure(list: number): void {
    const { median } = this.#bank;
    const { count, scenes, values, frame } = this.#history;
    const sorted = this.#sorted;
    const differences = (center: number): number => {
      let n = 0;
      for (let i = 0; i < count; i++) {
        const difference = values[i]! - median[list * this.#times + scenes[i]!]!;
        if (!Number.isNaN(difference))
          sorted[n++] = Number.isNaN(center) ? difference : Math.abs(difference - center);
      }
      return n;
    };
    this.#list = list;
    this.#measured = count;
    const n = differences(Number.NaN);
    this.observations = n;
    this.offset = n === 0 ? 0 : medianInPlace(sorted, n);
    this.#measureGrowing(list);
    differences(this.offset);
    this.#sigma = likeScale(n === 0 ? 0 : MAD_TO_SIGMA * medianInPlace(sorted, n), n, frame.noiseFloor);
  }

  /** Measures the second lowest value of the scenes in which the like pixels are not dormant. */
  #measureGrowing(list: number): void {
    const { median } = this.#bank;
    const { count, scenes, values } = this.#history;
    const at = list * this.#times;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const m = median[at + scenes[i]!]! + this.offset;
      if (m > high) high = m;
    }
    let [first, second] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let i = 0; i < count; i++) {
      const m = median[at + scenes[i]!]! + this.offset;
      if (!(m >= PARAMETERS.growingShare * high)) continue;
      const v = values[i]!;
      if (v < first) [first, second] = [v, first];
      else if (v < second) second = v;
    }
    this.growing = second;
    this.high = high;
  }

  /** Writes or reads the saved fields, always in the same order. */
  fields(stream: StateStream): void {
    this.#at = stream.scene(this.#at);
    this.#chosen = stream.natural(this.#chosen);
    this.#measured = stream.natural(this.#measured);
    this.#list = stream.scene(this.#list);
    this.observations = stream.natural(this.observations);
    this.offset = stream.double(this.offset);
    this.growing = stream.double(this.growing);
    this.high = stream.double(this.high);
    this.#sigma = stream.double(this.#sigma);
  }
}
