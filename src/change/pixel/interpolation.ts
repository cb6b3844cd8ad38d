import type { Exchange } from '../kernel/track-arrays.ts';
import { NONE } from '../stack.ts';

/**
 * Maximum second difference of three rounded values on a line [steps of storage]. Each value is rounded by up to half
 * a step, and the middle value counts twice.
 */
export const ROUNDING_STEPS = 2;
/** Number of latest values that determine the state: three values on a line and one that leaves the line. */
const DECISIVE_VALUES = 4;

/** What is known of the latest value: it is decided, lies on a line, or waits for one more value. The kernel has the same. */
const DECIDED = 0;
const ON_LINE = 1;
const WAITS = 2;

/**
 * Whether a value lies on the line through the two values before it. Producers of gap-free series fill gaps with such
 * lines, so the value counts as interpolated and not as an observation. Of observations with noise of .03, stored to
 * 1e-4, one in 500 is on a line by chance. Equal values count as observations, because coarse or saturated series
 * repeat values.
 * @param quantum step in which the values are stored; with 0 no value counts as interpolated
 */
export function isInterpolated(before: number, last: number, value: number, quantum: number): boolean {
  return quantum > 0 && value !== last && Math.abs(value - 2 * last + before) <= ROUNDING_STEPS * quantum;
}

/**
 * Separates the observations of a series from interpolated values, one value after another. A value on a line may be
 * the observation at the end of the line. It counts as observed once the next value is not on the line. This next
 * value may itself be on another line, so it counts as observed only after one more value. All other values count as
 * observed at once.
 */
export class Interpolation {
  readonly #quantum: number;
  /**
   * Latest two values, scene of the latest value, and what is known of it.
   */
  #before = Number.NaN;
  #last = Number.NaN;
  #lastScene = NONE;
  #place = DECIDED;
  /**
   * Latest scene and its observation (NaN if none), and the earlier scene that has now turned out to be observed, with
   * its observation.
   */
  #scene = NONE;
  #observed = Number.NaN;
  #late = NONE;
  #lateObserved = Number.NaN;

  /** @param quantum see `isInterpolated` */
  constructor(quantum: number) {
    this.#quantum = quantum;
  }

  clear(): void {
    this.#before = Number.NaN;
    this.#last = Number.NaN;
    this.#lastScene = NONE;
    this.#place = DECIDED;
    this.#scene = NONE;
    this.#late = NONE;
  }

  /** Hands the latest values to the kernel, or takes them back: then the latest scene is that of the latest value. */
  exchange(record: Exchange): void {
    this.#before = record.double(this.#before);
    this.#last = record.double(this.#last);
    this.#lastScene = record.whole(this.#lastScene);
    this.#place = record.whole(this.#place);
    this.#scene = this.#lastScene;
    this.#observed = this.#place === DECIDED ? this.#last : Number.NaN;
    this.#late = NONE;
  }

  /** Restores the state before a scene from the series. @param offset index of the pixel's first scene in `series` */
  takeUp(series: ArrayLike<number>, offset: number, scene: number): void {
    this.clear();
    let first = scene;
    for (let found = 0, t = scene - 1; t >= 0 && found < DECISIVE_VALUES; t--) {
      if (!Number.isFinite(series[offset + t]!)) continue;
      first = t;
      found += 1;
    }
    for (let t = first; t < scene; t++) this.receive(t, series[offset + t]!);
  }

  /**
   * Receives the value of a scene, NaN if it has none. Returns the earlier scene that is now known to be observed; -1
   * if there is none.
   */
  receive(scene: number, value: number): number {
    this.#scene = scene;
    this.#observed = Number.NaN;
    this.#late = NONE;
    if (!Number.isFinite(value)) return NONE;
    const place = this.#place;
    if (isInterpolated(this.#before, this.#last, value, this.#quantum)) this.#place = ON_LINE;
    else {
      if (place !== DECIDED) {
        this.#late = this.#lastScene;
        this.#lateObserved = this.#last;
      }
      this.#place = place === ON_LINE ? WAITS : DECIDED;
      if (place !== ON_LINE) this.#observed = value;
    }
    this.#before = this.#last;
    this.#last = value;
    this.#lastScene = scene;
    return this.#late;
  }

  /** Returns the observation at the latest scene or at the scene that `receive` returned; NaN if there is none. */
  observationAt(scene: number): number {
    if (scene === this.#late) return this.#lateObserved;
    return scene === this.#scene ? this.#observed : Number.NaN;
  }
}
