import { PARAMETERS } from '../parameters.ts';
import { areShowing } from '../pixel/like-claims.ts';
import type { FollowedMetric } from '../pixel/metric-track.ts';
import { evidenceWeights } from '../pixel/pixel-monitor.ts';
import { loadEvent, type PixelEvent } from '../pixel/pixel-events.ts';
import { sceneFrame } from '../scene/scene-frame.ts';
import { isSeen, NONE, type PixelStrip, type StackSpec } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';
import { CalmMetric } from './calm-metric.ts';
import { CalmStatistics } from './calm-statistics.ts';

const CLIP = PARAMETERS.clip;

/**
 * Tells which pixels need not be followed through some new scenes, because nothing can have been flagged in them: the
 * saved state says that no departure is open, and upper bounds of the evidence of the new values stay below all limits.
 * The events of such a pixel are those of its state, to the bit. Its state stays the earlier one: it is followed from
 * there when it is no longer certain to be calm, or when the states of all pixels are saved.
 */
export class CalmPixels {
  readonly #spec: StackSpec;
  readonly #since: number;
  /** By metric; null for a witness. */
  readonly #metrics: readonly (CalmMetric | null)[];
  readonly #weights: readonly number[];
  /** Upper bounds of the evidence of the latest calm pixel. */
  readonly statistics: CalmStatistics;
  /** Bounds of the metrics with a value in a scene, turned like the first metric. */
  readonly #rises: Float64Array;
  readonly #falls: Float64Array;
  readonly #likeRises: Float64Array;
  readonly #likeFalls: Float64Array;

