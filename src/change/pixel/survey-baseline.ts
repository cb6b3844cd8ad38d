import type { SceneFrame } from '../scene/scene-frame.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import { ClassBaseline } from './class-baseline.ts';
import { PixelHistory } from './history.ts';
import { SeasonalBaseline } from './seasonal-baseline.ts';

/** What a surveyed pixel is expected to do. Every observation becomes history, changed or not. */
export class SurveyBaseline {
  /** Value expected at the latest predicted scene [metric unit]. */
  expected = Number.NaN;
  /** Latest observed scene; -1 before the first. */
  lastScene = NONE;
  /** Consecutive departures to one side of a seasonal fit, negative for falls. */
  streak = 0;
  readonly history: PixelHistory;
  readonly byClass: ClassBaseline;
  readonly seasonal: SeasonalBaseline;

  constructor(frame: SceneFrame) {
    this.history = new PixelHistory(frame);
    this.byClass = new ClassBaseline(this.history);
    this.seasonal = new SeasonalBaseline(this.history);
  }

  /** Begins a pixel. */
  begin(): void {
    this.lastScene = NONE;
    this.streak = 0;
    this.#clear();
  }

  /** Notes an observation. After a long gap the history starts afresh. */
  bridgeGap(scene: number): void {
    const { timesMs } = this.history.frame;
    const last = this.lastScene;
    if (last >= 0 && timesMs[scene]! - timesMs[last]! > PARAMETERS.maxGapMs) this.#clear();
    this.lastScene = scene;
  }

  /**
   * Updates `streak` by a departure from `expected`. It stays 0 for a short history, whose usual variation is
   * unknown.
   */
  updateStreak(departure: number): void {
    const { isFitted, fit } = this.seasonal;
    const side = Math.sign(departure);
    if (!isFitted || Math.abs(departure) <= PARAMETERS.rejectBeyond * fit.sigma) this.streak = 0;
    else this.streak = this.streak * side > 0 ? this.streak + side : side;
  }

  #clear(): void {
    this.history.clear();
    this.byClass.clear();
    this.seasonal.clear();
  }

  /** Computes `expected` at a scene from earlier observations. Returns false when they allow no expectation. */
  predict(scene: number): boolean {
    const { seasonal, byClass } = this;
    if (seasonal.moveWindow(scene)) seasonal.refit();
    if (seasonal.isFitted) {
      this.expected = seasonal.fit.expected(scene);
      return true;
    }
    if (!byClass.predict(scene)) return false;
    this.expected = byClass.expected;
    return true;
  }

  /** Saves its state; the values stay in the pixel's series. */
  save(writer: StateWriter): void {
    const { history, seasonal } = this;
    history.saveClasses(writer);
    history.saveRun(writer);
    seasonal.save(writer);
    if (seasonal.isFitted) seasonal.fit.save(writer, null, 0, 0);
    this.#fields(writer);
  }

  /** Loads its state. @param offset index of the pixel's first scene in `series` */
  load(reader: StateReader, series: ArrayLike<number>, offset: number): void {
    const { history, seasonal } = this;
    this.#clear();
    history.loadClasses(reader);
    history.loadRun(reader, series, offset);
    seasonal.load(reader);
    if (seasonal.isFitted) seasonal.fit.load(reader, null, 0, 0);
    this.#fields(reader);
  }

  /** The saved fields, in their order. */
  #fields(stream: StateStream): void {
    this.lastScene = stream.scene(this.lastScene);
    this.streak = stream.whole(this.streak);
  }
}
