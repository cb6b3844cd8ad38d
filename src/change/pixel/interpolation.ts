import { NONE } from '../stack.ts';

/** Steps of storage by which a rounded value may leave the line that it was interpolated on: half for each of three roundings, the middle one twice. */
const ROUNDING_STEPS = 2;
/** Values whose places on lines tell what the latest is: three of a line, and one to tell that it ended. */
const TELLING = 4;

/**
 * Whether a value lies on the line through the two before it, as makers of gap-free series fill their gaps. Such a value
 * is no observation. Of real ones with a noise of .03, stored to 1e-4, one in 500 looks so. Equal values are none of it:
 * coarse or saturated series repeat themselves.
 * @param quantum step of the values; 0 tells of no value that it is interpolated
 */
export function isInterpolated(before: number, last: number, value: number, quantum: number): boolean {
  return quantum > 0 && value !== last && Math.abs(value - 2 * last + before) <= ROUNDING_STEPS * quantum;
}

/**
 * Tells the observations of a series, one value after another, from what its maker put between them. A value on a line may be
 * the observation that ends it, which the next value tells by leaving it; that one may be the first of the next line, and
 * waits for one more. All others are taken at once.
 */
export class Interpolation {
  readonly #quantum: number;
  /** Latest two values, the scene of the latest, and whether it is on a line or waits. */
  #before = Number.NaN;
  #last = Number.NaN;
  #lastScene = NONE;
  #place: 'line' | 'waits' | 'taken' = 'taken';
  /** What the latest scene observed, and the earlier one that it told of. */
  #scene = NONE;
  #observed = Number.NaN;
  #late = NONE;
  #lateObserved = Number.NaN;

  /** @param quantum as of `isInterpolated` */
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

  /** As after the scenes before one; the series's first lies at `offset`. */
  takeUp(series: ArrayLike<number>, offset: number, scene: number): void {
    this.clear();
    let first = scene;
    for (let told = 0, t = scene - 1; t >= 0 && told < TELLING; t--) {
      if (!Number.isFinite(series[offset + t]!)) continue;
      first = t;
      told += 1;
    }
    for (let t = first; t < scene; t++) this.receive(t, series[offset + t]!);
  }

  /** Takes in the value of a scene, NaN where there is none. Answers the earlier scene that it tells to have been observed; -1 without. */
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

  /** What the scene received last, or the one that it told of, observed; NaN where nothing. */
  observationAt(scene: number): number {
    if (scene === this.#late) return this.#lateObserved;
    return scene === this.#scene ? this.#observed : Number.NaN;
  }
}
