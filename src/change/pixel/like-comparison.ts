import type { Exchange } from '../kernel/track-arrays.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import type { LikeBank } from '../scene/like-bank.ts';
import { NONE, type StackSpec } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import { binomialTail } from '../../numerics/binomial-tail.ts';
import * as evidence from './evidence.ts';
import type { JudgeBaseline } from './judge-baseline.ts';
import { LikeReference } from './like-reference.ts';
import type { PendingObservations } from './pending.ts';

/** A fall that the looks of a season show. */
export interface SeasonFall {
  /** Size that `seasonShare` of the looks have at least [noise floors]; 0 if it is too small to count. */
  readonly size: number;
  /** Scene of the first look that is half as low or lower; `NONE` if the size is 0. */
  readonly onset: number;
  /** Chance of as many low looks if looks were low as often as in the season in earlier years. */
  readonly chance: number;
}

const NO_FALL: SeasonFall = { size: 0, onset: NONE, chance: 1 };

/** Comparison of each observation of a pixel with what its like pixels show, where the pixel's own fit agrees. */
export class LikeComparison {
  /** Residual of the latest scene [metric unit]; NaN where there are too few like pixels or the scene is odd. */
  residual = Number.NaN;
  /** The same in standard deviations. */
  z = Number.NaN;
  /** Whether the value that like pixels lead one to expect is so low that it shows no fall. */
  isDormant = false;
  readonly #reference: LikeReference;
  readonly #judge: JudgeBaseline;
  readonly #traits: MetricTraits;
  /** Scenes of the looks of a season, the latest first, and their falls [noise floors]. */
  readonly #scenes: number[] = [];
  readonly #falls: number[] = [];

  constructor(spec: StackSpec, bank: LikeBank, judge: JudgeBaseline, traits: MetricTraits) {
    this.#reference = new LikeReference(spec, bank, judge.history, traits.sense);
    this.#judge = judge;
    this.#traits = traits;
  }

  /** Begins the next pixel. @param pixel its index in the grid */
  begin(pixel: number): void {
    this.#reference.begin(pixel);
  }

  /** Forgets what the history led to. */
  clear(): void {
    this.#reference.clear();
  }

  /** Forgets the latest look: in the present scene there is none. */
  pass(): void {
    this.residual = Number.NaN;
    this.z = Number.NaN;
  }

  /**
   * Compares an observation. The judge must have predicted the scene.
   * @param now scene at which the observation becomes known: the same or a later one
   */
  look(scene: number, value: number, now: number): void {
    const judge = this.#judge;
    const reference = this.#reference;
    this.pass();
    if (!reference.predict(scene, now)) return;
    const { noiseFloor, sense } = this.#traits;
    let { expected } = reference;
    if (judge.seasonal.isFitted && judge.range.lengthMs(scene) >= PARAMETERS.fullHistoryMs) {
      const own = judge.expected;
      expected = evidence.nearest(value, Math.min(own, expected), Math.max(own, expected));
      const isOdd = Math.abs(own - reference.expected) > PARAMETERS.oddFloors * noiseFloor;
      if (expected === value && isOdd) return;
    }
    this.residual = value - expected;
    this.z = evidence.standardised(this.residual, reference.scale);
    this.isDormant = sense * reference.expected < PARAMETERS.dormantShare * reference.high;
  }

  /**
   * Whether like pixels have plainly fallen as low as a value since a scene, in so many places that it is weather or the
   * custom of the season.
   * @param now scene at which it has to be known
   * @param value latest value of the pixel [metric unit]
   */
  isCommonFall(since: number, now: number, value: number): boolean {
    return this.#reference.fallenPlaces(since, now, value) >= PARAMETERS.commonPlaces;
  }

  /**
   * Whether a fall since a scene is of the pixel, by whatever history: the like pixels have not risen above what the pixel
   * has ever been, as those of a field that is bare this year have, and few other places of any kind have fallen, as in a
   * drought.
   * @param now scene at which it has to be known
   */
  isLocalFall(since: number, now: number): boolean {
    const reference = this.#reference;
    return reference.isUsual(now) && !reference.areFallen(since, now, PARAMETERS.commonPlaces);
  }

