// Long file: the state machine of a pixel; its transitions are read together.
import type { Exchange } from '../kernel/track-arrays.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import * as evidence from './evidence.ts';
import type { JudgeBaseline } from './judge-baseline.ts';
import { LikeClaims } from './like-claims.ts';
import type { MetricTrack } from './metric-track.ts';
import { type DepartureStep, OpenDeparture } from './open-departure.ts';
import type { Emit, PixelEvent } from './pixel-events.ts';
import { PixelNotes } from './pixel-notes.ts';
import { RunningStatistics, sideOf } from './running-statistics.ts';
import type { SceneEvidence } from './scene-evidence.ts';

/** State of a pixel: `watching` means that no departure is open. */
export type PixelState = 'watching' | 'suspected' | 'confirmed';
const STATES: readonly PixelState[] = ['watching', 'suspected', 'confirmed'];

/**
 * State machine of one pixel: flags a departure, confirms or rejects it, and ends a confirmed departure when the
 * pixel recovers. One instance is reused for every pixel of a thread.
 */
export class DepartureMonitor {
  state: PixelState = 'watching';
  /** Scene of the latest observation. */
  last = NONE;
  /** Number of histories that were begun since the monitor was constructed. */
  histories = 0;
  readonly statistics = new RunningStatistics();
  readonly #timesMs: Float64Array;
  readonly #tracks: readonly MetricTrack[];
  readonly #departure = new OpenDeparture();
  readonly #claims: LikeClaims;
  readonly notes: PixelNotes;
  /** The latest observation. One object is reused: a new one for each would be most of the garbage of a search. */
  readonly #step = {
    timeMs: 0,
    deviation: 0,
    floors: 0,
    isOutlier: false,
    isSupported: false,
    isBeyond: false,
  };
  #pixel = 0;
  #emit: Emit = () => {};

  /**
   * @param timesMs acquisition times of the stack
   * @param tracks metrics of the pixel; the first is the one whose falls and rises are followed
   */
  constructor(timesMs: Float64Array, tracks: readonly MetricTrack[]) {
    this.#timesMs = timesMs;
    this.#tracks = tracks;
    this.#claims = new LikeClaims(timesMs, tracks, this.statistics);
    this.notes = new PixelNotes(timesMs, tracks, this.statistics, this.#claims);
  }

  /** Whether the open departure is claimed because of the like pixels. */
  get isByLikes(): boolean {
    return this.state !== 'watching' && this.#departure.byLikes;
  }

  get #baseline(): JudgeBaseline {
    return this.#tracks[0]!.judge!;
  }

  /** Begins the next pixel. `emit` receives its events. */
  begin(pixel: number, emit: Emit): void {
    this.#pixel = pixel;
    this.#emit = emit;
    this.notes.begin(pixel, emit);
    this.last = NONE;
    this.#forget();
  }

  /** Emits the open departure, if there is one. */
  emitOpen(emit: Emit): void {
    this.#emit = emit;
    if (this.state === 'watching') return;
    const odds = this.statistics.odds[sideOf(this.#departure.direction)]!;
    const departure = this.#departure;
    // A suspicion that only waits for its season to come round again is reported as rejected, unless its neighbours may
    // have confirmed it. It is suspected again if the season is low again.
    const isOpen = this.state === 'suspected' && !departure.isEvident;
    if (isOpen && odds < evidence.FLAG_LOG_ODDS) this.#end('rejected', NONE, this.last);
    else if (!isOpen || (departure.isTold && this.#hasSeenYear)) this.#end(this.state, NONE, NONE);
  }

  /**
   * Whether the history before the departure covers a year, without which no suspicion of water is told: what floods every
   * winter is as wet as a new lake.
   */
  get #hasSeenYear(): boolean {
    if (this.#tracks[0]!.traits.phenomenon !== 'water') return true;
    return this.#departure.ground.historyMs >= PARAMETERS.minHarmonicHistoryMs;
  }

  /** Saves the state, except the state of the metrics. */
  save(writer: StateWriter): void {
    writer.scene(this.last);
    writer.byte(STATES.indexOf(this.state));
    this.statistics.save(writer);
    if (this.state !== 'watching') this.#departure.save(writer);
  }

  load(reader: StateReader): void {
    this.last = reader.scene();
    this.state = STATES[reader.byte()]!;
    this.statistics.load(reader);
    if (this.state !== 'watching') this.#departure.load(reader);
  }

  /** Whether the latest observations are evidence of a departure, even if it is weak. */
  get hasEvidence(): boolean {
    const { began } = this.statistics;
    return began[0] !== NONE || began[1] !== NONE;
  }

  /** Hands the state of a pixel that is watched to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    this.last = record.whole(this.last);
    this.statistics.exchange(record);
  }

  /** Records an observation. After a long gap a new history begins, because the place may have changed in the gap. */
  bridgeGap(scene: number): void {
    if (this.last !== NONE && this.#timesMs[scene]! - this.#timesMs[this.last]! > PARAMETERS.maxGapMs) {
      if (this.state === 'suspected') this.#end('rejected', NONE, scene);
      if (this.state === 'confirmed') this.#end('confirmed', NONE, NONE);
      this.#forget();
    }
    this.last = scene;
  }

  /** Adds the withheld observations to the history and clears the evidence. */
  release(): void {
    this.#learn();
    this.statistics.clear();
    // The kernel cannot stop at a scene in which it has done this, so no note may follow.
    this.statistics.twoSided.clear();
  }

  /** Ends a suspicion that can no longer be judged. @param now scene in which this becomes known */
  abandon(now: number): void {
    if (this.state !== 'suspected') return;
    this.#end('rejected', NONE, now);
    this.#reject(now);
  }

  /** Adds the withheld observations to the history. An indexed loop: an iterator for each observation is garbage. */
  #learn(): void {
    for (let m = 0; m < this.#tracks.length; m++) this.#tracks[m]!.release();
  }

  /** Updates the statistics with the evidence of a scene. */
  weigh(scene: number, { z, rho, isSeasonal, isSupported }: SceneEvidence): void {
    const { harmonic, neighbourhood } = PARAMETERS.shiftSigmas;
    const shift = isSeasonal ? harmonic : neighbourhood;
    this.statistics.update(scene, z, rho, shift, isSupported, this.state === 'watching');
  }

  /**
   * Updates the state from the statistics of a scene.
   * @param now scene at which this evidence becomes known: the same or a later scene
   * @param floors residual of the first judged metric [noise floors], negative for a fall of the first followed metric
   */
  decide(scene: number, now: number, seen: SceneEvidence, floors: number, isBeyond: boolean): void {
    if (this.state !== 'watching' && this.#departure.byLikes) this.#compareWithPast(scene);
    const step = this.#step;
    step.timeMs = this.#timeOf(scene);
    step.deviation = seen.z;
    step.floors = floors;
    step.isSupported = seen.isSupported;
    step.isBeyond = isBeyond;
    step.isOutlier = this.state !== 'watching' && this.statistics.outlier === this.#departure.direction;
    if (this.state === 'watching') this.#watch(now, step);
    else this.#departure.count(scene, step);
    if (this.state === 'suspected') this.#judge(scene, now, seen.rho);
    else if (this.state === 'confirmed') this.#awaitRecovery(now);
  }

  /**
   * Updates the state from what the like pixels show. A departure from them is evident or plain, so that its neighbours
   * may confirm it, or certain by itself.
   */
  decideByLikes(scene: number, now: number): void {
    const { sums } = this.statistics;
    const departure = this.#departure;
    if (this.state !== 'watching') departure.compare(this.#tracks);
    if (this.#isContradicted(scene)) {
      this.#end('rejected', NONE, now);
      this.#reject(now);
    }
    if (this.state === 'watching') this.#openByLikes(scene, now);
    else if (!departure.byLikes || (this.state === 'suspected' && departure.sure === NONE))
      this.#joinLikes(now);
    if (this.state !== 'confirmed') {
      this.#noteEvidence(scene, now);
      const isKnown = this.state === 'suspected' && departure.direction < 0 && departure.isEvident;
      if (!isKnown) this.notes.noteEarly(scene, now);
      this.#confirmShown(scene, now);
    }
    this.notes.note(scene, now, this.state === 'confirmed' ? departure.direction : 0);
    if (this.state !== 'suspected' || !departure.byLikes || departure.sure === NONE) return;
    const { direction } = departure;
    if (
      sums.values[sideOf(direction)]! > PARAMETERS.certainCusum &&
      sums.sizeOf(direction, PARAMETERS.certainFloors) > 0 &&
      this.#claims.outlastsFlood(direction, scene)
    ) {
      this.state = 'confirmed';
      departure.confirmed = now;
    }
  }

  /** Opens a departure that is evident beside the like pixels, or notes that an open suspicion is. */
  #noteEvidence(scene: number, now: number): void {
    const { sums, odds } = this.statistics;
    const departure = this.#departure;
    for (let side = 0; side < 2; side++) {
      const direction = side === 0 ? -1 : 1;
      if (this.state === 'suspected' && (departure.direction !== direction || departure.isEvident)) continue;
      if (
        !this.#claims.follows(direction) ||
        !this.#claims.isEvident(direction, scene, this.state !== 'watching')
      )
        continue;
      const size = sums.sizeOf(direction, PARAMETERS.plainFloors);
      if (size === 0) continue;
      if (this.state === 'watching') this.#openFrom(direction, sums.began[side]!, scene, now, size);
      departure.evident = now;
      departure.claimByLikes(size);
      departure.calmSince = NONE; // the latest observation is low, and the departure may begin after a calm one
      this.#dateAgain();
      departure.peakOdds = Math.max(departure.peakOdds, odds[side]!);
    }
  }

  /** Confirms a fall that a season shows too clearly for chance. It ends as another claim because of the like pixels. */
  #confirmShown(scene: number, now: number): void {
    const departure = this.#departure;
    if (this.state === 'suspected' && departure.direction > 0) return;
    const fall = this.notes.shownFall(scene, now);
    if (fall === null || fall.chance > PARAMETERS.seasonChance) return;
    if (this.state === 'watching') this.#openFrom(-1, fall.onset, scene, now, fall.size);
    departure.claimByLikes(fall.size);
    if (departure.sure === NONE) departure.sure = now;
    departure.peakOdds = Math.max(departure.peakOdds, this.statistics.odds[0]!);
    this.state = 'confirmed';
    departure.confirmed = now;
  }

  /** Opens a departure from the like pixels that began in a scene, of a given size [noise floors]. */
  #openFrom(direction: -1 | 1, start: number, scene: number, now: number, size: number): void {
    this.#open(direction, start, now, {
      timeMs: this.#timeOf(scene),
      deviation: 0,
      floors: direction * size,
      isOutlier: false,
      isSupported: false,
      isBeyond: false,
    });
    this.#departure.compare(this.#tracks);
  }

  /** Whether the like pixels plainly show the opposite of a suspicion that is not plain. */
  #isContradicted(scene: number): boolean {
    const departure = this.#departure;
    if (this.state !== 'suspected' || departure.byLikes || departure.isEvident) return false;
    const opposite = departure.direction < 0 ? 1 : -1;
    if (!this.#claims.follows(opposite) || !this.#claims.mayClaim(opposite, scene)) return false;
    return this.statistics.sums.sizeOf(opposite, PARAMETERS.plainFloors) > 0;
  }

  /** Opens a departure that is plain beside the like pixels. */
  #openByLikes(scene: number, now: number): void {
    const { sums, odds } = this.statistics;
    for (let side = 0; side < 2; side++) {
      const direction = side === 0 ? -1 : 1;
      if (!this.#claims.follows(direction) || !this.#claims.mayClaim(direction, scene)) continue;
      const size = sums.sizeOf(direction, PARAMETERS.plainFloors);
      if (size === 0) continue;
      this.#openFrom(direction, sums.began[side]!, scene, now, size);
      this.#departure.claimByLikes(size);
      this.#departure.sure = now;
      this.#dateAgain();
      this.#departure.peakOdds = Math.max(this.#departure.peakOdds, odds[side]!);
      return;
    }
  }

  /** Whether an open departure becomes plain beside the like pixels. One that was evident keeps its date. */
  #joinLikes(now: number): void {
    const { sums, odds } = this.statistics;
    const departure = this.#departure;
    const { direction } = departure;
    const side = sideOf(direction);
    if (!this.#claims.mayClaim(direction, now)) return;
    const size = sums.sizeOf(direction, PARAMETERS.plainFloors);
    if (size === 0) return;
    departure.claimByLikes(size);
    if (this.state === 'confirmed') return;
    if (departure.sure === NONE) {
      if (!departure.isEvident) this.#dateAgain();
      departure.sure = now;
    }
    departure.peakOdds = Math.max(departure.peakOdds, odds[side]!);
  }

  /** Compares the latest value of the first metric with the usual value of its season before the departure. */
  #compareWithPast(scene: number): void {
    const { value, valueScene, traits } = this.#tracks[0]!;
    if (valueScene !== scene) return;
    const fall = (value - this.#baseline.range.usual(scene)) / traits.noiseFloor;
    if (!Number.isNaN(fall)) this.#departure.level.saw(this.#timeOf(scene), this.#departure.direction * fall);
  }

  #watch(now: number, step: DepartureStep): void {
    const { fall, rise } = this.#tracks[0]!.traits;
    if (fall !== null && this.#flags(-1)) this.#suspect(-1, now, step);
    else if (rise !== null && this.#flags(1)) this.#suspect(1, now, step);
    else if (this.#isCalm() && !this.#holdsByLikes(now)) this.#learn();
  }

  /**
   * Whether the departure is over. One that the like pixels show is over after a year at the earliest, when the pixel is
   * also back at the level of its own past.
   */
  #isOver(now: number): boolean {
    const departure = this.#departure;
    if (!departure.isBack || !departure.byLikes) return departure.isBack;
    const sinceMs = this.#timeOf(now) - this.#timeOf(departure.start);
    return sinceMs > PARAMETERS.recoveryWindowMs && departure.level.isBack;
  }

  /** Whether a departure from the like pixels withholds the observations from the history. */
  #holdsByLikes(now: number): boolean {
    return this.#claims.heldFrom(now) !== NONE;
  }

  #flags(direction: -1 | 1): boolean {
    // With a short history, rises of a green index are not flagged. Mowing, ploughing, drought and haze lower the
    // index. The few observations of the history may all be low for such a reason, and a normal value then looks like
    // a rise.
    if (direction > 0 && this.#tracks[0]!.traits.seasonal && this.#baseline.kind === 'neighbourhood')
      return false;
    const { odds, run, ewma, began } = this.statistics;
    const side = sideOf(direction);
    // Not flagged while the evidence is below the limit, or after an interruption until the evidence begins again.
    if (odds[side]! < evidence.FLAG_LOG_ODDS || began[side] === NONE) return false;
    const isSeasonal = this.#baseline.kind === 'harmonic';
    // Green scenes of a season are comparable with each other. Scenes of shores, wet ground or speckle are not.
    const isComparable = !isSeasonal && this.#tracks[0]!.traits.seasonal;
    const { comparable, other } = PARAMETERS.flagRun;
    if (direction * run >= (isComparable ? comparable : other)) return true;
    return (
      isSeasonal &&
      odds[side]! >= evidence.CONFIRM_LOG_ODDS &&
      direction * ewma > evidence.ewmaLimit(this.#baseline.rho)
    );
  }

  /** Whether the latest observations show no sign of a change, so that they can be added to the history. */
  #isCalm(): boolean {
    const { odds, began } = this.statistics;
    // A short history does not cover the usual variation of the pixel, so all observations except departures are
    // added.
    if (this.#baseline.kind === 'neighbourhood') return began[0] === NONE && began[1] === NONE;
    return evidence.isSpent(Math.max(odds[0]!, odds[1]!));
  }

  #suspect(direction: -1 | 1, now: number, step: DepartureStep): void {
    const { firstOutlier, began } = this.statistics;
    const side = sideOf(direction);
    const start = firstOutlier[side] === NONE ? began[side]! : firstOutlier[side]!;
    this.#open(direction, start, now, step);
  }

  #open(direction: -1 | 1, start: number, now: number, step: DepartureStep): void {
    this.state = 'suspected';
    this.#departure.byLikes = false;
    const { kind, range } = this.#baseline;
    const { supportedRun } = this.statistics;
    this.#departure.open(direction, start, now, supportedRun, this.#timeOf(start), step, {
      isHarmonic: kind === 'harmonic',
      isYearly: this.#tracks[0]!.traits.seasonal,
      isPerennial: range.isPerennial,
      historyMs: range.lengthMs(start),
    });
  }

  /**
   * Confirms or rejects a suspected departure, or leaves it open.
   * @param seenRho lag-one autocorrelation of the evidence of the scene
   */
  #judge(scene: number, now: number, seenRho: number): void {
    const departure = this.#departure;
    const { direction } = departure;
    const side = sideOf(direction);
    const { odds, against, ewma } = this.statistics;
    const isForgotten = this.#timeOf(now) - departure.lastLowMs > PARAMETERS.suspicionWindowMs;
    if (this.#isOver(now) || isForgotten) {
      this.#end('rejected', NONE, now);
      this.#reject(now);
      return;
    }
    if (against[side]! > 0 || departure.lowRun < 2) return;
    if (
      direction < 0 &&
      this.#claims.isWater(scene) &&
      departure.departedMs < PARAMETERS.confirmAfterMs.harmonic
    )
      return;
    const isCertain = odds[side]! >= evidence.CONFIRM_LOG_ODDS;
    if (departure.sure === NONE && isCertain && departure.isPlain) {
      if (!departure.isEvident) this.#dateAgain();
      departure.sure = now;
    }
    if (departure.isEvident) departure.peakOdds = Math.max(departure.peakOdds, odds[side]!);
    const { kind, rho } = this.#baseline;
    const isSustained = kind === 'harmonic' && departure.isSustained(rho);
    const { isBeyondCustom } = departure;
    const enough = isBeyondCustom ? PARAMETERS.beyondOutliers : PARAMETERS.confirmOutliers;
    if (
      isCertain &&
      direction * ewma > evidence.ewmaLimit(seenRho) &&
      (departure.outliers >= enough || isSustained) &&
      departure.hasLasted(this.#timeOf(scene)) &&
      this.#isAgreed(side)
    ) {
      this.state = 'confirmed';
      departure.confirmed = now;
      // The date of a departure that its neighbours may have confirmed stays as it is.
      if (!departure.isEvident) this.#dateAgain();
      departure.peakOdds = Math.max(departure.peakOdds, odds[side]!);
    }
  }

  /**
   * Whether like pixels, where they are compared with the present observation, show the departure too. A departure that
   * they share is weather, or a fit that no longer holds.
   */
  #isAgreed(side: 0 | 1): boolean {
    const { like } = this.#tracks[0]!;
    if (like === null || Number.isNaN(like.residual)) return true;
    return this.statistics.sums.values[side]! > PARAMETERS.suspectCusum;
  }

  /** Estimates the scene of the first anomaly again, now that the size of the departure is known. */
  #dateAgain(): void {
    const departure = this.#departure;
    departure.start = this.#tracks[0]!.pending.onset(departure.start, departure.direction);
    departure.flagged = Math.max(departure.flagged, departure.start);
  }

  /** Ends a confirmed departure that has recovered, or that has lasted so long that it counts as the normal state. */
  #awaitRecovery(now: number): void {
    const odds = this.statistics.odds[sideOf(this.#departure.direction)]!;
    this.#departure.peakOdds = Math.max(this.#departure.peakOdds, odds);
    const stood = this.#timesMs[now]! - this.#timesMs[this.#departure.confirmed]!;
    const isYearOver = stood > PARAMETERS.recoveryWindowMs;
    const { isCalm, isLow, isMostlyNormal, ground } = this.#departure;
    if (this.#isOver(now) || (!this.#departure.byLikes && isYearOver && ground.isYearly && isMostlyNormal)) {
      this.#end('recovered', now, NONE);
      for (const track of this.#tracks) track.release(track.pending.count, this.#learnedFrom(track));
    } else if (isYearOver && !isCalm && isLow) {
      this.#end('confirmed', NONE, NONE);
      for (const track of this.#tracks) track.restart(this.#departure.start);
      this.notes.close();
    } else return;
    this.#settle();
  }

  /**
   * Returns to watching. Adds the withheld observations to the history. If there is evidence of a departure in the
   * opposite direction, or from the like pixels, the observations since this evidence began stay withheld.
   */
  #reject(now: number): void {
    const other = this.#departure.direction < 0 ? 1 : 0;
    const began = this.statistics.began[other]!;
    const heldFrom = this.#claims.heldFrom(now);
    const from = began === NONE ? heldFrom : heldFrom === NONE ? began : Math.min(began, heldFrom);
    for (const track of this.#tracks)
      track.release(
        from === NONE ? track.pending.count : track.pending.indexOf(from),
        this.#learnedFrom(track),
      );
    this.state = 'watching';
    this.#departure.flagged = NONE;
    if (from === NONE) this.statistics.clear();
    else if (began === NONE) this.statistics.clearOwn();
    else this.statistics.clearSide(1 - other);
  }

  /**
   * Position of the first withheld observation that becomes history when a departure is over. What a forest was while
   * it was burnt is not custom, and the forest would seem to rise after it.
   */
  #learnedFrom({ pending }: MetricTrack): number {
    const { confirmed, isEvident, ground, calmSince } = this.#departure;
    const isChange = confirmed !== NONE || isEvident;
    return isChange && ground.isYearly && ground.isPerennial ? pending.indexOf(calmSince) : 0;
  }

  /** Returns to watching and clears the evidence. */
  #settle(): void {
    this.state = 'watching';
    this.statistics.clear();
    this.statistics.twoSided.clear();
    this.#departure.flagged = NONE;
    this.#departure.confirmed = NONE;
  }

  /** Returns to watching and clears the evidence and the history. */
  #forget(): void {
    this.histories += 1;
    this.notes.close();
    for (let m = 0; m < this.#tracks.length; m++) this.#tracks[m]!.forget();
    this.#settle();
  }

  #timeOf(scene: number): number {
    return this.#timesMs[scene]!;
  }

  #end(status: PixelEvent['status'], recovered: number, rejected: number): void {
    const odds = this.statistics.odds[sideOf(this.#departure.direction)]!;
    const isPlain = this.#departure.confirmed !== NONE || this.#departure.isEvident;
    // If the departure has recovered, observations after the return to normal are not part of it.
    const until = recovered === NONE ? this.#timesMs.length : this.#departure.calmSince;
    const { start } = this.#departure;
    let moves = this.#tracks.map((track) => track.moveBetween(start, until));
    // The looks of a fall that a season shows may be history already, and those of a short history may not be judged.
    if (moves.every(({ residual }) => Number.isNaN(residual)))
      moves = moves.map((move, m) => this.#departure.likeMoves[m] ?? move);
    this.#emit({
      pixel: this.#pixel,
      direction: this.#departure.direction,
      status,
      firstAnomaly: this.#departure.start,
      flagged: this.#departure.flagged,
      confirmed: this.#departure.confirmed,
      sure: this.#departure.sure,
      evident: this.#departure.evident,
      early: false,
      recovered,
      rejected,
      harmonic: this.#departure.ground.isHarmonic,
      seasonal: recovered === NONE && rejected === NONE && this.#departure.isSeasonal,
      posterior: evidence.probability(isPlain ? this.#departure.peakOdds : odds),
      lastedMs: this.#timeOf(this.#lastBefore(until)) - this.#timeOf(this.#departure.start),
      magnitude: moves[0]!.residual,
      moves,
    });
  }

  /** Returns the latest observed scene of the departure that is before a given scene. */
  #lastBefore(until: number): number {
    let latest = this.#departure.start;
    for (const { pending } of this.#tracks) {
      const at = pending.indexOf(until) - 1;
      if (at >= 0) latest = Math.max(latest, pending.scenes[at]!);
    }
    return latest;
  }
}
