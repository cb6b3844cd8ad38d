import { MAD_TO_SIGMA } from '../../numerics/median.ts';
import { PARAMETERS } from '../parameters.ts';
import type { SceneFrame } from '../scene/scene-frame.ts';
import { half } from '../state/half-precision.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { ClassBaseline } from './class-baseline.ts';
import { PixelHistory } from './history.ts';
import { SeasonalBaseline } from './seasonal-baseline.ts';
import { SortedValues } from './sorted-values.ts';

/** Autocorrelation before any can be estimated; in single precision, like the saved ones. */
const RHO_PRIOR = Math.fround(PARAMETERS.rhoPrior);

/** What a pixel is compared with: its earlier departure from the neighbourhood, or its own seasonal fit. */
export type BaselineKind = 'neighbourhood' | 'harmonic';

/**
 * Baseline that each observation of a pixel is judged by: the expected value and how far observations scatter about it.
 * Uses only what was added, so a caller that adds observations in order of time never looks ahead.
 */
export class JudgeBaseline {
  /** Value expected at the latest predicted scene [metric unit], before the neighbourhood's own departure. */
  expected = Number.NaN;
  /** Standard deviation of an observation about `expected` in a typical scene [metric unit]. */
  scale = Number.NaN;
  /** Variance of `expected` in units of one observation's. */
  leverage = 0;
  /** Whether the history has an observation in the season of the latest measured scene. */
  supported = false;
  /** Lag-one autocorrelation of departures, shrunk towards the prior. */
  rho = RHO_PRIOR;
  /**
   * Robust standard deviation of the departures, their number, and the length of the history when it was computed;
   * -1: not yet.
   */
  #sigma = 0;
  #sigmaPairs = 0;
  #sigmaCount = -1;
  readonly history: PixelHistory;
  readonly byClass: ClassBaseline;
  readonly seasonal: SeasonalBaseline;
  readonly #frame: SceneFrame;
  /**
   * By scene: departure from what was expected then, in a typical scene's units and half precision, NaN where nothing was
   * expected; and 1 where the scene is in the history.
   */
  readonly #departures: Float32Array;
  readonly #isHistory: Uint8Array;
  /** Absolute departures that are numbers, and how many observations of the history they were taken from. */
  readonly #sizes: SortedValues;
  #sizedFrom = 0;

  constructor(frame: SceneFrame) {
    const scenes = frame.timesMs.length;
    this.history = new PixelHistory(frame);
    this.byClass = new ClassBaseline(this.history);
    this.seasonal = new SeasonalBaseline(this.history);
    this.#frame = frame;
    this.#departures = new Float32Array(scenes);
    this.#isHistory = new Uint8Array(scenes);
    this.#sizes = new SortedValues(scenes);
  }

  clear(): void {
    this.history.clear();
    this.byClass.clear();
    this.seasonal.clear();
    this.rho = RHO_PRIOR;
    this.#sigma = 0;
    this.#sigmaPairs = 0;
    this.#sigmaCount = -1;
    this.#forgetSizes();
    // A loop: on so few bytes `fill` costs more, since it calls out of the engine.
    for (let t = 0; t < this.#isHistory.length; t++) this.#isHistory[t] = 0;
  }

  /**
   * Adds an undisturbed observation [metric unit]; `departure` in a typical scene's units, NaN when nothing was
   * expected.
   */
  add(scene: number, value: number, departure: number): void {
    this.history.add(scene, value);
    this.#departures[scene] = half(departure);
    this.#isHistory[scene] = 1;
  }

  /** Kind of the latest expectation. */
  get kind(): BaselineKind {
    return this.seasonal.isFitted ? 'harmonic' : 'neighbourhood';
  }

  /** First scene that the latest expectation rests on; -1 without history. */
  get firstScene(): number {
    const { count, scenes } = this.history;
    return count === 0 ? -1 : scenes[this.seasonal.isFitted ? this.seasonal.from : 0]!;
  }

  /** Observations that the latest expectation rests on. */
  get observations(): number {
    return this.seasonal.isFitted ? this.seasonal.fit.observations : this.byClass.observations;
  }

  /** Computes `expected` at a scene. Returns false when the history allows no expectation there. */
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
   * Computes `scale`, `leverage` and `rho` at the latest predicted scene; `typical`: the neighbourhood's typical
   * spread [metric unit].
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
   * Largest departure from the seasonal fit to one side that two consecutive observations in a scene's season shared (the
   * smaller of the two) [metric unit]; 0 without one. A single one may be a cloud that the mask missed.
   * @param side -1 or 1, also the sign of the result
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

