import { medianInPlace } from '../../numerics/median.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { SceneFrame } from '../scene/scene-frame.ts';
import type { PixelHistory } from './history.ts';
import type { PendingObservations } from './pending.ts';
import { keepsLevel, levelRanks, PerennialLevel } from './perennial-level.ts';
import type { SeasonalBaseline } from './seasonal-baseline.ts';
import { SortedValues } from './sorted-values.ts';

/** Class of the greenest pixels of a grid. */
const GREENEST = PARAMETERS.likeClasses - 1;

/** Lowest and highest usual value [metric unit]. */
export type ValueRange = readonly [low: number, high: number];

/**
 * Range of the values that the history of a pixel shows. A value outside it is not custom: neither a harvest nor the
 * state of another season.
 */
export class HistoryRange {
  readonly #frame: SceneFrame;
  readonly #history: PixelHistory;
  readonly #seasonal: SeasonalBaseline;
  /** The values of the observations `[#from, #until)` of the history. */
  readonly #sorted: SortedValues;
  #from = 0;
  #until = 0;
  /** Values of which a quantile is selected. */
  readonly #selected: Float64Array;
  readonly #level: PerennialLevel;
  /** Latest `isPerennial`, and the observations `[#perennialFrom, #perennialCount)` of the history that it is of. */
  #isPerennial = false;
  #perennialFrom = NONE;
  #perennialCount = NONE;

  constructor(history: PixelHistory, seasonal: SeasonalBaseline) {
    this.#frame = history.frame;
    this.#history = history;
    this.#seasonal = seasonal;
    this.#sorted = new SortedValues(history.frame.timesMs.length);
    this.#selected = new Float64Array(history.frame.timesMs.length);
    this.#level = new PerennialLevel(history.frame.timesMs.length);
  }

  clear(): void {
    this.#sorted.clear();
    this.#from = 0;
    this.#until = 0;
    this.#perennialFrom = NONE;
  }

