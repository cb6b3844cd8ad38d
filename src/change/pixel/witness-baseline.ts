import type { Exchange, TrackArrays } from '../kernel/track-arrays.ts';
import type { SceneFrame } from '../scene/scene-frame.ts';
import { NONE } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { ClassBaseline } from './class-baseline.ts';
import { PixelHistory } from './history.ts';
import { type FittedPart, SeasonalBaseline } from './seasonal-baseline.ts';

/** Empty part of a history, used until there is a fit. */
const NO_PART: FittedPart = { from: 0, to: 0 };

/**
 * Baseline of a metric that is not evidence of a change and only reports how it moved during a change. Most pixels
 * have no departure, so `predict` only records which part of the history must be fitted, and `expectedAt` fits this
 * part if a departure needs it.
 */
export class WitnessBaseline {
  /**
   * Value expected from the pixel's class at the latest predicted scene [metric unit]. Not used if
   * `seasonal.isFitted`.
   */
  expected = Number.NaN;
  /** Part of the history to which a seasonal curve must be fitted to predict the latest predicted scene. */
  part: FittedPart = NO_PART;
  readonly history: PixelHistory;
  readonly byClass: ClassBaseline;
  readonly seasonal: SeasonalBaseline;
  /** Part of the history that `seasonal.fit` is currently fitted to, and whether this fit succeeded. */
  #fittedPart: FittedPart = NO_PART;
  #isFitted = false;

  /** @param arrays where the history is kept, if given */
  constructor(frame: SceneFrame, arrays?: TrackArrays) {
    this.history = new PixelHistory(frame, arrays);
    this.byClass = new ClassBaseline(this.history);
    this.seasonal = new SeasonalBaseline(this.history);
  }

  clear(): void {
    this.history.clear();
    this.byClass.clear();
    this.seasonal.clear();
    this.#fittedPart = NO_PART;
  }

  add(scene: number, value: number): void {
    this.history.add(scene, value);
  }

  /**
   * Returns whether there is an expected value at a scene. Sets `expected` to it, unless `seasonal.isFitted`: then
   * `expectedAt` computes it later.
   */
  predict(scene: number): boolean {
    const { seasonal, byClass } = this;
    if (seasonal.moveWindow(scene)) {
      this.part = { from: seasonal.from, to: seasonal.to };
      seasonal.isFitted = true; // with a ridge, a fit to a sufficient number of observations does not fail
    }
    if (seasonal.isFitted) return true;
    if (!byClass.predict(scene)) return false;
    this.expected = byClass.expected;
    return true;
  }

  /** Value that the fit to a part of the history expects at a scene [metric unit]; NaN when the fit fails. */
  expectedAt(scene: number, part: FittedPart): number {
    const { from, to } = this.#fittedPart;
    if (part.from !== from || part.to !== to) {
      this.#fittedPart = part;
      this.#isFitted = this.seasonal.fitPart(part) !== NONE;
    }
    return this.#isFitted ? this.seasonal.fit.expected(scene) : Number.NaN;
  }

  /** Hands the state to the kernel, or takes it back, in the order of `JudgeBaseline.exchange`. */
  exchange(record: Exchange): void {
    const { history, seasonal } = this;
    history.exchange(record, 0);
    record.skip(2, 2); // only what is judged has an autocorrelation and a scatter
    seasonal.exchange(record);
    if (seasonal.to !== this.part.to || seasonal.from !== this.part.from)
      this.part = { from: seasonal.from, to: seasonal.to };
  }

  /** Saves the state, except the observed values: they stay in the pixel's series. */
  save(writer: StateWriter): void {
    this.history.saveClasses(writer);
    this.history.saveScenes(writer);
    this.seasonal.save(writer);
  }

  /** Loads the state that `save` saved. @param offset index of the pixel's first scene in `series` */
  load(reader: StateReader, series: ArrayLike<number>, offset: number): void {
    const { history, seasonal } = this;
    this.clear();
    history.loadClasses(reader);
    history.loadScenes(reader, series, offset);
    seasonal.load(reader);
    this.part = { from: seasonal.from, to: seasonal.to };
  }
}
