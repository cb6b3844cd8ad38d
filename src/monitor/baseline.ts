import { MAD_TO_SIGMA, medianInPlace } from './median.ts';
import { RankClass } from './like-pixels.ts';
import { PARAMETERS } from './parameters.ts';
import { SeasonalFit } from './seasonal-fit.ts';
import type { SceneFrame } from './scene-frame.ts';

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
  /** Departure from what was expected at that time, in typical scenes' units; NaN where nothing was. */
  readonly #departures: Float64Array;
  readonly #sorted: Float64Array;
  #from = 0;
  #fitted = false;
  #fitCount = 0;
  /** Median of comparable observations less their scene's median [metric unit]; of a neighbourhood baseline. */
  difference = Number.NaN;
  #medianCount = -1;
  /** Least level that the scene predicted last asks of the history. */
  #least = Number.NaN;
  #comparable = 0;
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
    this.#departures = new Float64Array(scenes);
    this.#sorted = new Float64Array(scenes);
  }

  /** Forgets everything. */
  clear(): void {
    this.count = 0;
    this.rho = PARAMETERS.rhoPrior;
    this.#from = 0;
    this.#fitted = false;
    this.#fitCount = 0;
    this.#medianCount = -1;
    this.#sigmaCount = -1;
    this.#comparable = 0;
    this.#class = NONE;
    this.#rank.clear();
  }

  /** Adds an undisturbed observation; `departure` as in a typical scene, NaN when nothing was expected. */
  add(scene: number, value: number, departure: number): void {
    this.scenes[this.count] = scene;
    this.#values[this.count] = value;
    this.#departures[this.count] = departure;
    this.count += 1;
    this.#rank.add(scene, value);
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
    this.#refit();
    this.isOutgrown = false;
    if (this.#fitted) {
      this.kind = 'harmonic';
      this.expected = this.fit.expected(scene);
      return true;
    }
    this.kind = 'neighbourhood';
    this.#levelAt(scene);
    const isComparable = this.#isComparable(scene);
    this.isOutgrown = isComparable && this.#comparable < PARAMETERS.minHistory;
    if (this.isOutgrown || !isComparable) return false;
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

  #refit(): void {
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
    const span = last - timesMs[this.scenes[from]!]!;
    if (span < PARAMETERS.minHarmonicSpanMs) return;
    this.#fitCount = n;
    this.#from = from;
    const withTrend = span >= PARAMETERS.minTrendSpanMs;
    this.#fitted = this.fit.fitHistory(this.scenes, this.#values, from, n, withTrend, true);
    const stable = this.#positionOf(this.fit.start, from);
    if (this.#fitted && stable === from) return;
    // What is stable must be a full baseline by itself: a few months are not a season.
    const isFull =
      n - stable >= PARAMETERS.minHarmonicObservations &&
      last - timesMs[this.scenes[stable]!]! >= PARAMETERS.minHarmonicSpanMs;
    if (this.#fitted && isFull) this.#from = stable;
    else this.#fitted = this.fit.fitHistory(this.scenes, this.#values, from, n, withTrend);
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
    const known = this.#rank.value;
    const start = known < 0 ? NONE : known * this.#frame.timesMs.length;
    const least = start === NONE ? Number.NaN : this.#frame.least[start + scene]!;
    if (this.#medianCount === this.count && this.#class === start && Object.is(this.#least, least)) return;
    this.#medianCount = this.count;
    this.#class = start;
    this.#least = least;
    let n = 0;
    for (let i = 0; i < this.count; i++) {
      if (!(start !== NONE && this.#frame.level[start + this.scenes[i]!]! >= least)) continue;
      this.#sorted[n] = this.#values[i]! - this.#frame.median[this.#class + this.scenes[i]!]!;
      n += 1;
    }
    this.#comparable = n;
    this.difference = medianInPlace(this.#sorted, n);
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
      const departure = this.#departures[i]!;
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
      const departure = this.#departures[i]!;
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
    const phase = this.#frame.phaseMs[scene]!;
    const limit = PARAMETERS.rejectBeyond * this.#sigma;
    let weights = 0;
    let squares = 0;
    this.supported = false;
    for (let i = 0; i < this.count; i++) {
      const apart = this.#frame.seasonDistance(phase, this.scenes[i]!);
      if (apart >= PARAMETERS.seasonHalfWidthMs) continue;
      if (
        apart <= PARAMETERS.supportMs &&
        (this.kind === 'harmonic' || this.#isComparable(this.scenes[i]!))
      ) {
        this.supported = true;
      }
      const departure = this.#departures[i]!;
      if (Number.isNaN(departure)) continue;
      const weight = 1 - apart / PARAMETERS.seasonHalfWidthMs;
      const clipped = Math.min(limit, Math.abs(departure));
      weights += weight;
      squares += weight * clipped * clipped;
    }
    return weights >= 1 ? Math.sqrt(squares / weights) : 0;
  }
}
