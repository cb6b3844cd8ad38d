import { MAD_TO_SIGMA, medianInPlace } from './median.ts';
import { RankClass } from './like-pixels.ts';
import { PARAMETERS } from './parameters.ts';
import { SeasonalFit } from './seasonal-fit.ts';
import type { SceneFrame } from './scene-frame.ts';
import type { StateTape } from './state-tape.ts';

/** No class yet. */
const NONE = -1;

/** What a pixel is compared with: its earlier departure from the neighbourhood, or its own seasonal fit. */
export type BaselineKind = 'neighbourhood' | 'harmonic';

/**
 * The undisturbed history of one pixel and what it leads one to expect. Uses only what was added, so a caller that adds
 * observations in order of time never looks ahead. One instance is a workspace that is used again for every pixel.
 */
export class PixelBaseline {
  /** Observations in the history. */
  count = 0;
  /** Kind of the latest expectation. */
  kind: BaselineKind = 'neighbourhood';
  /** Value expected at the latest predicted scene [metric unit], before the neighbourhood's own departure. */
  expected = Number.NaN;
  /** Standard deviation of a typical scene's departure from it [metric unit]. */
  scale = Number.NaN;
  /** Variance of `expected` in units of one observation's. */
  leverage = 0;
  /** Whether the history holds an observation in the season of the latest measured scene. */
  supported = false;
  /** Lag-one autocorrelation of departures, shrunk. */
  rho: number = PARAMETERS.rhoPrior;
  readonly scenes: Int32Array;
  readonly fit: SeasonalFit;
  readonly #frame: SceneFrame;
  readonly #values: Float64Array;
  /** By scene: departure from what was expected then, in typical scenes' units, NaN where nothing was; and 1 where it is history. */
  readonly #departures: Float32Array;
  readonly #isHistory: Uint8Array;
  readonly #sorted: Float64Array;
  #from = 0;
  #fitted = false;
  #fitCount = 0;
  /** Median of comparable observations less their scene's median [metric unit]; of a neighbourhood baseline. */
  difference = Number.NaN;
  /** Differences that it is the median of, in any order, and how much of the history they were picked from. */
  readonly #differences: Float64Array;
  #comparable = 0;
  #pickedFrom = 0;
  /** Class that they are differences to, the lowest level of a scene that was picked and the highest of one that was not. */
  #pickedClass = NONE;
  #lowestPicked = Number.POSITIVE_INFINITY;
  #highestLeft = Number.NaN;
  readonly #rank: RankClass;
  /** Start of the pixel's class in the frame. */
  #class = NONE;
  #sigma = 0;
  #sigmaPairs = 0;
  #sigmaCount = -1;

  constructor(frame: SceneFrame) {
    const scenes = frame.timesMs.length;
    this.#frame = frame;
    this.#rank = new RankClass(frame.edges);
    this.scenes = new Int32Array(scenes);
    this.fit = new SeasonalFit(frame.design);
    this.#values = new Float64Array(scenes);
    this.#departures = new Float32Array(scenes);
    this.#isHistory = new Uint8Array(scenes);
    this.#differences = new Float64Array(scenes);
    this.#sorted = new Float64Array(scenes);
  }

  /** Forgets everything. */
  clear(): void {
    this.count = 0;
    this.kind = 'neighbourhood';
    this.rho = PARAMETERS.rhoPrior;
    this.#from = 0;
    this.#fitted = false;
    this.#fitCount = 0;
    this.#isHistory.fill(0);
    this.#pickedClass = NONE;
    this.#sigmaCount = -1;
    this.#class = NONE;
    this.#rank.clear();
  }

  /** Adds an undisturbed observation; `departure` as in a typical scene, NaN when nothing was expected. */
  add(scene: number, value: number, departure: number): void {
    this.scenes[this.count] = scene;
    this.#values[this.count] = value;
    this.#departures[scene] = departure;
    this.#isHistory[scene] = 1;
    this.count += 1;
    this.#rank.add(scene, value);
  }

