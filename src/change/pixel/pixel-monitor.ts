import type { PixelBaseline } from './baseline.ts';
import * as evidence from './evidence.ts';
import { MetricTrack, type FollowedMetric } from './metric-track.ts';
import type { MetricTraits } from '../metric.ts';
import { OpenDeparture } from './open-departure.ts';
import { PARAMETERS } from '../parameters.ts';
import type { PixelEvent } from './pixel-events.ts';
import { SceneEvidence } from './scene-evidence.ts';
import type { StackSpec } from '../stack.ts';
import type { StateTape, StripTapes } from './state-tape.ts';
import { NONE, RunningStatistics, sideOf } from '../scene/statistics.ts';

/** Where a pixel stands: `watching` is below any flag. */
export type PixelState = 'watching' | 'suspected' | 'confirmed';
const STATES: readonly PixelState[] = ['watching', 'suspected', 'confirmed'];

/** What one observation led to; handed to a recorder after each one used. */
export interface Step {
  readonly scene: number;
  /** Position of the metric that value, expected, scale and baseline are of: the first that the scene shows. */
  readonly metric: number;
  readonly value: number;
  /** What was expected: the baseline plus the neighbourhood's departure from its own [metric unit]. */
  readonly expected: number;
  /** Standard deviation of the residual [metric unit], and the residual in it. */
  readonly scale: number;
  readonly z: number;
  readonly ewma: number;
  readonly ewmaLimit: number;
  /** Outliers in a row, negative for a fall, positive for a rise. */
  readonly run: number;
  /** Log-odds of a fall and of a rise. */
  readonly fallOdds: number;
  readonly riseOdds: number;
  /** State after the observation. */
  readonly state: PixelState;
  /** Counts histories of the pixel; another one has nothing to do with a departure from this one. */
  readonly history: number;
  /** Valid during the call only. */
  readonly baseline: PixelBaseline;
}

type Emit = (event: PixelEvent) => void;
type Recorder = (step: Step) => void;

/**
 * Follows one pixel after another through a stack, strictly in order of time: the state at a scene uses nothing later.
 * One instance is a workspace for all pixels of a thread.
 */
export class PixelMonitor {
  readonly #spec: StackSpec;
  readonly #tracks: readonly MetricTrack[];
  /** How each metric takes part in the evidence: 1 as the first does, -1 turned round, 0 not at all. */
  readonly #weights: readonly number[];
  readonly #evidence = new SceneEvidence();
  readonly #statistics = new RunningStatistics();
  #pixel = 0;
  #emit: Emit = () => {};
  #state: PixelState = 'watching';
  readonly #departure = new OpenDeparture();
  /** Scene of the latest observation. */
  #last = NONE;
  #histories = 0;

