import { MAD_TO_SIGMA } from '../../numerics/median.ts';
import type { Exchange, TrackArrays } from '../kernel/track-arrays.ts';
import { PARAMETERS } from '../parameters.ts';
import type { SceneFrame } from '../scene/scene-frame.ts';
import { half } from '../state/half-precision.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { ClassBaseline } from './class-baseline.ts';
import { DepartureSizes } from './departure-sizes.ts';
import { HistoryRange } from './history-range.ts';
import { PixelHistory } from './history.ts';
import { LagOne, RHO_PRIOR } from './lag-one.ts';
import { SeasonalBaseline } from './seasonal-baseline.ts';

/** Kind of baseline of a pixel: its usual difference from like pixels (`neighbourhood`), or its own seasonal fit. */
export type BaselineKind = 'neighbourhood' | 'harmonic';

/**
 * Baseline by which each observation of a pixel is judged: the expected value, and the scatter of observations about
 * this value. It is computed only from added observations. Callers process the observations in order of time and
 * judge each of them before they add it, so an observation is judged only by earlier observations.
 */
export class JudgeBaseline {
  /**
   * Value expected at the latest predicted scene [metric unit], not corrected for the departure of the neighbourhood.
   */
  expected = Number.NaN;
  /** Standard deviation of an observation about `expected` in a typical scene [metric unit]. */
  scale = Number.NaN;
  /** Variance of `expected`, in units of the variance of one observation. */
  leverage = 0;
  /** Whether the history has an observation in the season of the latest measured scene. */
  supported = false;
  /** Lag-one autocorrelation of departures, shrunk towards the prior. */
  rho = RHO_PRIOR;
  /**
   * Robust standard deviation of the departures, the number of these departures, and the length of the history when
   * the standard deviation was computed (-1 if it was not).
   */
  #sigma = 0;
  #sigmaPairs = 0;
  #sigmaCount = -1;
  readonly history: PixelHistory;
  readonly byClass: ClassBaseline;
  readonly seasonal: SeasonalBaseline;
  readonly range: HistoryRange;
  readonly #frame: SceneFrame;
  /**
   * By scene: the observation minus its expected value, rescaled to the noise of a typical scene, in half precision,
   * NaN where there was no expected value; and 1 where the scene is in the history.
   */
  readonly #departures: Float32Array;
  readonly #isHistory: Uint8Array;
  /**
   * Whether `#isHistory` has no scene since it was cleared. Its memory may have been used by another baseline before,
   * but not since: monitors follow whole strips by turns.
   */
  #isBlank = false;
  readonly #sizes: DepartureSizes;
  readonly #lagOne = new LagOne();
  /** Number of times that all departures were computed anew. */
  #departed = 0;

  /** @param arrays where history, departures and fit are kept, if given */
  constructor(frame: SceneFrame, arrays?: TrackArrays) {
    const scenes = frame.timesMs.length;
    this.history = new PixelHistory(frame, arrays);
    this.byClass = new ClassBaseline(this.history);
    this.seasonal = new SeasonalBaseline(this.history, arrays);
    this.range = new HistoryRange(this.history, this.seasonal);
    this.#frame = frame;
    this.#departures = arrays?.departures ?? new Float32Array(scenes);
    this.#isHistory = arrays?.isHistory ?? new Uint8Array(scenes);
    this.#sizes = new DepartureSizes(scenes);
  }

