import { PARAMETERS } from '../parameters.ts';
import type { SceneFrame } from '../scene/scene-frame.ts';
import { NONE } from '../stack.ts';
import type { PixelHistory } from './history.ts';
import { SortedValues } from './sorted-values.ts';

/**
 * Expectation from the pixels of the same class: the median of the class in a scene, plus the pixel's own usual
 * difference from it. For a history that is too short for a seasonal fit.
 */
export class ClassBaseline {
  /** Value expected at the latest predicted scene [metric unit], before the neighbourhood's own departure. */
  expected = Number.NaN;
  /** Median of the comparable observations less the median of their scene [metric unit]. */
  difference = Number.NaN;
  /**
   * Whether the latest predicted scene is comparable, but too few observations of the history are comparable with it.
   */
  isOutgrown = false;
  /** Start of the pixel's class in arrays `[class][scene]`; -1 while unknown. */
  start = NONE;
  readonly #history: PixelHistory;
  readonly #frame: SceneFrame;
  /** Differences whose median is `difference`, and the number of observations that they were selected from. */
  readonly #differences: SortedValues;
  #selectedFrom = 0;
  /** Class of the selection, the lowest level of a selected scene, and the highest level of a scene left out. */
  #selectedClass = NONE;
  #lowestSelected = Number.POSITIVE_INFINITY;
  #highestLeftOut = Number.NaN;

  constructor(history: PixelHistory) {
    this.#history = history;
    this.#frame = history.frame;
    this.#differences = new SortedValues(history.frame.timesMs.length);
  }

  clear(): void {
    this.start = NONE;
    this.#selectedClass = NONE;
  }

  /** Observations that the latest expectation rests on. */
  get observations(): number {
    return this.#differences.count;
  }

  /** Variance of `expected` in units of one observation's: that of a median of normal values. */
  get leverage(): number {
    return Math.PI / 2 / this.#differences.count;
  }

  /** Computes `expected` at a scene. Returns false when the history allows no expectation there. */
  predict(scene: number): boolean {
    const { median, comparable, timesMs } = this.#frame;
    this.isOutgrown = false;
    const known = this.#history.rank.value;
    this.start = known < 0 ? NONE : known * timesMs.length;
    if (this.start === NONE || comparable[this.start + scene] !== 1) return false;
    this.#updateDifference(scene);
    this.isOutgrown = this.#differences.count < PARAMETERS.minHistory;
    if (this.isOutgrown) return false;
    this.expected = this.difference + median[this.start + scene]! + this.#between(scene);
    return true;
  }

  /**
   * Updates `difference` to the observations that are comparable as seen from a scene. When a season is greener than all
   * before it, the earlier ones were dormant and do not count.
   */
  #updateDifference(scene: number): void {
    this.#history.list();
    const { level, least, median } = this.#frame;
    const { start } = this;
    const leastNow = least[start + scene]!;
    const { count, scenes, values } = this.#history;
    const isSame =
      this.#selectedClass === start &&
      leastNow <= this.#lowestSelected &&
      !(leastNow <= this.#highestLeftOut);
    if (isSame && this.#selectedFrom === count) return;
    if (!isSame) {
      this.#selectedClass = start;
      this.#selectedFrom = 0;
      this.#differences.clear();
      this.#lowestSelected = Number.POSITIVE_INFINITY;
      this.#highestLeftOut = Number.NaN;
    }
    for (let i = this.#selectedFrom; i < count; i++) {
      const its = level[start + scenes[i]!]!;
      if (its >= leastNow) {
        this.#lowestSelected = Math.min(this.#lowestSelected, its);
        this.#differences.add(values[i]! - median[start + scenes[i]!]!);
      } else if (its < leastNow && !(its <= this.#highestLeftOut)) this.#highestLeftOut = its;
    }
    this.#selectedFrom = count;
    this.difference = this.#differences.median;
  }

  /** Correction for a pixel whose mean rank lies between two classes, as their gap widens or narrows in a scene. */
  #between(scene: number): number {
    const { rank } = this.#history;
    const beyond = rank.mean - rank.value;
    if (beyond === 0) return 0;
    const lower = beyond > 0 ? this.start : this.start - this.#frame.timesMs.length;
    return beyond * this.#frame.widening[lower + scene]!;
  }
}