  /** Saves its state; the values stay in the pixel's series. */
  save(writer: StateWriter): void {
    const { history, seasonal } = this;
    history.saveClasses(writer);
    history.saveScenes(writer, this.#departures);
    this.#fields(writer);
    seasonal.save(writer);
    if (seasonal.isFitted) seasonal.fit.save(writer, history.scenes, seasonal.from, seasonal.to);
  }

  /** Loads its state. @param offset index of the pixel's first scene in `series` */
  load(reader: StateReader, series: ArrayLike<number>, offset: number): void {
    const { history, seasonal } = this;
    this.clear();
    history.loadClasses(reader);
    history.loadScenes(reader, series, offset, this.#departures);
    for (let i = 0; i < history.count; i++) this.#isHistory[history.scenes[i]!] = 1;
    this.#fields(reader);
    seasonal.load(reader);
    if (seasonal.isFitted) seasonal.fit.load(reader, history.scenes, seasonal.from, seasonal.to);
  }

  /** The saved fields, in their order. */
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
   * Replaces the departures by those from the first seasonal fit: the ones from the neighbourhood say nothing about the
   * scatter in the pixel's own season.
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
    this.#forgetSizes();
  }

  #forgetSizes(): void {
    this.#sizes.clear();
    this.#sizedFrom = 0;
  }

  /** Updates `sigma` and `rho` once the history has grown enough. */
  #updateSigma(): void {
    const { count, scenes } = this.history;
    if (
      this.#sigmaCount >= 0 &&
      count < Math.max(this.#sigmaCount + 1, this.#sigmaCount * PARAMETERS.refitGrowth)
    )
      return;
    this.#sigmaCount = count;
    const departures = this.#departures;
    for (let i = this.#sizedFrom; i < count; i++) {
      const departure = departures[scenes[i]!]!;
      if (!Number.isNaN(departure)) this.#sizes.add(Math.abs(departure));
    }
    this.#sizedFrom = count;
    this.#sigmaPairs = this.#sizes.count;
    this.#sigma = this.#sizes.count === 0 ? 0 : Math.fround(MAD_TO_SIGMA * this.#sizes.median);
    const limit = PARAMETERS.rejectBeyond * this.#sigma;
    let before = Number.NaN;
    let products = 0;
    let squares = 0;
    let pairs = 0;
    for (let i = 0; i < count; i++) {
      const departure = departures[scenes[i]!]!;
      if (Number.isNaN(departure)) continue;
      const clipped = Math.max(-limit, Math.min(limit, departure));
      if (!Number.isNaN(before)) {
        products += before * clipped;
        squares += (before * before + clipped * clipped) / 2;
        pairs += 1;
      }
      before = clipped;
    }
    const estimate = squares > 0 ? products / squares : 0;
    const prior = PARAMETERS.rhoPriorPairs;
    const rho = (prior * PARAMETERS.rhoPrior + pairs * estimate) / (prior + pairs);
    this.rho = Math.fround(Math.max(0, Math.min(PARAMETERS.rhoMax, rho)));
  }

  /** Standard deviation near the scene's day of the year, outliers winsorised; sets `supported`. */
  #seasonSigma(scene: number): number {
    const { starts, scenes, weights: all, supports } = this.#frame.near;
    const { comparable } = this.#frame;
    const limit = PARAMETERS.rejectBeyond * this.#sigma;
    const end = starts[scene + 1]!;
    const isHistory = this.#isHistory;
    const departures = this.#departures;
    const isHarmonic = this.seasonal.isFitted;
    const { start } = this.byClass; // known where the baseline is not harmonic
    let supporting = 0;
    let weights = 0;
    let squares = 0;
    for (let k = starts[scene]!; k < end; k++) {
      const at = scenes[k]!;
      const known = isHistory[at]!; // 0 or 1, multiplied: clouds are random, so a branch would often be mispredicted
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
