import { PARAMETERS } from '../parameters.ts';
import type { SceneFrame } from '../scene/scene-frame.ts';
import { NONE } from '../stack.ts';
import type { PixelHistory } from './history.ts';
import { SortedValues } from './sorted-values.ts';

/**
 * Baseline from the pixels of the same class, for a history that is too short for a seasonal fit. The expected value
 * is the median of the class in a scene plus the usual difference of the pixel from this median.
 */
export class ClassBaseline {
  /**
   * Value expected at the latest predicted scene [metric unit], not corrected for the departure of the neighbourhood.
   */
  expected = Number.NaN;
  /** Median difference of the comparable observations from the median of the class in their scene [metric unit]. */
  difference = Number.NaN;
  /**
   * Whether the latest predicted scene is comparable, but too few observations of the history are from scenes that are
   * comparable with it.
   */
  isOutgrown = false;
  /** Index at which the pixel's class begins in arrays `[class][scene]`; -1 while the class is unknown. */
  start = NONE;
  readonly #history: PixelHistory;
  readonly #frame: SceneFrame;
  /** Differences whose median is `difference`, and number of observations from which they were selected. */
  readonly #differences: SortedValues;
  #selectedFrom = 0;
  /** Class for which `#differences` were selected. */
  #selectedClass = NONE;
  /** Lowest level of a selected scene. In a metric without seasons: lowest and highest median of the class in one. */
  #lowestSelected = Number.POSITIVE_INFINITY;
  #highestSelected = Number.NEGATIVE_INFINITY;
  /** Highest level of a scene that was not selected. In a metric without seasons: a number if there is such a scene. */
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

  /** Number of observations from which the latest expected value was computed. */
  get observations(): number {
    return this.#differences.count;
  }

  /**
   * Variance of `expected` in units of the variance of one observation: the variance of a median of normal values.
   */
  get leverage(): number {
    return Math.PI / 2 / this.#differences.count;
  }

  /** Computes `expected` at a scene. Returns false if the history is not sufficient for the scene. */
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
   * Updates `difference` from those observations of the history that are comparable with a scene. When a season is
   * greener than all seasons before it, the earlier scenes were dormant and are not used. In a metric without seasons a
   * class whose median has moved by more than `classFloors` has other pixels now, as where a river is all that is left of
   * it: the scenes before say nothing of the present one.
   */
  #updateDifference(scene: number): void {
    this.#history.list();
    const { level, least, median, noiseFloor } = this.#frame;
    const { start } = this;
    const isSeasonal = least[start + scene] !== Number.NEGATIVE_INFINITY;
    const levels = isSeasonal ? level : median;
    const reach = PARAMETERS.classFloors * noiseFloor;
    const [low, high] = isSeasonal
      ? [least[start + scene]!, Number.POSITIVE_INFINITY]
      : [median[start + scene]! - reach, median[start + scene]! + reach];
    const { count, scenes, values } = this.#history;
    const isSame =
      this.#selectedClass === start &&
      low <= this.#lowestSelected &&
      this.#highestSelected <= high &&
      (isSeasonal ? !(low <= this.#highestLeftOut) : Number.isNaN(this.#highestLeftOut));
    if (isSame && this.#selectedFrom === count) return;
    if (!isSame) {
      this.#selectedClass = start;
      this.#selectedFrom = 0;
      this.#differences.clear();
      this.#lowestSelected = Number.POSITIVE_INFINITY;
      this.#highestSelected = Number.NEGATIVE_INFINITY;
      this.#highestLeftOut = Number.NaN;
    }
    for (let i = this.#selectedFrom; i < count; i++) {
      const its = levels[start + scenes[i]!]!;
      if (its >= low && its <= high) {
        this.#lowestSelected = Math.min(this.#lowestSelected, its);
        this.#highestSelected = Math.max(this.#highestSelected, its);
        this.#differences.add(values[i]! - median[start + scenes[i]!]!);
      } else if (!Number.isNaN(its) && !(its <= this.#highestLeftOut)) this.#highestLeftOut = its;
    }
    this.#selectedFrom = count;
    this.difference = this.#differences.median;
  }

  /**
   * Correction for a pixel whose mean rank is between two classes: not 0 if the gap between the classes is wider or
   * narrower than usual in the scene.
   */
  #between(scene: number): number {
    const { rank } = this.#history;
    const beyond = rank.mean - rank.value;
    if (beyond === 0) return 0;
    const lower = beyond > 0 ? this.start : this.start - this.#frame.timesMs.length;
    return beyond * this.#frame.widening[lower + scene]!;
  }
}