  /**
   * Its state, to or from a tape; what the history observed is read from the pixel's series, whose first scene lies at
   * `offset`. What is worked out for a scene when that is predicted is no part of it.
   * @param isMeasured whether it is ever measured, so that it holds departures and needs leverages; one that is not takes in
   *   all that is observed
   */
  carry(tape: StateTape, series: ArrayLike<number>, offset: number, isMeasured: boolean): void {
    if (tape.isPlaying) this.clear();
    this.count = tape.whole(this.count);
    this.#rank.carry(tape);
    if (isMeasured) tape.history(this.scenes, this.count, this.#departures);
    else {
      // All that was observed from a scene on.
      const first = tape.scene(this.count === 0 ? NONE : this.scenes[0]!);
      if (tape.isPlaying) this.#listObserved(series, offset, first);
    }
    if (tape.isPlaying) {
      for (let i = 0; i < this.count; i++) {
        const scene = this.scenes[i]!;
        this.#values[i] = series[offset + scene]!;
        this.#isHistory[scene] = 1;
      }
    }
    this.kind = tape.flag(this.kind === 'harmonic') ? 'harmonic' : 'neighbourhood';
    this.rho = tape.double(this.rho);
    this.#from = tape.whole(this.#from);
    this.#fitCount = tape.whole(this.#fitCount);
    this.#sigma = tape.double(this.#sigma);
    this.#sigmaPairs = tape.whole(this.#sigmaPairs);
    this.#sigmaCount = tape.whole(this.#sigmaCount);
    this.#fitted = tape.flag(this.#fitted);
    if (this.#fitted) this.fit.carry(tape, isMeasured);
  }

  /** Lists the scenes of the history as those that were observed from one on. */
  #listObserved(series: ArrayLike<number>, offset: number, first: number): void {
    let scene = first;
    for (let i = 0; i < this.count; i++) {
      while (!Number.isFinite(series[offset + scene]!)) scene += 1;
      this.scenes[i] = scene;
      scene += 1;
    }
  }

  /** First scene that the present baseline rests on; -1 without history. */
  get firstScene(): number {
    return this.count === 0 ? -1 : this.scenes[this.kind === 'harmonic' ? this.#from : 0]!;
  }

  /** Last scene of the history; -1 without. */
  get lastScene(): number {
    return this.count === 0 ? -1 : this.scenes[this.count - 1]!;
  }

  /** Observations that the present expectation rests on. */
  get observations(): number {
    return this.kind === 'harmonic' ? this.fit.observations : this.#comparable;
  }

  /** Start of the pixel's class in arrays `[class][scene]`; -1 while unknown. */
  get classStart(): number {
    return this.#class;
  }

  /** Whether the scene predicted last is comparable, but too little of the history is as seen from it. */
  isOutgrown = false;

  /** Works out what to expect at a scene; false when the history allows no expectation there. */
  predict(scene: number): boolean {
    this.#refit(scene);
    this.isOutgrown = false;
    if (this.#fitted) {
      this.kind = 'harmonic';
      this.expected = this.fit.expected(scene);
      return true;
    }
    this.kind = 'neighbourhood';
    const known = this.#rank.value;
    this.#class = known < 0 ? NONE : known * this.#frame.timesMs.length;
    if (!this.#isComparable(scene)) return false;
    this.#levelAt(scene);
    this.isOutgrown = this.#comparable < PARAMETERS.minHistory;
    if (this.isOutgrown) return false;
    this.expected = this.difference + this.#frame.median[this.#class + scene]!;
    return true;
  }

  /** Works out `scale`, `leverage` and `rho` at the scene predicted last; `typical` is the neighbourhood's typical spread [metric unit]. */
  measure(scene: number, typical: number): void {
    this.#spreadNow();
    this.leverage = this.kind === 'harmonic' ? this.fit.leverage(scene) : Math.PI / 2 / this.#comparable; // of a median of normal values
    const own = Math.max(this.#sigma, this.#seasonSigma(scene));
    const n = this.#sigmaPairs;
    const prior = PARAMETERS.scalePrior;
    this.scale = Math.sqrt((prior * typical * typical + n * own * own) / (prior + n));
  }

  #refit(scene: number): void {
    const { timesMs } = this.#frame;
    const n = this.count;
    if (
      n < PARAMETERS.minHarmonicObservations ||
      n < Math.max(this.#fitCount + 1, this.#fitCount * PARAMETERS.refitGrowth)
    )
      return;
    const last = timesMs[this.scenes[n - 1]!]!;
    let from = 0;
    while (last - timesMs[this.scenes[from]!]! > PARAMETERS.maxHistoryMs) from += 1;
    if (n - from < PARAMETERS.minHarmonicObservations) from = n - PARAMETERS.minHarmonicObservations;
    const first = timesMs[this.scenes[from]!]!;
    const span = last - first;
    const known = timesMs[scene]! - first;
    if (known < PARAMETERS.minHarmonicSpanMs || span < PARAMETERS.minHarmonicHistoryMs) return;
    const isFirst = !this.#fitted;
    this.#fitCount = n;
    this.#from = from;
    const withTrend = span >= PARAMETERS.minTrendSpanMs;
    this.#fitted = this.fit.fitHistory(this.scenes, this.#values, from, n, withTrend, true);
    const stable = this.#positionOf(this.fit.start, from);
    // What is stable must be a full baseline by itself: a few months are not a season.
    const isFull =
      n - stable >= PARAMETERS.minHarmonicObservations &&
      last - timesMs[this.scenes[stable]!]! >= PARAMETERS.minHarmonicSpanMs;
    // Where all of it is stable, a fit to all of it is the same.
    if (this.#fitted && (isFull || stable === from)) this.#from = stable;
    else this.#fitted = this.fit.fitHistory(this.scenes, this.#values, from, n, withTrend);
    if (this.#fitted && isFirst) this.#departFromFit();
  }

  /** What departed from the neighbourhood says nothing of the pixel's own season: its spread begins with that about its fit. */
  #departFromFit(): void {
    const { fit } = this;
    const fitted = this.count - this.#from;
    const coefficients = 1 + 2 * fit.harmonics + (fit.hasTrend ? 1 : 0);
    const inflated = Math.sqrt(fitted / (fitted - coefficients));
    for (let i = 0; i < this.count; i++)
      this.#departures[this.scenes[i]!] =
        i < this.#from ? Number.NaN : inflated * (this.#values[i]! - fit.expected(this.scenes[i]!));
    this.#sigmaCount = -1;
  }

  /** Position of the first observation at or after a scene, from a position on. */
  #positionOf(scene: number, from: number): number {
    let i = from;
    while (i < this.count - 1 && this.scenes[i]! < scene) i += 1;
    return i;
  }

  /**
   * The pixel's difference to its class, over what of its history is comparable as seen from a scene: when a season turns
   * out greener than all before, those before were dormant and say nothing of it.
   */
  #levelAt(scene: number): void {
    const { level, least, median } = this.#frame;
    const start = this.#class;
    const leastNow = least[start + scene]!;
    const isSame =
      this.#pickedClass === start && leastNow <= this.#lowestPicked && !(leastNow <= this.#highestLeft);
    if (isSame && this.#pickedFrom === this.count) return;
    if (!isSame) {
      this.#pickedClass = start;
      this.#pickedFrom = 0;
      this.#comparable = 0;
      this.#lowestPicked = Number.POSITIVE_INFINITY;
      this.#highestLeft = Number.NaN;
    }
    for (let i = this.#pickedFrom; i < this.count; i++) {
      const its = level[start + this.scenes[i]!]!;
      if (its >= leastNow) {
        this.#lowestPicked = Math.min(this.#lowestPicked, its);
        this.#differences[this.#comparable] = this.#values[i]! - median[start + this.scenes[i]!]!;
        this.#comparable += 1;
      } else if (its < leastNow && !(its <= this.#highestLeft)) this.#highestLeft = its;
    }
    this.#pickedFrom = this.count;
    this.difference = medianInPlace(this.#differences, this.#comparable);
  }

  /** Whether a scene is comparable for the pixel's class. */
  #isComparable(scene: number): boolean {
    return this.#class !== NONE && this.#frame.comparable[this.#class + scene] === 1;
  }

  #spreadNow(): void {
    if (
      this.#sigmaCount >= 0 &&
      this.count < Math.max(this.#sigmaCount + 1, this.#sigmaCount * PARAMETERS.refitGrowth)
    )
      return;
    this.#sigmaCount = this.count;
    let n = 0;
    for (let i = 0; i < this.count; i++) {
      const departure = this.#departures[this.scenes[i]!]!;
      if (Number.isNaN(departure)) continue;
      this.#sorted[n] = Math.abs(departure);
      n += 1;
    }
    this.#sigmaPairs = n;
    this.#sigma = n === 0 ? 0 : MAD_TO_SIGMA * medianInPlace(this.#sorted, n);
    const limit = PARAMETERS.rejectBeyond * this.#sigma;
    let before = Number.NaN;
    let products = 0;
    let squares = 0;
    let pairs = 0;
    for (let i = 0; i < this.count; i++) {
      const departure = this.#departures[this.scenes[i]!]!;
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
    this.rho = Math.max(0, Math.min(PARAMETERS.rhoMax, rho));
  }

  /** Standard deviation near the scene's day of the year, outliers winsorised. */
  #seasonSigma(scene: number): number {
    const { starts, scenes, weights: all, supports } = this.#frame.near;
    const limit = PARAMETERS.rejectBeyond * this.#sigma;
    const end = starts[scene + 1]!;
    let weights = 0;
    let squares = 0;
    this.supported = false;
    for (let k = starts[scene]!; k < end; k++) {
      const at = scenes[k]!;
      if (this.#isHistory[at] === 0) continue;
      if (supports[k] === 1 && (this.kind === 'harmonic' || this.#isComparable(at))) this.supported = true;
      const departure = this.#departures[at]!;
      if (Number.isNaN(departure)) continue;
      const clipped = Math.min(limit, Math.abs(departure));
      weights += all[k]!;
      squares += all[k]! * clipped * clipped;
    }
    return weights >= 1 ? Math.sqrt(squares / weights) : 0;
  }
}
