import type { SceneFrame } from '../scene/scene-frame.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import { ClassBaseline } from './class-baseline.ts';
import { PixelHistory } from './history.ts';
import { SeasonalBaseline } from './seasonal-baseline.ts';

/** Ratio of the standard deviation of a normal distribution to its mean absolute deviation: the root of pi / 2. */
const MEAN_TO_SIGMA = 1.25;
/** Weight of a new departure in the moving scatter of a pixel with a short history (our choice). */
const SCATTER_WEIGHT = 0.1;

/** Baseline of a surveyed pixel. Every observation is added to its history, even after a change. */
export class SurveyBaseline {
  /** Value expected at the latest predicted scene [metric unit]. */
  expected = Number.NaN;
  /** Latest observed scene; -1 before the first. */
  lastScene = NONE;
  /** Number of consecutive clear departures to one side of the expected value, negative for falls. */
  streak = 0;
  /** Moving scatter of the departures while the history is short [metric unit]; NaN before the first departure. */
  #scatter = Number.NaN;
  /** Latest scene that ended a run of clear departures; -1 if there was none. */
  #disturbed = NONE;
  readonly history: PixelHistory;
  readonly byClass: ClassBaseline;
  readonly seasonal: SeasonalBaseline;

  constructor(frame: SceneFrame) {
    this.history = new PixelHistory(frame);
    this.byClass = new ClassBaseline(this.history);
    this.seasonal = new SeasonalBaseline(this.history);
  }

  /** Begins the next pixel. */
  begin(): void {
    this.lastScene = NONE;
    this.streak = 0;
    this.#scatter = Number.NaN;
    this.#disturbed = NONE;
    this.#clear();
  }

  /** Records the scene of an observation. After a long gap a new history begins. */
  bridgeGap(scene: number): void {
    const { timesMs } = this.history.frame;
    const last = this.lastScene;
    if (last >= 0 && timesMs[scene]! - timesMs[last]! > PARAMETERS.maxGapMs) this.#clear();
    this.lastScene = scene;
  }

  /** Updates `streak` with a departure from `expected` [metric unit]. */
  updateStreak(scene: number, departure: number): void {
    const { isFitted, fit } = this.seasonal;
    const side = Math.sign(departure);
    const usual = isFitted ? fit.sigma : this.#scatter;
    if (!(Math.abs(departure) > PARAMETERS.rejectBeyond * usual)) this.streak = 0;
    else this.streak = this.streak * side > 0 ? this.streak + side : side;
    if (!isFitted) this.#updateScatter(Math.abs(departure));
    if (Math.abs(this.streak) >= PARAMETERS.flagRun.other) this.#disturbed = scene;
  }

  /** Whether no run of clear departures occurred in the year before a scene. */
  isSteady(scene: number): boolean {
    const { timesMs } = this.history.frame;
    const since = this.#disturbed;
    return since === NONE || timesMs[scene]! - timesMs[since]! > PARAMETERS.recoveryWindowMs;
  }

  /** Updates the moving scatter with the size of a departure, which is clipped because it may be a change. */
  #updateScatter(size: number): void {
    const floor = this.history.frame.noiseFloor;
    const before = this.#scatter;
    if (Number.isNaN(before)) {
      this.#scatter = Math.max(floor, MEAN_TO_SIGMA * size);
      return;
    }
    const clipped = Math.min(size, PARAMETERS.rejectBeyond * before);
    const sigma = Math.max(floor, MEAN_TO_SIGMA * clipped);
    this.#scatter = (1 - SCATTER_WEIGHT) * before + SCATTER_WEIGHT * sigma;
  }

  #clear(): void {
    this.history.clear();
    this.byClass.clear();
    this.seasonal.clear();
  }

  /** Computes `expected` at a scene from earlier observations. Returns false if they are not sufficient. */
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

  /** Saves the state, except the observed values: they stay in the pixel's series. */
  save(writer: StateWriter): void {
    const { history, seasonal } = this;
    history.saveClasses(writer);
    history.saveRun(writer);
    seasonal.save(writer);
    if (seasonal.isFitted) seasonal.fit.save(writer, null, 0, 0);
    this.#fields(writer);
  }

  /** Loads the state that `save` saved. @param offset index of the pixel's first scene in `series` */
  load(reader: StateReader, series: ArrayLike<number>, offset: number): void {
    const { history, seasonal } = this;
    this.#clear();
    history.loadClasses(reader);
    history.loadRun(reader, series, offset);
    seasonal.load(reader);
    if (seasonal.isFitted) seasonal.fit.load(reader, null, 0, 0);
    this.#fields(reader);
  }

  /** Writes or reads the saved fields, always in the same order. */
  #fields(stream: StateStream): void {
    this.lastScene = stream.scene(this.lastScene);
    this.streak = stream.whole(this.streak);
    this.#scatter = stream.double(this.#scatter);
    this.#disturbed = stream.scene(this.#disturbed);
  }
}