  /**
   * Reads the looks of the last `seasonMs`. Returns false if too few of them are low to show a fall in any clear season.
   * @param pending observations of the metric that are withheld from the history
   * @param now scene at which they have to be known
   */
  readSeason(scene: number, now: number, pending: PendingObservations): boolean {
    const { history, seasonal } = this.#judge;
    this.#scenes.length = 0;
    this.#falls.length = 0;
    if (!seasonal.isFitted || !this.#reference.isMeasured) return true; // other metrics may show a fall
    history.list();
    const sinceMs = history.frame.timesMs[scene]! - PARAMETERS.seasonMs;
    for (let i = pending.count - 1; i >= 0; i--)
      if (!this.#lookBack(pending.scenes[i]!, pending.valueAt(i), sinceMs, now)) break;
    for (let i = history.count - 1; i >= 0; i--)
      if (!this.#lookBack(history.scenes[i]!, history.values[i]!, sinceMs, now)) break;
    const { seasonLooks, seasonShare, seasonFloors } = PARAMETERS;
    let lows = 0;
    for (let i = 0; i < this.#falls.length; i++) if (this.#falls[i]! >= seasonFloors) lows += 1;
    return lows > seasonShare * (seasonLooks - 1);
  }

  /**
   * Fall of the looks that `readSeason` has read below what like pixels and the fit lead one to expect, whichever is nearer.
   * Null if too few of them are in seasons that earlier years have shown to be clear: in other seasons half of the looks may
   * be clouds that the mask missed.
   */
  seasonFall(): SeasonFall | null {
    const [scenes, falls] = [this.#scenes, this.#falls];
    const { seasonLooks: least, seasonShare, seasonFloors, returnedShare } = PARAMETERS;
    if (scenes.length < least) return null;
    const clear: number[] = [];
    let [rates, lows] = [0, 0];
    for (let i = 0; i < scenes.length; i++) {
      const rate = this.#lowRate(scenes[i]!);
      if (Number.isNaN(rate)) continue;
      clear.push(i);
      rates += rate;
      if (falls[i]! >= seasonFloors) lows += 1;
    }
    const { length } = clear;
    if (length < least) return null;
    const sorted = clear.map((i) => falls[i]!).toSorted((a, b) => b - a);
    const size = sorted[Math.floor(seasonShare * (length - 1))]!;
    if (size < seasonFloors) return NO_FALL;
    const first = clear.findLast((i) => falls[i]! >= returnedShare * size)!;
    return { size, onset: scenes[first]!, chance: binomialTail(lows, length, rates / length) };
  }

  /** Adds a look before those that were added. Returns false if it is too long ago. */
  #lookBack(at: number, value: number, sinceMs: number, now: number): boolean {
    const { seasonal, history } = this.#judge;
    if (history.frame.timesMs[at]! <= sinceMs) return false;
    const shown = this.#reference.expectedAt(at, now);
    if (Number.isNaN(shown)) return true;
    const own = seasonal.fit.expected(at);
    const expected = evidence.nearest(value, Math.min(own, shown), Math.max(own, shown));
    this.#scenes.push(at);
    this.#falls.push((this.#traits.sense * (expected - value)) / this.#traits.noiseFloor);
    return true;
  }

  /**
   * Share of the looks of earlier years that were low in the season of a scene, by the rule of succession; NaN where the season
   * is not clear.
   */
  #lowRate(scene: number): number {
    const { seasonal, history } = this.#judge;
    const { timesMs } = history.frame;
    const { seasonAgainMs, seasonHalfWidthMs, recoveryWindowMs: yearMs, clearQuantile } = PARAMETERS;
    const { noiseFloor, sense } = this.#traits;
    let [seen, low, cloudy] = [0, 0, 0];
    for (let i = 0; i < history.count; i++) {
      const at = history.scenes[i]!;
      const agoMs = timesMs[scene]! - timesMs[at]!;
      if (agoMs < seasonAgainMs) break;
      if (Math.abs(agoMs - Math.round(agoMs / yearMs) * yearMs) > seasonHalfWidthMs) continue;
      seen += 1;
      const fall = (sense * (seasonal.fit.expected(at) - history.values[i]!)) / noiseFloor;
      if (fall >= PARAMETERS.seasonFloors) low += 1;
      if (fall > PARAMETERS.clearFloors) cloudy += 1;
    }
    const isClear =
      seen >= PARAMETERS.minSeasonObservations && cloudy <= Math.floor(clearQuantile * (seen - 1));
    return isClear ? (low + 1) / (seen + 2) : Number.NaN;
  }

  /** Hands the state to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    this.#reference.exchange(record);
    this.isDormant = record.flag(this.isDormant);
  }

  /** Writes or reads the saved fields, always in the same order. */
  fields(stream: StateStream): void {
    this.#reference.fields(stream);
  }
}
