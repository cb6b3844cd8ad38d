import { NONE } from '../stack.ts';

/**
 * How far a rounded value may be from its line [steps of storage]: half a step for each of three roundings, the
 * middle one twice.
 */
const ROUNDING_STEPS = 2;
/** Number of values that determine the state after the latest: three on a line, and one that ends it. */
const DECISIVE_VALUES = 4;

/**
 * Whether a value lies on the line through the two before it, as in gap-free series, whose producers fill gaps by
 * lines. Such a value is no observation. One in 500 observations with noise of .03, stored to 1e-4, looks like this
 * by chance. Equal values are observations: coarse or saturated series repeat themselves.
 * @param quantum step of the values; with 0 no value counts as interpolated
 */
export function isInterpolated(before: number, last: number, value: number, quantum: number): boolean {
  return quantum > 0 && value !== last && Math.abs(value - 2 * last + before) <= ROUNDING_STEPS * quantum;
}

/**
 * Separates the observations of a series from interpolated values, one value after another. A value on a line may be
 * the observation that ends it, which is known when the next value leaves the line. That next value may in turn begin
 * another line, so it waits for one more. All other values count as observed at once.
 */
export class Interpolation {
  readonly #quantum: number;
  /** Latest two values, the scene of the latest, and its state: on a line, waiting for one more value, or decided. */
  #before = Number.NaN;
  #last = Number.NaN;
  #lastScene = NONE;
  #place: 'line' | 'waits' | 'taken' = 'taken';
  /** Latest scene and its observation, NaN without; and the earlier scene that it shows to have been observed. */
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

  /** Restores the state after the scenes before `scene`, from the series. @param offset index of its first scene */
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
   * Receives the value of a scene, NaN where there is none. Returns an earlier scene that is now known to be
   * observed; -1: none.
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

  /** Observation at the latest scene or at the earlier scene that `receive` returned; NaN without one. */
  observationAt(scene: number): number {
    if (scene === this.#late) return this.#lateObserved;
    return scene === this.#scene ? this.#observed : Number.NaN;
  }
}