  /**
   * Lowest value that two consecutive observations have shown in any season [metric unit]; NaN if the history is
   * shorter than `fullHistoryMs`, is not fitted, or has no such observations within a season. A single observation may
   * be a cloud that the mask missed.
   * @param scene first scene that is not history
   */
  lowest(scene: number): number {
    if (!this.#seasonal.isFitted || this.lengthMs(scene) < PARAMETERS.fullHistoryMs) return Number.NaN;
    this.#history.list();
    const { count, scenes, values } = this.#history;
    const { timesMs } = this.#frame;
    const withinMs = 2 * PARAMETERS.seasonHalfWidthMs;
    let lowest = Number.NaN;
    for (let i = 1; i < count; i++) {
      if (timesMs[scenes[i]!]! - timesMs[scenes[i - 1]!]! <= withinMs) {
        const shown = Math.max(values[i]!, values[i - 1]!);
        if (!(shown >= lowest)) lowest = shown;
      }
    }
    return lowest;
  }

  /** Range in all seasons: the quantiles .1 and .9 of the fitted observations, or of all if there is no fit. */
  get wholeYear(): ValueRange {
    return [this.#quantile(0.1), this.#quantile(0.9)];
  }

  #quantile(q: number): number {
    this.#sort();
    return this.#sorted.at(Math.floor(q * (this.#sorted.count - 1)));
  }

  /** Sorts the observations that were added to the history, or all of them if others are fitted now. */
  #sort(): void {
    const { count, values } = this.#history;
    const from = this.#seasonal.isFitted ? this.#seasonal.from : 0;
    if (from !== this.#from || count < this.#until) {
      this.clear();
      this.#from = from;
      this.#until = from;
    }
    if (this.#until < count) this.#history.list();
    for (; this.#until < count; this.#until++) this.#sorted.add(values[this.#until]!);
  }

  /** Whether the ground keeps most of its level in all seasons, as a forest does and a field does not. */
  get isPerennial(): boolean {
    const { count } = this.#history;
    const from = this.#seasonal.isFitted ? this.#seasonal.from : 0;
    if (from === this.#perennialFrom && count === this.#perennialCount) return this.#isPerennial;
    this.#isPerennial = this.#comparePerennial(from, count);
    this.#perennialFrom = from;
    this.#perennialCount = count;
    return this.#isPerennial;
  }

  /**
   * Whether a scene is in the growing season of the region: even the greenest pixels are not dormant, as they are under
   * snow or without leaves.
   */
  isGrowing(scene: number): boolean {
    const { comparable, timesMs } = this.#frame;
    return comparable[GREENEST * timesMs.length + scene] === 1;
  }

  /**
   * Quantile .1 of the values of the growing season, seen from a scene of it, where the ground keeps its level in that
   * season: a wood that is leafless in winter does, and mown meadows and fields do not [metric unit]. NaN elsewhere, with
   * fewer than `minSeasonObservations` values, and from `fullHistoryMs` on: a longer history shows how seasons differ.
   * @param until first scene that is not history
   */
  growingLow(scene: number, until: number): number {
    if (this.lengthMs(until) >= PARAMETERS.fullHistoryMs) return Number.NaN;
    const n = this.#selectGrowing(scene);
    return this.#keeps(n) ? this.#selected[Math.floor(0.1 * (n - 1))]! : Number.NaN;
  }

  /** Whether the ground keeps its level in the growing season, seen from a scene. The history may have any length. */
  keepsGrowing(scene: number): boolean {
    return this.#keeps(this.#selectGrowing(scene));
  }

  /** Selects the values of the growing season, sorted, and returns their number. */
  #selectGrowing(scene: number): number {
    const { level, least, timesMs } = this.#frame;
    this.#history.list();
    const { count, scenes, values } = this.#history;
    const greenest = GREENEST * timesMs.length;
    let n = 0;
    for (let i = this.#seasonal.isFitted ? this.#seasonal.from : 0; i < count; i++)
      if (level[greenest + scenes[i]!]! >= least[greenest + scene]!) this.#selected[n++] = values[i]!;
    this.#selected.subarray(0, n).sort();
    return n;
  }

  /** Whether the first `n` selected values, which are sorted, are enough and keep their level. */
  #keeps(n: number): boolean {
    if (n < PARAMETERS.minSeasonObservations) return false;
    const [low, high] = levelRanks(n);
    return keepsLevel(this.#selected[low]!, this.#selected[high]!);
  }

  #comparePerennial(from: number, count: number): boolean {
    if (from === this.#from && this.#until > from && count >= this.#until) {
      this.#sort();
      const [low, high] = levelRanks(this.#sorted.count);
      return keepsLevel(this.#sorted.at(low), this.#sorted.at(high));
    }
    this.#history.list();
    return this.#level.keeps(this.#history.values, from, count, this.#history.cleared);
  }

  /**
   * Range in the season of a scene; null if the history is shorter than `fullHistoryMs` or has fewer than
   * `minSeasonObservations` there.
   */
  inSeason(scene: number): ValueRange | null {
    const { near } = this.#frame;
    const { count, scenes, values } = this.#history;
    if (!this.#seasonal.isFitted || this.lengthMs(scene) < PARAMETERS.fullHistoryMs) return null;
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    let known = 0;
    let i = 0;
    for (let k = near.starts[scene]!; k < near.starts[scene + 1]!; k++) {
      const at = near.scenes[k]!;
      while (i < count && scenes[i]! < at) i += 1;
      if (i === count || scenes[i] !== at) continue;
      low = Math.min(low, values[i]!);
      high = Math.max(high, values[i]!);
      known += 1;
    }
    return known < PARAMETERS.minSeasonObservations ? null : [low, high];
  }

  /**
   * Whether observations in a row of an earlier year, within `supportMs` of the day of the year of a scene, were as low as a
   * limit: grass that dries up in each dry summer falls so without being lost. Withheld observations count too, since what
   * withholds them may be such a summer. Of ground that keeps its level in its growing season alone, those of that season
   * count.
   * @param limit highest value that counts as low, or lowest if low values are green [metric unit]
   * @param pending observations that are withheld from the history
   * @param sense 1 if high values are green, else -1
   */
  wasAsLow(scene: number, limit: number, pending: PendingObservations, sense: 1 | -1): boolean {
    const { level, least, timesMs } = this.#frame;
    const { customRun, recoveryWindowMs: yearMs, seasonAgainMs, supportMs } = PARAMETERS;
    const greenest = GREENEST * timesMs.length;
    const isGreenAlways = this.isPerennial;
    this.#history.list();
    const { count, scenes, values } = this.#history;
    let run = 0;
    let latest = NONE;
    for (let i = 0; i < count + pending.count; i++) {
      const at = i < count ? scenes[i]! : pending.scenes[i - count]!;
      const agoMs = timesMs[scene]! - timesMs[at]!;
      if (agoMs < seasonAgainMs) break;
      if (Math.abs(agoMs - Math.round(agoMs / yearMs) * yearMs) > supportMs) continue;
      if (!isGreenAlways && level[greenest + at]! < least[greenest + scene]!) continue;
      const shown = i < count ? values[i]! : pending.valueAt(i - count);
      const isLow = sense * (shown - limit) <= 0;
      const isNext = latest !== NONE && timesMs[at]! - timesMs[latest]! <= 2 * supportMs;
      run = isLow ? (isNext ? run + 1 : 1) : 0;
      latest = at;
      if (run >= customRun) return true;
    }
    return false;
  }

  /** Median value near the day of the year of a scene, within `supportMs` [metric unit]; NaN if there is none. */
  usual(scene: number): number {
    const { starts, scenes: near, supports } = this.#frame.near;
    const { count, scenes, values } = this.#history;
    let n = 0;
    let i = 0;
    for (let k = starts[scene]!; k < starts[scene + 1]!; k++) {
      if (supports[k] === 0) continue;
      while (i < count && scenes[i]! < near[k]!) i += 1;
      if (i < count && scenes[i] === near[k]) this.#selected[n++] = values[i]!;
    }
    return medianInPlace(this.#selected, n);
  }

  /** Time from the first observation of the history to a scene [ms]. */
  lengthMs(scene: number): number {
    const { count, scenes } = this.#history;
    const { timesMs } = this.#frame;
    return count === 0 ? 0 : timesMs[scene]! - timesMs[scenes[0]!]!;
  }
}
