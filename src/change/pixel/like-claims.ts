import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { JudgeBaseline } from './judge-baseline.ts';
import type { SeasonFall } from './like-comparison.ts';
import type { MetricTraits } from '../metric.ts';
import type { FollowedMetric, MetricTrack } from './metric-track.ts';
import { type RunningStatistics, sideOf } from './running-statistics.ts';

/** Whether a metric may show a fall of a season together with the first one. */
function isShowing(traits: MetricTraits, first: MetricTraits): boolean {
  return traits.seasonal && traits.phenomenon === first.phenomenon && traits.sense === first.sense;
}

/** Whether several metrics may show a fall of a season; see `LikeClaims.seasonFall`. */
export function areShowing(metrics: readonly FollowedMetric[]): boolean {
  const first = metrics[0]!.traits;
  return metrics.filter(({ traits }) => isShowing(traits, first)).length > 1;
}

/** Whether what the like pixels show of a pixel is a claim, or evidence for its neighbours, in a scene. */
export class LikeClaims {
  readonly #timesMs: Float64Array;
  readonly #tracks: readonly MetricTrack[];
  readonly #statistics: RunningStatistics;

  /**
   * @param timesMs acquisition times of the stack
   * @param tracks metrics of the pixel; the first is the one whose falls and rises are followed
   * @param statistics those of the pixel
   */
  constructor(timesMs: Float64Array, tracks: readonly MetricTrack[], statistics: RunningStatistics) {
    this.#timesMs = timesMs;
    this.#tracks = tracks;
    this.#statistics = statistics;
  }