  clear(): void {
    this.history.clear();
    this.byClass.clear();
    this.seasonal.clear();
    this.rho = RHO_PRIOR;
    this.#sigma = 0;
    this.#sigmaPairs = 0;
    this.#sigmaCount = -1;
    this.range.clear();
    this.#sizes.clear();
    this.#lagOne.clear();
    if (this.#isBlank) return; // a pixel that goes on from a saved state is cleared twice
    // A loop is faster than `fill` on so few bytes, because `fill` calls a native function.
    for (let t = 0; t < this.#isHistory.length; t++) this.#isHistory[t] = 0;
    this.#isBlank = true;
  }

  /**
   * Adds an undisturbed observation [metric unit].
   * @param departure the observation minus its expected value, rescaled to the noise of a typical scene; NaN when
   *   there was no expected value
   */
  add(scene: number, value: number, departure: number): void {
    this.history.add(scene, value);
    this.#departures[scene] = half(departure);
    this.#isHistory[scene] = 1;
    this.#isBlank = false;
  }

  /** Kind of the baseline at the latest predicted scene. */
  get kind(): BaselineKind {
    return this.seasonal.isFitted ? 'harmonic' : 'neighbourhood';
  }

  /** First scene from which the latest expected value was computed; -1 without history. */
  get firstScene(): number {
    const { count, scenes } = this.history;
    return count === 0 ? -1 : scenes[this.seasonal.isFitted ? this.seasonal.from : 0]!;
  }

  /** Number of observations from which the latest expected value was computed. */
  get observations(): number {
    return this.seasonal.isFitted ? this.seasonal.fit.observations : this.byClass.observations;
  }

  /** Computes `expected` at a scene. Returns false if the history is not sufficient for the scene. */
  predict(scene: number): boolean {
    const { seasonal, byClass } = this;
    if (seasonal.moveWindow(scene)) this.#refit();
    if (seasonal.isFitted) {
      this.expected = seasonal.fit.expected(scene);
      return true;
    }
    if (!byClass.predict(scene)) return false;
    this.expected = byClass.expected;
    return true;
  }

  /**
   * Computes `scale`, `leverage` and `rho` at the latest predicted scene.
   * @param typical typical spread of the neighbourhood [metric unit]
   */
  measure(scene: number, typical: number): void {
    this.#updateSigma();
    this.leverage = this.seasonal.isFitted ? this.seasonal.fit.leverage(scene) : this.byClass.leverage;
    const own = Math.max(this.#sigma, this.#seasonSigma(scene));
    const n = this.#sigmaPairs;
    const prior = PARAMETERS.scalePrior;
    this.scale = Math.sqrt((prior * typical * typical + n * own * own) / (prior + n));
  }

  /**
   * Returns the largest earlier departure from the seasonal fit in one direction, in the season of a scene [metric
   * unit]; 0 if none. The size of a departure is the smaller one of two consecutive observations, because a single
   * observation may be a cloud that the mask missed.
   * @param side direction of the departure and sign of the result: -1 below the fit, 1 above it
   */
  precedent(scene: number, side: number): number {
    const { near, timesMs } = this.#frame;
    const { count, scenes, values } = this.history;
    const { fit, from } = this.seasonal;
    let largest = 0;
    let before = 0;
    let last = Number.NEGATIVE_INFINITY;
    let i = from;
    for (let k = near.starts[scene]!; k < near.starts[scene + 1]!; k++) {
      const at = near.scenes[k]!;
      if (this.#isHistory[at] === 0) continue;
      while (i < count && scenes[i]! < at) i += 1;
      if (scenes[i] !== at || i === count) continue;
      const departure = side * (values[i]! - fit.expected(at));
      if (timesMs[at]! - last <= 2 * PARAMETERS.seasonHalfWidthMs)
        largest = Math.max(largest, Math.min(before, departure));
      before = departure;
      last = timesMs[at]!;
    }
    return side * largest;
  }

  /** Hands the state to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    const departed = this.history.exchange(record, this.#departed);
    this.#isBlank = false;
    if (departed !== this.#departed) {
      this.#departed = departed;
      this.#sizes.clear();
      this.#lagOne.clear();
    }
    this.rho = record.double(this.rho);
    this.#sigma = record.double(this.#sigma);
    this.#sigmaPairs = record.whole(this.#sigmaPairs);
    this.#sigmaCount = record.whole(this.#sigmaCount);
    this.seasonal.exchange(record);
  }

  /** Saves the state, except the observed values: they stay in the pixel's series. */
  save(writer: StateWriter): void {
    const { history, seasonal } = this;
    history.saveClasses(writer);
    history.saveScenes(writer, this.#departures);
    this.#fields(writer);
    seasonal.save(writer);
    if (seasonal.isFitted) seasonal.fit.save(writer, history.scenes, seasonal.from, seasonal.to);
  }

  /** Loads the state that `save` saved. @param offset index of the pixel's first scene in `series` */
  load(reader: StateReader, series: ArrayLike<number>, offset: number): void {
    const { history, seasonal } = this;
    this.clear();
    history.loadClasses(reader);
    history.loadScenes(reader, series, offset, this.#departures);
    for (let i = 0; i < history.count; i++) this.#isHistory[history.scenes[i]!] = 1;
    this.#isBlank = false;
    this.#fields(reader);
    seasonal.load(reader);
    if (seasonal.isFitted) seasonal.fit.load(reader, history.scenes, seasonal.from, seasonal.to);
  }

  /** Writes or reads the saved fields, always in the same order. */
  #fields(stream: StateStream): void {
    this.rho = stream.single(this.rho);
    this.#sigma = stream.single(this.#sigma);
    this.#sigmaPairs = stream.natural(this.#sigmaPairs);
    this.#sigmaCount = stream.scene(this.#sigmaCount);
  }

  #refit(): void {
    const isFirst = !this.seasonal.isFitted;
    this.seasonal.refit();
    if (isFirst && this.seasonal.isFitted) this.#departFromFit();
  }

  /**
   * Replaces the departures from the neighbourhood by the departures from the first seasonal fit, because only these
   * show the scatter about the pixel's own season.
   */
  #departFromFit(): void {
    const { fit, from } = this.seasonal;
    const { count, scenes, values } = this.history;
    const fitted = count - from;
    const coefficients = 1 + 2 * fit.harmonics + (fit.hasTrend ? 1 : 0);
    const inflated = Math.sqrt(fitted / (fitted - coefficients));
    for (let i = 0; i < count; i++)
      this.#departures[scenes[i]!] =
        i < from ? Number.NaN : half(inflated * (values[i]! - fit.expected(scenes[i]!)));
    this.#sigmaCount = -1;
    this.#departed += 1;
    this.#sizes.clear();
    this.#lagOne.clear();
  }

  /** Updates `#sigma` and `rho` if the history has grown enough since the last update. */
  #updateSigma(): void {
    const { count, scenes } = this.history;
    if (
      this.#sigmaCount >= 0 &&
      count < Math.max(this.#sigmaCount + 1, this.#sigmaCount * PARAMETERS.refitGrowth)
    )
      return;
    this.#sigmaCount = count;
    const departures = this.#departures;
    const median = this.#sizes.median(departures, scenes, count);
    this.#sigmaPairs = this.#sizes.count;
    this.#sigma = this.#sigmaPairs === 0 ? 0 : Math.fround(MAD_TO_SIGMA * median);
    this.rho = this.#lagOne.estimate(departures, scenes, count, PARAMETERS.rejectBeyond * this.#sigma);
  }

  /** Returns the standard deviation near the scene's day of the year, with winsorised outliers. Sets `supported`. */
  #seasonSigma(scene: number): number {
    const { starts, scenes, weights: all, supports } = this.#frame.near;
    const { comparable } = this.#frame;
    const limit = PARAMETERS.rejectBeyond * this.#sigma;
    const end = starts[scene + 1]!;
    const isHistory = this.#isHistory;
    const departures = this.#departures;
    const isHarmonic = this.seasonal.isFitted;
    const { start } = this.byClass; // the class is known if the baseline is not harmonic
    let supporting = 0;
    let weights = 0;
    let squares = 0;
    for (let k = starts[scene]!; k < end; k++) {
      const at = scenes[k]!;
      const known = isHistory[at]!; // 0 or 1; a branch would often be mispredicted, because clouds are random
      supporting |= known & supports[k]! & (isHarmonic ? 1 : comparable[start + at]!);
      const departure = departures[at]!;
      if (Number.isNaN(departure)) continue;
      const clipped = Math.min(limit, Math.abs(departure));
      const weight = known * all[k]!;
      weights += weight;
      squares += weight * clipped * clipped;
    }
    this.supported = supporting === 1;
    return weights >= 1 ? Math.sqrt(squares / weights) : 0;
  }
}
