import type { Exchange } from '../kernel/track-arrays.ts';
import { NONE } from '../stack.ts';

/**
 * Maximum second difference of three rounded values on a line [steps of storage]. Each value is rounded by up to half
 * a step, and the middle value counts twice.
 */
export const ROUNDING_STEPS = 2;
/** Number of latest values that determine the state: three values on a line and one that leaves the line. */
const DECISIVE_VALUES = 4;

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
   * Latest two values, scene of the latest value, and its state: on a line, waiting for one more value, or decided.
   */
  #before = Number.NaN;
  #last = Number.NaN;
  #lastScene = NONE;
  #place: 'line' | 'waits' | 'taken' = 'taken';
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
    this.#place = 'taken';
    this.#scene = NONE;
    this.#late = NONE;
  }

  /** Whether the latest value is decided: it does not depend on the next one whether it is an observation. */
  get isDecided(): boolean {
    return this.#place === 'taken';
  }

  /** Hands the latest values to the kernel, or takes them back. They are decided. */
  exchange(record: Exchange): void {
    this.#before = record.double(this.#before);
    this.#last = record.double(this.#last);
    this.#lastScene = record.whole(this.#lastScene);
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
    if (isInterpolated(this.#before, this.#last, value, this.#quantum)) this.#place = 'line';
    else {
      if (place !== 'taken') {
        this.#late = this.#lastScene;
        this.#lateObserved = this.#last;
      }
      this.#place = place === 'line' ? 'waits' : 'taken';
      if (place !== 'line') this.#observed = value;
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