  get #baseline(): JudgeBaseline {
    return this.#tracks[0]!.judge!;
  }

  /** Whether changes in a direction are followed in the first metric. */
  follows(direction: -1 | 1): boolean {
    const { fall, rise } = this.#tracks[0]!.traits;
    return (direction < 0 ? fall : rise) !== null;
  }

  /**
   * Whether a departure from the like pixels is large and long enough for a claim, and is neither custom nor the state of
   * another season. Values outside what the ground has been may be claimed sooner, as in `OpenDeparture.hasLasted`.
   */
  mayClaim(direction: -1 | 1, scene: number): boolean {
    const { sums } = this.#statistics;
    const side = sideOf(direction);
    if (sums.values[side]! <= PARAMETERS.plainCusum || !sums.isLow(direction)) return false;
    const start = sums.began[side]!;
    const { beyond, likes } = PARAMETERS.confirmAfterMs;
    const untilMs = this.#timeOf(scene);
    if (untilMs - this.#timeOf(start) < beyond || !this.outlastsFlood(direction, scene)) return false;
    const track = this.#tracks[0]!;
    const isBeyond = sums.beyondRun >= PARAMETERS.recoveryRun;
    if (!isBeyond && untilMs - this.#timeOf(track.pending.onset(start, direction)) < likes) return false;
    return this.isShown(direction, start, scene);
  }

  /** Whether the season and the history since a scene can show a departure from the like pixels. */
  isShown(direction: -1 | 1, start: number, scene: number): boolean {
    if (direction > 0) return this.knowsSeasons(start);
    return !this.#tracks[0]!.like!.isDormant && !this.#isCommon(start, scene);
  }

  /**
   * Whether a fall is weather or the custom of a season that the history does not show: many like pixels have fallen as
   * low meanwhile. After a year it is no longer taken for that.
   */
  #isCommon(start: number, scene: number): boolean {
    const { pending, like } = this.#tracks[0]!;
    const sinceMs = this.#timeOf(scene) - this.#timeOf(start);
    return (
      sinceMs < PARAMETERS.confirmAfterMs.neighbourhood && like!.isCommonFall(start, scene, pending.latest)
    );
  }

  /**
   * Whether a departure from the like pixels is evidence for a larger group of neighbours, before it is plain.
   * @param isSuspected whether the pixel is suspected already
   */
  isEvident(direction: -1 | 1, scene: number, isSuspected: boolean): boolean {
    const { sums } = this.#statistics;
    const side = sideOf(direction);
    const { plainCusum, risenCusum } = PARAMETERS;
    if (sums.values[side]! <= (direction > 0 ? risenCusum : plainCusum) || !sums.isLow(direction))
      return false;
    const start = sums.began[side]!;
    const isBeyond = sums.beyondRun >= PARAMETERS.recoveryRun;
    if (direction < 0 && !this.#isFallEvident(start, isBeyond, isSuspected)) return false;
    const { beyond, within } = PARAMETERS.evidentAfterMs;
    const least = isBeyond ? beyond : within;
    if (this.#timeOf(scene) - this.#timeOf(start) < least || !this.outlastsFlood(direction, scene))
      return false;
    return this.isShown(direction, start, scene);
  }

  /**
   * Whether a fall may be evident on this cover. Floods and mowing of seasonal cover, and meadows in a dry summer, have
   * such evidence too. A fall to values that the ground had before must meet three conditions: it is as large as any that
   * is confirmed early, the history shows how seasons differ, and the fall is suspected already. This evidence opens no
   * suspicion, because one would stay open where nothing else shows a change.
   */
  #isFallEvident(start: number, isBeyond: boolean, isSuspected: boolean): boolean {
    if (!this.#baseline.range.isPerennial) return false;
    if (isBeyond) return true;
    if (!isSuspected || !this.knowsSeasons(start)) return false;
    return this.#statistics.sums.sizeOf(-1, PARAMETERS.deepFloors) > 0;
  }

  /** Whether the history before a scene is fitted and shows how seasons differ. */
  knowsSeasons(start: number): boolean {
    const { range, kind } = this.#baseline;
    return kind === 'harmonic' && range.lengthMs(start) >= PARAMETERS.fullHistoryMs;
  }

  /**
   * The largest fall that the latest season shows in a metric of greenness; null unless it shows one in each of several such
   * metrics, after a history that shows how seasons differ. One metric alone is no evidence: smoke and thin cloud lower it as
   * much. Its chance is the largest of these metrics.
   */
  seasonFall(scene: number, now: number): SeasonFall | null {
    const first = this.#tracks[0]!.traits;
    for (let m = 0; m < this.#tracks.length; m++) {
      const { like, traits, pending } = this.#tracks[m]!;
      if (like !== null && isShowing(traits, first) && !like.readSeason(scene, now, pending)) return null;
    }
    let largest: SeasonFall | null = null;
    let seen = 0;
    let chance = 0;
    for (const { like, traits } of this.#tracks) {
      const fall = like !== null && isShowing(traits, first) ? like.seasonFall() : null;
      if (fall === null) continue;
      if (fall.size === 0) return null;
      seen += 1;
      chance = Math.max(chance, fall.chance);
      if (largest === null || fall.size > largest.size) largest = fall;
    }
    return seen > 1 && this.knowsSeasons(largest!.onset) ? { ...largest!, chance } : null;
  }

  /** Whether the latest value of the first metric is that of open water. */
  isWater(scene: number): boolean {
    const { value, valueScene, traits } = this.#tracks[0]!;
    return valueScene === scene && traits.openWater !== undefined && value < traits.openWater;
  }

  /**
   * Whether a departure from the like pixels is not a fall to open water, or has lasted as long as a change of a metric
   * of water must: most floods drain sooner.
   */
  outlastsFlood(direction: -1 | 1, scene: number): boolean {
    if (direction > 0 || !this.isWater(scene)) return true;
    const start = this.#statistics.sums.began[0]!;
    return start !== NONE && this.#timeOf(scene) - this.#timeOf(start) >= PARAMETERS.confirmAfterMs.harmonic;
  }

  /** First scene of the observations that a departure from the like pixels withholds from the history; `NONE` if none. */
  heldFrom(now: number): number {
    const { values, began } = this.#statistics.sums;
    let from = NONE;
    for (let side = 0; side < 2; side++) {
      const its = began[side]!;
      if (values[side]! <= PARAMETERS.suspectCusum) continue;
      if (this.#timeOf(now) - this.#timeOf(its) >= PARAMETERS.recoveryWindowMs) continue;
      if (from === NONE || its < from) from = its;
    }
    return from;
  }

  #timeOf(scene: number): number {
    return this.#timesMs[scene]!;
  }
}