  /**
   * @param metrics the one whose falls and rises are followed first; those that speak for the same thing add their evidence,
   * all others only tell how they moved
   */
  constructor(spec: StackSpec, metrics: readonly FollowedMetric[]) {
    if (metrics.length === 0) throw new RangeError('there is no metric to follow');
    this.#spec = spec;
    const first = metrics[0]!.traits;
    this.#weights = metrics.map(({ traits }) =>
      traits.tells === first.tells ? traits.sense * first.sense : 0,
    );
    this.#tracks = metrics.map((metric, m) => new MetricTrack(spec, metric, this.#weights[m] === 0));
  }

  get #baseline(): PixelBaseline {
    return this.#tracks[0]!.baseline;
  }

  get #traits(): MetricTraits {
    return this.#tracks[0]!.traits;
  }

  /**
   * Follows one pixel from its first scene to its last.
   * @param series each metric's values from `offset` on, NaN where nothing was observed
   * @param emit takes each flagged departure as it ends, and the open one at the end
   * @param record takes each step, when given
   */
  follow(
    pixel: number,
    series: readonly (Float32Array | Float64Array)[],
    offset: number,
    emit: Emit,
    record?: Recorder,
  ): void {
    const times = this.#spec.timesMs.length;
    this.#begin(pixel, emit);
    for (let t = 0; t < times; t++) this.#look(t, series, offset + t, record);
    this.#tellOpen();
  }

  /**
   * As `follow`, from a scene on: takes the pixel up as it was left before it, and leaves it for the scenes to come.
   * @param tapes its state after the scenes before `from`, where there were any, and where it is to be kept after the last
   * @param emitOpen takes the departure that is open at the end, as it stands
   */
  resume(
    pixel: number,
    series: readonly (Float32Array | Float64Array)[],
    offset: number,
    from: number,
    { left, kept }: StripTapes,
    emit: Emit,
    emitOpen: Emit,
  ): void {
    this.#begin(pixel, emit);
    if (left !== undefined) this.#carry(left, series, offset, from);
    for (let t = from; t < this.#spec.timesMs.length; t++) this.#look(t, series, offset + t, undefined);
    if (kept !== undefined) this.#carry(kept, series, offset, this.#spec.timesMs.length);
    this.#emit = emitOpen;
    this.#tellOpen();
  }

  #begin(pixel: number, emit: Emit): void {
    this.#pixel = pixel;
    this.#emit = emit;
    this.#last = NONE;
    for (const track of this.#tracks) track.begin(pixel);
    this.#forget();
  }

  #tellOpen(): void {
    if (this.#state !== 'watching') this.#end(this.#state, NONE, NONE);
  }

  /** State of the pixel after the scenes before one, to or from a tape. */
  #carry(
    tape: StateTape,
    series: readonly (Float32Array | Float64Array)[],
    offset: number,
    scene: number,
  ): void {
    this.#last = tape.scene(this.#last);
    this.#state = STATES[tape.byte(STATES.indexOf(this.#state))]!;
    this.#statistics.carry(tape);
    if (this.#state !== 'watching') this.#departure.carry(tape);
    for (let m = 0; m < this.#tracks.length; m++) this.#tracks[m]!.carry(tape, series[m]!, offset, scene);
  }

  #look(
    scene: number,
    series: readonly (Float32Array | Float64Array)[],
    at: number,
    record: Recorder | undefined,
  ): void {
    let late = NONE;
    for (let m = 0; m < this.#tracks.length; m++)
      late = Math.max(late, this.#tracks[m]!.interpolation.receive(scene, series[m]![at]!));
    // What another metric has been judged after is past.
    if (late > this.#last) this.#observe(late, scene, record);
    this.#observe(scene, scene, record);
  }

  /** Takes in what was observed at a scene, as is known at scene `now`. */
  #observe(scene: number, now: number, record: Recorder | undefined): void {
    let seen = false;
    let told = NONE;
    this.#evidence.clear();
    for (let m = 0; m < this.#tracks.length; m++) {
      const track = this.#tracks[m]!;
      const value = track.interpolation.observationAt(scene);
      if (Number.isNaN(value)) continue;
      if (!seen) this.#bridgeGap(scene);
      seen = true;
      const verdict = track.look(scene, value);
      if (verdict === 'useless') continue;
      // Nothing is left that what was withheld departed from: it is history, as this is.
      if (verdict === 'kept' && track.baseline.isOutgrown && this.#state === 'watching') this.#giveBack();
      // What cannot be judged can only build history, and not while something is held back from it.
      const isOpen = this.#state !== 'watching' || track.pending.count > 0;
      if (verdict === 'kept' && !isOpen) track.baseline.add(scene, value, Number.NaN);
      else track.withhold(scene);
      if (verdict === 'kept' || this.#weights[m] === 0) continue;
      this.#evidence.add(track, this.#weights[m]!);
      if (told === NONE) told = m;
    }
    if (told !== NONE) this.#judgeScene(scene, now, told, record);
  }

  /** Lets go of what was held against the latest observations. */
  #giveBack(): void {
    for (const track of this.#tracks) track.pending.releaseTo(track.baseline);
    this.#statistics.clear();
  }

  #judgeScene(scene: number, now: number, first: number, record: Recorder | undefined): void {
    const told = this.#tracks[first]!;
    const statistics = this.#statistics;
    const { z, rho, isSeasonal, isSupported } = this.#evidence;
    const { harmonic, neighbourhood } = PARAMETERS.shiftSigmas;
    const shift = isSeasonal ? harmonic : neighbourhood;
    statistics.update(scene, z, rho, shift, isSupported, this.#state === 'watching');
    const { ewma, run } = statistics;
    const limit = evidence.ewmaLimit(rho);
    const fallOdds = statistics.odds[0]!;
    const riseOdds = statistics.odds[1]!;
    const floors = (this.#weights[first]! * told.residual) / told.traits.noiseFloor;
    if (this.#state === 'watching') this.#watch(now, floors);
    else this.#keepCount(scene, z, floors);
    if (this.#state === 'suspected') this.#judge(scene, now, limit);
    else if (this.#state === 'confirmed') this.#awaitRecovery(now);
    if (record === undefined) return;
    const state = this.#state;
    const { value, expected, scale, baseline } = told;
    record({
      scene,
      metric: first,
      value,
      expected,
      scale,
      z,
      ewma,
      ewmaLimit: limit,
      run,
      fallOdds,
      riseOdds,
      state,
      history: this.#histories,
      baseline,
    });
  }

  /** Starts afresh after a long gap: what the pixel was before it need not be what it was when the next scene came. */
  #bridgeGap(scene: number): void {
    const { timesMs } = this.#spec;
    if (this.#last !== NONE && timesMs[scene]! - timesMs[this.#last]! > PARAMETERS.maxGapMs) {
      if (this.#state === 'suspected') this.#end('rejected', NONE, scene);
      if (this.#state === 'confirmed') this.#end('confirmed', NONE, NONE);
      this.#forget();
    }
    this.#last = scene;
  }

  #watch(now: number, floors: number): void {
    const { fall, rise } = this.#traits;
    if (fall !== null && this.#flags(-1)) this.#suspect(-1, now, floors);
    else if (rise !== null && this.#flags(1)) this.#suspect(1, now, floors);
    else if (this.#isCalm()) for (const track of this.#tracks) track.pending.releaseTo(track.baseline);
  }

  #flags(direction: -1 | 1): boolean {
    // Mowing, ploughing, drought and haze lower a green index, so a few observations may lie low; none lie high for long.
    if (direction > 0 && this.#traits.seasonal && this.#baseline.kind === 'neighbourhood') return false;
    const { odds, run, ewma, began } = this.#statistics;
    const side = sideOf(direction);
    // What was interrupted has to begin again.
    if (odds[side]! < evidence.FLAG_LOG_ODDS || began[side] === NONE) return false;
    const isSeasonal = this.#baseline.kind === 'harmonic';
    // Green scenes of a season are comparable; a shore, wet ground and speckle are not the same twice.
    const isComparable = !isSeasonal && this.#traits.seasonal;
    const { comparable, other } = PARAMETERS.flagRun;
    if (direction * run >= (isComparable ? comparable : other)) return true;
    return (
      isSeasonal &&
      odds[side]! >= evidence.CONFIRM_LOG_ODDS &&
      direction * ewma > evidence.ewmaLimit(this.#baseline.rho)
    );
  }

  /** Whether nothing is held against the latest observations, so that they are history. */
  #isCalm(): boolean {
    const { odds, began } = this.#statistics;
    // A short history knows little of the pixel's own ups and downs: it learns from all that is not a departure.
    if (this.#baseline.kind === 'neighbourhood') return began[0] === NONE && began[1] === NONE;
    return evidence.isSpent(Math.max(odds[0]!, odds[1]!));
  }

  #suspect(direction: -1 | 1, now: number, floors: number): void {
    const { firstOutlier, began } = this.#statistics;
    const side = sideOf(direction);
    const start = firstOutlier[side] === NONE ? began[side]! : firstOutlier[side]!;
    this.#state = 'suspected';
    const isHarmonic = this.#baseline.kind === 'harmonic';
    this.#departure.open(direction, start, now, this.#statistics.supportedRun, isHarmonic, floors);
  }

  /** Counts outliers, calm and interruptions of an open departure. */
  #keepCount(scene: number, z: number, floors: number): void {
    const departure = this.#departure;
    const { outlier, against } = this.#statistics;
    const isOutlier = outlier === departure.direction;
    const isInterrupted = against[sideOf(departure.direction)]! >= PARAMETERS.restartAgainst;
    departure.count(scene, z, floors, isOutlier, this.#evidence.isSupported, isInterrupted);
  }

  /** Confirms or rejects a suspicion, or leaves it. */
  #judge(scene: number, now: number, limit: number): void {
    const departure = this.#departure;
    const { direction, since } = departure;
    const side = sideOf(direction);
    const { odds, against, ewma } = this.#statistics;
    const open = this.#timeOf(now) - this.#timeOf(departure.flagged);
    const isGivenUp = !departure.isHarmonic && open > PARAMETERS.suspicionWindowMs;
    const isNormal = against[side]! >= PARAMETERS.normalAgainst;
    if (odds[side]! < evidence.FLAG_LOG_ODDS || isNormal || departure.isBack || isGivenUp) {
      this.#end('rejected', NONE, now);
      this.#reject();
      return;
    }
    if (since === NONE || against[side]! > 0) return;
    const { kind, rho } = this.#baseline;
    const isSustained = kind === 'harmonic' && departure.isSustained(rho);
    if (
      odds[side]! >= evidence.CONFIRM_LOG_ODDS &&
      direction * ewma > limit &&
      (departure.outliers >= PARAMETERS.confirmOutliers || isSustained) &&
      this.#timeOf(scene) - this.#timeOf(since) >=
        PARAMETERS.confirmAfterMs[departure.isHarmonic ? 'harmonic' : 'neighbourhood']
    ) {
      this.#state = 'confirmed';
      departure.confirmed = now;
      departure.peakOdds = odds[side]!;
    }
  }

  /** Ends a confirmed departure by its recovery, or once it has stood for long enough to be the new normal. */
  #awaitRecovery(now: number): void {
    const odds = this.#statistics.odds[sideOf(this.#departure.direction)]!;
    this.#departure.peakOdds = Math.max(this.#departure.peakOdds, odds);
    const stood = this.#spec.timesMs[now]! - this.#spec.timesMs[this.#departure.confirmed]!;
    const isOver = odds < evidence.FLAG_LOG_ODDS || this.#departure.isBack;
    if (isOver && this.#departure.calm >= PARAMETERS.recoveryRun) {
      this.#end('recovered', now, NONE);
      for (const { pending, baseline } of this.#tracks) pending.releaseTo(baseline);
    } else if (stood > PARAMETERS.recoveryWindowMs) {
      this.#end('confirmed', NONE, NONE);
      for (const { pending, baseline } of this.#tracks)
        pending.becomeHistory(baseline, pending.indexOf(this.#departure.start));
    } else return;
    this.#settle();
  }

  /** Back to watching: what was withheld is history again, but for what speaks for a departure to the other side. */
  #reject(): void {
    const other = this.#departure.direction < 0 ? 1 : 0;
    const began = this.#statistics.began[other]!;
    for (const { pending, baseline } of this.#tracks)
      pending.releaseTo(baseline, began === NONE ? pending.count : pending.indexOf(began));
    this.#state = 'watching';
    this.#departure.flagged = NONE;
    if (began === NONE) this.#statistics.clear();
    else this.#statistics.clearSide(1 - other);
  }

  /** Back to watching, with no evidence. */
  #settle(): void {
    this.#state = 'watching';
    this.#statistics.clear();
    this.#departure.flagged = NONE;
    this.#departure.confirmed = NONE;
  }

  /** Back to watching, with no evidence and no history. */
  #forget(): void {
    this.#histories += 1;
    for (const track of this.#tracks) track.forget();
    this.#settle();
  }

  #timeOf(scene: number): number {
    return this.#spec.timesMs[scene]!;
  }

  #end(status: PixelEvent['status'], recovered: number, rejected: number): void {
    const odds = this.#statistics.odds[sideOf(this.#departure.direction)]!;
    // What came after the return to normal is no part of a departure that is over.
    const until = recovered === NONE ? this.#spec.timesMs.length : this.#departure.calmSince;
    const moves = this.#tracks.map((track) => track.moveBetween(this.#departure.start, until));
    this.#emit({
      pixel: this.#pixel,
      direction: this.#departure.direction,
      status,
      firstAnomaly: this.#departure.start,
      flagged: this.#departure.flagged,
      confirmed: this.#departure.confirmed,
      recovered,
      rejected,
      harmonic: this.#departure.isHarmonic,
      posterior: evidence.probability(this.#departure.confirmed === NONE ? odds : this.#departure.peakOdds),
      lastedMs: this.#timeOf(this.#lastBefore(until)) - this.#timeOf(this.#departure.start),
      magnitude: moves[0]!.residual,
      moves,
    });
  }

  /** Latest scene before one that was observed since the first anomaly. */
  #lastBefore(until: number): number {
    let latest = this.#departure.start;
    for (const { pending } of this.#tracks) {
      const at = pending.indexOf(until) - 1;
      if (at >= 0) latest = Math.max(latest, pending.scenes[at]!);
    }
    return latest;
  }
}