  /** @param since first new scene */
  constructor(spec: StackSpec, metrics: readonly FollowedMetric[], since: number) {
    this.#spec = spec;
    this.#since = since;
    this.statistics = new CalmStatistics(areShowing(metrics));
    this.#weights = evidenceWeights(metrics);
    this.#metrics = metrics.map((metric, m) =>
      this.#weights[m] === 0
        ? null
        : new CalmMetric(spec, metric, sceneFrame(spec, metric.context.levels, metric.traits.noiseFloor)),
    );
    this.#rises = new Float64Array(metrics.length);
    this.#falls = new Float64Array(metrics.length);
    this.#likeRises = new Float64Array(metrics.length);
    this.#likeFalls = new Float64Array(metrics.length);
  }

  /**
   * Passes over the next record if its pixel is certain to be calm, and adds the events of the record to `events`.
   * Otherwise the record is still the next one.
   * @param strips strips of each metric, which have the pixel at position `p`
   * @returns whether the pixel is calm. @throws RangeError when the record has other fields
   */
  passOver(
    pixel: number,
    strips: readonly PixelStrip[],
    p: number,
    left: StateReader,
    events: PixelEvent[],
  ): boolean {
    if (left.isAtRest) {
      left.beginRecord();
      const isCalm = this.#isCalmAnyway(strips, p, left);
      left.rewindRecord();
      if (isCalm) {
        left.skipRecord();
        return true;
      }
    }
    left.beginRecord();
    if (!this.#isCalm(pixel, strips, p, left)) {
      left.rewindRecord();
      return false;
    }
    for (let earlier = left.natural(); earlier > 0; earlier--) events.push(loadEvent(left));
    left.endRecord();
    return true;
  }

  /** Reads the state of a pixel up to its metrics. Returns its latest observed scene; -1 if the pixel is not calm. */
  #begin(left: StateReader): number {
    const { timesMs } = this.#spec;
    const last = left.scene();
    // After a long gap a new history begins.
    if (left.byte() !== 0 || last === NONE || timesMs.at(-1)! - timesMs[last]! > PARAMETERS.maxGapMs)
      return NONE;
    this.statistics.read(left);
    this.statistics.span(timesMs, this.#since);
    return last;
  }

  /** Whether a pixel is calm whatever its new values are, because they are few. */
  #isCalmAnyway(strips: readonly PixelStrip[], p: number, left: StateReader): boolean {
    const times = this.#spec.timesMs.length;
    const offset = p * times;
    let looks = 0;
    for (let t = this.#since; t < times; t++) if (isSeenIn(strips, offset + t)) looks += 1;
    if (looks > 1) return false;
    const last = this.#begin(left);
    if (last === NONE) return false;
    for (let m = 0; m < strips.length; m++) if (this.#isUnread(strips[m]!, p, last)) return false;
    this.statistics.limit(false, true, 0);
    this.statistics.add(CLIP, CLIP, CLIP, CLIP, Number.POSITIVE_INFINITY, 0, NONE);
    return this.statistics.isCalm;
  }

  #isCalm(pixel: number, strips: readonly PixelStrip[], p: number, left: StateReader): boolean {
    const since = this.#since;
    const times = this.#spec.timesMs.length;
    const offset = p * times;
    const last = this.#begin(left);
    if (last === NONE) return false;
    for (let m = 0; m < this.#metrics.length; m++) {
      const strip = strips[m]!;
      if (this.#isUnread(strip, p, last)) return false; // it may turn out to be observed
      const metric = this.#metrics[m]!;
      if (metric === null) skipWitness(left);
      else if (metric.read(left, pixel, strip.values, offset, since) > 1) return false;
    }
    for (let t = since; t < times; t++) this.#look(t, strips, offset + t);
    return this.statistics.isCalm;
  }

  /** Whether a strip has a value between the latest observed scene of a pixel and the first new one. */
  #isUnread(strip: PixelStrip, p: number, last: number): boolean {
    const offset = p * this.#spec.timesMs.length;
    if (last + 1 < (strip.since ?? 0)) strip.complete?.(p);
    return isSeen(strip.values, offset + last + 1, offset + this.#since);
  }

  /** Adds what a scene may have shown to the bounds of the evidence. */
  #look(scene: number, strips: readonly PixelStrip[], at: number): void {
    let n = 0;
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    let floors = 0;
    for (let m = 0; m < this.#metrics.length; m++) {
      const metric = this.#metrics[m]!;
      const value = strips[m]!.values[at]!;
      if (metric === null || !Number.isFinite(value)) continue;
      metric.look(scene, value);
      const isTurned = this.#weights[m]! < 0;
      this.#rises[n] = isTurned ? metric.fall : metric.rise;
      this.#falls[n] = isTurned ? metric.rise : metric.fall;
      this.#likeRises[n] = isTurned ? metric.likeFall : metric.likeRise;
      this.#likeFalls[n] = isTurned ? metric.likeRise : metric.likeFall;
      floors = Math.max(floors, isTurned ? metric.likeRiseFloors : metric.likeFallFloors);
      least = Math.min(least, metric.rho);
      most = metric.isSteady && most >= 0 ? Math.max(most, metric.rho) : NONE;
      n += 1;
    }
    if (n === 0) return;
    const first = this.#metrics[0]!;
    const statistics = this.statistics;
    statistics.limit(first.isSteady, first.traits.seasonal, first.rho);
    statistics.add(
      jointBound(this.#rises, n),
      jointBound(this.#falls, n),
      jointBound(this.#likeRises, n),
      jointBound(this.#likeFalls, n),
      floors,
      least,
      most,
    );
  }
}

/** Whether any metric has a value at a position of its series. */
function isSeenIn(strips: readonly PixelStrip[], at: number): boolean {
  for (let m = 0; m < strips.length; m++) if (Number.isFinite(strips[m]!.values[at]!)) return true;
  return false;
}

/**
 * Upper bound of the joint residual of some of `n` metrics, given that of each; see `SceneEvidence`. Sorts the bounds.
 */
function jointBound(bounds: Float64Array, n: number): number {
  for (let i = 1; i < n; i++) {
    const bound = bounds[i]!;
    let k = i;
    for (; k > 0 && bounds[k - 1]! < bound; k--) bounds[k] = bounds[k - 1]!;
    bounds[k] = bound;
  }
  let sum = 0;
  let largest = 0;
  for (let i = 0; i < n; i++) {
    const count = i + 1;
    sum += bounds[i]!;
    largest = Math.max(largest, sum / Math.sqrt(count + count * i * PARAMETERS.indexCorrelation));
  }
  return Math.min(PARAMETERS.clip, largest);
}

/** Skips the saved state of a witness; see `MetricTrack.save`. */
function skipWitness(left: StateReader): void {
  for (let sums = 0; sums < 6; sums++) left.natural();
  left.skipHistory(false);
  left.flag();
  left.natural();
  left.natural();
  left.flag();
  for (let pending = left.natural(); pending > 0; pending--) {
    left.natural();
    if (left.natural() === 0) left.single();
    else left.natural();
  }
}
