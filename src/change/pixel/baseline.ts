import { half } from './half-precision.ts';
import { MAD_TO_SIGMA } from '../../numerics/median.ts';
import { RankClass, rankOf } from '../scene/like-pixels.ts';
import { PARAMETERS } from '../parameters.ts';
import { PhenologyClass } from './phenology-class.ts';
import { SeasonalFit } from './seasonal-fit.ts';
import type { SceneFrame } from '../scene/scene-frame.ts';
import { SortedValues } from './sorted-values.ts';
import type { StateTape } from './state-tape.ts';

/** No class yet. */
const NONE = -1;
/** Of no history. */
const NO_PART: FittedPart = { from: 0, to: 0 };
/** Autocorrelation before any is known, in single precision as all that is saved. */
const RHO_PRIOR = Math.fround(PARAMETERS.rhoPrior);

/**
 * What a baseline is for. `judge`: each observation is measured by it. `survey`: it is asked what to expect of each, and takes
 * all in. `witness`: it is asked for what it had expected of the few that a departure tells, by `expectedAt`.
 */
export type BaselineUse = 'judge' | 'survey' | 'witness';

/** Part of a history that a fit rests on: its observations `[from, to)`. */
export interface FittedPart {
  readonly from: number;
  readonly to: number;
}

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
  rho = RHO_PRIOR;
  /** Part of its history that a witness's seasonal fit rests on. */
  part: FittedPart = NO_PART;
  readonly scenes: Int32Array;
  readonly fit: SeasonalFit;
  readonly #use: BaselineUse;
  readonly #frame: SceneFrame;
  readonly #values: Float64Array;
  /** Where what is history was observed, from a scene on, until it is listed: see `carry`. */
  #observed: ArrayLike<number> = [];
  #offset = 0;
  #first = NONE;
  #unlisted = 0;
  /**
   * By scene: departure from what was expected then, in typical scenes' units and half precision, NaN where nothing was; and
   * 1 where it is history.
   */
  readonly #departures: Float32Array;
  readonly #isHistory: Uint8Array;
  /** Sizes of the departures that are numbers, and how much of the history they were taken from. */
  readonly #sizes: SortedValues;
  #sizedFrom = 0;
  #from = 0;
  #fitted = false;
  #fitCount = 0;
  /** Part of the history that a witness's fit is to, and whether it could be fitted. */
  #told: FittedPart = NO_PART;
  #isTold = false;
  /** Median of comparable observations less their scene's median [metric unit]; of a neighbourhood baseline. */
  difference = Number.NaN;
  /** Differences that it is the median of, and how much of the history they were picked from. */
  readonly #differences: SortedValues;
  #pickedFrom = 0;
  /** Class that they are differences to, the lowest level of a scene that was picked and the highest of one that was not. */
  #pickedClass = NONE;
  #lowestPicked = Number.POSITIVE_INFINITY;
  #highestLeft = Number.NaN;
  readonly #rank = new RankClass();
  readonly #phenology: PhenologyClass;
  /** Start of the pixel's class in the frame. */
  #class = NONE;
  #sigma = 0;
  #sigmaPairs = 0;
  #sigmaCount = -1;

  constructor(frame: SceneFrame, use: BaselineUse) {
    const scenes = frame.timesMs.length;
    this.#use = use;
    this.#frame = frame;
    this.#phenology = new PhenologyClass(frame.isGreen);
    this.scenes = new Int32Array(scenes);
    this.fit = new SeasonalFit(frame.design);
    this.#values = new Float64Array(scenes);
    this.#departures = new Float32Array(scenes);
    this.#isHistory = new Uint8Array(scenes);
    this.#differences = new SortedValues(scenes);
    this.#sizes = new SortedValues(scenes);
  }

  /** Forgets everything. */
  clear(): void {
    this.count = 0;
    this.kind = 'neighbourhood';
    this.rho = RHO_PRIOR;
    this.#from = 0;
    this.#fitted = false;
    this.#fitCount = 0;
    this.#told = NO_PART;
    for (let t = 0; t < this.#isHistory.length; t++) this.#isHistory[t] = 0; // few: `fill` is a call out of the engine
    this.#pickedClass = NONE;
    [this.#sigma, this.#sigmaPairs, this.#sigmaCount] = [0, 0, -1];
    this.#forgetSizes();
    this.#class = NONE;
    this.#unlisted = 0;
    this.#rank.clear();
    this.#phenology.clear();
  }

  /** Adds an undisturbed observation; `departure` as in a typical scene, NaN when nothing was expected. */
  add(scene: number, value: number, departure: number): void {
    this.scenes[this.count] = scene;
    this.#values[this.count] = value;
    this.#departures[scene] = half(departure);
    this.#isHistory[scene] = 1;
    this.count += 1;
    const rank = rankOf(this.#frame.edges, scene, value);
    if (rank < 0) return;
    this.#rank.add(rank);
    this.#phenology.add(scene, rank);
  }

  /**
   * Its state, to or from a tape; what the history observed is read from the pixel's series, whose first scene lies at
   * `offset`. What is worked out for a scene when that is predicted is no part of it.
   */
  carry(tape: StateTape, series: ArrayLike<number>, offset: number): void {
    if (tape.isPlaying) this.clear();
    this.#rank.carry(tape);
    this.#phenology.carry(tape);
    const isJudge = this.#use === 'judge';
    if (this.#use === 'witness') {
      this.count = tape.history(this.scenes, this.count);
      if (tape.isPlaying) this.#takeUp(series, offset);
    } else if (isJudge) {
      this.count = tape.history(this.scenes, this.count, this.#departures);
      if (tape.isPlaying) this.#takeUp(series, offset);
      this.rho = tape.single(this.rho);
      this.#sigma = tape.single(this.#sigma);
      this.#sigmaPairs = tape.natural(this.#sigmaPairs);
      this.#sigmaCount = tape.scene(this.#sigmaCount);
    } else {
      this.count = tape.natural(this.count);
      const first = tape.scene(this.count === 0 ? NONE : this.#unlisted > 0 ? this.#first : this.scenes[0]!);
      if (tape.isPlaying) {
        [this.#observed, this.#offset, this.#first] = [series, offset, first];
        this.#unlisted = this.count;
      }
    }
    this.kind = tape.flag(this.kind === 'harmonic') ? 'harmonic' : 'neighbourhood';
    this.#from = tape.natural(this.#from);
    this.#fitCount = tape.natural(this.#fitCount);
    this.#fitted = tape.flag(this.#fitted);
    this.part = { from: this.#from, to: this.#fitCount };
    if (this.#fitted && this.#use !== 'witness')
      this.fit.carry(tape, isJudge ? this.scenes : null, this.#from, this.#fitCount);
  }

  /** Takes the values of the listed history from a series. */
  #takeUp(series: ArrayLike<number>, offset: number): void {
    for (let i = 0; i < this.count; i++) {
      const scene = this.scenes[i]!;
      this.#values[i] = series[offset + scene]!;
      this.#isHistory[scene] = 1;
    }
  }

  /** Lists the history that was taken up as a count alone: all that was observed from a scene on. Few scenes ask for it. */
  #list(): void {
    let scene = this.#first;
    for (let i = 0; i < this.#unlisted; i++) {
      let value = this.#observed[this.#offset + scene]!;
      for (; !Number.isFinite(value); value = this.#observed[this.#offset + scene]!) scene += 1;
      this.scenes[i] = scene;
      this.#values[i] = value;
      scene += 1;
    }
    this.#unlisted = 0;
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
    return this.kind === 'harmonic' ? this.fit.observations : this.#differences.count;
  }

  /** Start of the pixel's class in arrays `[class][scene]`; -1 while unknown. */
  get classStart(): number {
    return this.#class;
  }

  /** The pixel's phenology class; -1 while unknown. */
  get phenology(): number {
    return this.#phenology.value;
  }

  /** Whether the scene predicted last is comparable, but too little of the history is as seen from it. */
  isOutgrown = false;

  /**
   * Works out what to expect at a scene; false when the history allows no expectation there. A witness is asked for it later
   * where it is seasonal.
   */
  predict(scene: number): boolean {
    this.#refit(scene);
    this.isOutgrown = false;
    if (this.#fitted) {
      this.kind = 'harmonic';
      if (this.#use !== 'witness') this.expected = this.fit.expected(scene);
      return true;
    }
    this.kind = 'neighbourhood';
    const known = this.#rank.value;
    this.#class = known < 0 ? NONE : known * this.#frame.timesMs.length;
    if (!this.#isComparable(scene)) return false;
    this.#levelAt(scene);
    this.isOutgrown = this.#differences.count < PARAMETERS.minHistory;
    if (this.isOutgrown) return false;
    this.expected = this.difference + this.#frame.median[this.#class + scene]! + this.#between(scene);
    return true;
  }

  /** Works out `scale`, `leverage` and `rho` at the scene predicted last; `typical` is the neighbourhood's typical spread [metric unit]. */
  measure(scene: number, typical: number): void {
    this.#spreadNow();
    this.leverage =
      this.kind === 'harmonic' ? this.fit.leverage(scene) : Math.PI / 2 / this.#differences.count; // of a median of normal values
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
    if (this.#unlisted > 0) this.#list();
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
    if (this.#use === 'witness') {
      this.part = { from, to: n };
      this.#fitted = true; // so many observations and a ridge: it never fails
      return;
    }
    const start = this.#fitPart({ from, to: n });
    this.#fitted = start !== NONE;
    if (!this.#fitted) return;
    this.#from = start;
    if (isFirst && this.#use === 'judge') this.#departFromFit();
  }

  /** What a witness expected of a scene by the fit to a part of its history [metric unit]; NaN where there is none. */
  expectedAt(scene: number, part: FittedPart): number {
    const { from, to } = this.#told;
    if (part.from !== from || part.to !== to) {
      this.#told = part;
      this.#isTold = this.#fitPart(part) !== NONE;
    }
    return this.#isTold ? this.fit.expected(scene) : Number.NaN;
  }

  /** Fits the stable end of a part of the history, or all of it. Answers where that begins; -1 where it fails. */
  #fitPart({ from, to }: FittedPart): number {
    const { timesMs } = this.#frame;
    const last = timesMs[this.scenes[to - 1]!]!;
    const withTrend = last - timesMs[this.scenes[from]!]! >= PARAMETERS.minTrendSpanMs;
    const isFitted = this.fit.fitHistory(this.scenes, this.#values, from, to, withTrend, true);
    let stable = from;
    while (stable < to - 1 && this.scenes[stable]! < this.fit.start) stable += 1;
    // What is stable must be a full baseline by itself: a few months are not a season.
    const isFull =
      to - stable >= PARAMETERS.minHarmonicObservations &&
      last - timesMs[this.scenes[stable]!]! >= PARAMETERS.minHarmonicSpanMs;
    // Where all of it is stable, a fit to all of it is the same.
    if (isFitted && (isFull || stable === from)) return stable;
    return this.fit.fitHistory(this.scenes, this.#values, from, to, withTrend) ? from : NONE;
  }

  /** What departed from the neighbourhood says nothing of the pixel's own season: its spread begins with that about its fit. */
  #departFromFit(): void {
    const { fit } = this;
    const fitted = this.count - this.#from;
    const coefficients = 1 + 2 * fit.harmonics + (fit.hasTrend ? 1 : 0);
    const inflated = Math.sqrt(fitted / (fitted - coefficients));
    for (let i = 0; i < this.count; i++)
      this.#departures[this.scenes[i]!] =
        i < this.#from ? Number.NaN : half(inflated * (this.#values[i]! - fit.expected(this.scenes[i]!)));
    this.#sigmaCount = -1;
    this.#forgetSizes();
  }

  #forgetSizes(): void {
    this.#sizes.clear();
    this.#sizedFrom = 0;
  }

  /**
   * The pixel's difference to its class, over what of its history is comparable as seen from a scene: when a season turns
   * out greener than all before, those before were dormant and say nothing of it.
   */
  #levelAt(scene: number): void {
    if (this.#unlisted > 0) this.#list();
    const { level, least, median } = this.#frame;
    const start = this.#class;
    const leastNow = least[start + scene]!;
    const isSame =
      this.#pickedClass === start && leastNow <= this.#lowestPicked && !(leastNow <= this.#highestLeft);
    if (isSame && this.#pickedFrom === this.count) return;
    if (!isSame) {
      this.#pickedClass = start;
      this.#pickedFrom = 0;
      this.#differences.clear();
      this.#lowestPicked = Number.POSITIVE_INFINITY;
      this.#highestLeft = Number.NaN;
    }
    const { count, scenes } = this;
    for (let i = this.#pickedFrom; i < count; i++) {
      const its = level[start + scenes[i]!]!;
      if (its >= leastNow) {
        this.#lowestPicked = Math.min(this.#lowestPicked, its);
        this.#differences.add(this.#values[i]! - median[start + scenes[i]!]!);
      } else if (its < leastNow && !(its <= this.#highestLeft)) this.#highestLeft = its;
    }
    this.#pickedFrom = count;
    this.difference = this.#differences.median;
  }

  /** What a pixel that ranks between two classes is moved by beyond its own one, as they part or draw near in a scene. */
  #between(scene: number): number {
    const beyond = this.#rank.mean - this.#rank.value;
    if (beyond === 0) return 0;
    const lower = beyond > 0 ? this.#class : this.#class - this.#frame.timesMs.length;
    return beyond * this.#frame.widening[lower + scene]!;
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
    for (let i = this.#sizedFrom; i < this.count; i++) {
      const departure = this.#departures[this.scenes[i]!]!;
      if (!Number.isNaN(departure)) this.#sizes.add(Math.abs(departure));
    }
    this.#sizedFrom = this.count;
    this.#sigmaPairs = this.#sizes.count;
    this.#sigma = this.#sizes.count === 0 ? 0 : Math.fround(MAD_TO_SIGMA * this.#sizes.median);
    const limit = PARAMETERS.rejectBeyond * this.#sigma;
    const { count, scenes } = this;
    const departures = this.#departures;
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

  /**
   * What the pixel has done before in a scene's season: the largest departure from its seasonal fit to one side that two
   * observations in a row of its history share, at most [metric unit], 0 without. A cloud that the mask missed stands alone.
   */
  precedent(scene: number, side: number): number {
    const { near, timesMs } = this.#frame;
    let largest = 0;
    let before = 0;
    let last = Number.NEGATIVE_INFINITY;
    let i = this.#from;
    for (let k = near.starts[scene]!; k < near.starts[scene + 1]!; k++) {
      const at = near.scenes[k]!;
      if (this.#isHistory[at] === 0) continue;
      while (i < this.count && this.scenes[i]! < at) i += 1;
      if (this.scenes[i] !== at || i === this.count) continue;
      const departure = side * (this.#values[i]! - this.fit.expected(at));
      if (timesMs[at]! - last <= 2 * PARAMETERS.seasonHalfWidthMs)
        largest = Math.max(largest, Math.min(before, departure));
      before = departure;
      last = timesMs[at]!;
    }
    return side * largest;
  }

  /** Standard deviation near the scene's day of the year, outliers winsorised. */
  #seasonSigma(scene: number): number {
    const { starts, scenes, weights: all, supports } = this.#frame.near;
    const { comparable } = this.#frame;
    const limit = PARAMETERS.rejectBeyond * this.#sigma;
    const end = starts[scene + 1]!;
    const isHistory = this.#isHistory;
    const departures = this.#departures;
    const isHarmonic = this.kind === 'harmonic';
    const start = this.#class; // known where the baseline is not harmonic
    let supporting = 0;
    let weights = 0;
    let squares = 0;
    for (let k = starts[scene]!; k < end; k++) {
      const at = scenes[k]!;
      const known = isHistory[at]!; // 0 or 1 as the clouds were, so multiplied by and not asked
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
