import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { OpenNote } from './departure-sums.ts';
import * as evidence from './evidence.ts';
import type { JudgeBaseline } from './judge-baseline.ts';
import type { LikeClaims } from './like-claims.ts';
import type { SeasonFall } from './like-comparison.ts';
import type { MetricTrack } from './metric-track.ts';
import type { Emit } from './pixel-events.ts';
import { type RunningStatistics, sideOf } from './running-statistics.ts';

/**
 * Notes beside the state of a pixel that it departs from its like pixels, before the departure has lasted. Only neighbours
 * make a change of a note. The kernel knows no notes: the engine looks at each scene while one is open.
 */
export class PixelNotes {
  readonly #timesMs: Float64Array;
  readonly #tracks: readonly MetricTrack[];
  readonly #statistics: RunningStatistics;
  readonly #claims: LikeClaims;
  #pixel = 0;
  /** Whether a clear season may show a fall in the latest look, and the fall, once it is known. */
  #mayShow = false;
  #fall: SeasonFall | null | undefined;
  #emit: Emit = () => {};

  /**
   * @param timesMs acquisition times of the stack
   * @param tracks metrics of the pixel; the first is the one whose falls and rises are followed
   * @param statistics those of the pixel, which have its open notes
   */
  constructor(
    timesMs: Float64Array,
    tracks: readonly MetricTrack[],
    statistics: RunningStatistics,
    claims: LikeClaims,
  ) {
    this.#timesMs = timesMs;
    this.#tracks = tracks;
    this.#statistics = statistics;
    this.#claims = claims;
  }

  get #baseline(): JudgeBaseline {
    return this.#tracks[0]!.judge!;
  }

  /** Begins the next pixel. `emit` receives its notes, and what became of them. */
  begin(pixel: number, emit: Emit): void {
    this.#pixel = pixel;
    this.#emit = emit;
  }

  /** Whether a note is open. The kernel cannot end it. */
  get isOpen(): boolean {
    const { sums, twoSided } = this.#statistics;
    return sums.notes[0].isOpen || sums.notes[1].isOpen || twoSided.note.isOpen;
  }

  /** Closes all notes without an end. */
  close(): void {
    const { sums, twoSided } = this.#statistics;
    for (const note of sums.notes) note.close();
    twoSided.note.close();
  }

  /** Sees whether a clear season may show a fall, before the look becomes history, since the kernel has to stop before it. */
  look(): void {
    const { range, kind } = this.#baseline;
    this.#mayShow = this.#statistics.sums.isSeasonLow && kind === 'harmonic' && range.isPerennial;
    this.#fall = undefined;
  }

  /**
   * A fall of perennial cover that the looks of a clear season show; null without one. Cuts below clouds are seen so seldom,
   * or so mixed with forest, that their CUSUM is never plain. The latest look, and three looks in a row since it left 0, must
   * be as low: the kernel and calm pixels pass over other looks.
   */
  shownFall(scene: number, now: number): SeasonFall | null {
    if (!this.#mayShow || this.#fall !== undefined) return this.#fall ?? null;
    const isDry = this.#claims.follows(-1) && !this.#claims.isWater(scene);
    this.#fall = isDry && !this.#isCustom(scene) ? this.#claims.seasonFall(scene, now) : null;
    return this.#fall;
  }

  /**
   * Notes plain departures and changes of seasonality.
   * @param now scene at which the observations of a scene become known: the same or a later one
   * @param confirmed direction of the departure that is confirmed; 0 if none is
   */
  note(scene: number, now: number, confirmed: -1 | 0 | 1): void {
    this.#notePlain(-1, scene, now, confirmed < 0);
    this.#notePlain(1, scene, now, confirmed > 0);
    this.#noteSeasonality(scene, now);
  }

  /**
   * Notes that the pixel is evident early, once for each fall. Two observations may be clouds that the mask missed, so the
   * state of the pixel does not change: only neighbours make a change of the note.
   */
  noteEarly(scene: number, now: number): void {
    const { sums, odds } = this.#statistics;
    const start = sums.began[0]!;
    if (start === NONE || sums.noted >= start || !this.#claims.follows(-1) || !this.#isEarly(start, scene))
      return;
    const { pending } = this.#tracks[0]!;
    const since = pending.departedSince(-1);
    if (since === NONE || this.#timeOf(scene) - this.#timeOf(since) < PARAMETERS.earlyAfterMs) return;
    sums.noted = now;
    const firstAnomaly = pending.onset(start, -1, PARAMETERS.earlyRun);
    const moves = this.#tracks.map((track) => track.moveBetween(firstAnomaly, this.#timesMs.length));
    this.#emit({
      pixel: this.#pixel,
      direction: -1,
      status: 'rejected',
      firstAnomaly,
      flagged: now,
      confirmed: NONE,
      sure: NONE,
      evident: now,
      early: true,
      recovered: NONE,
      rejected: now,
      harmonic: true,
      seasonal: false,
      posterior: evidence.probability(odds[0]!),
      lastedMs: this.#timeOf(scene) - this.#timeOf(firstAnomaly),
      magnitude: moves[0]!.residual,
      moves,
    });
  }

  /**
   * Whether two observations in a row of perennial cover have fallen so far below like pixels that they are evidence for a
   * larger group of neighbours. The history must show how seasons differ: meadows fall as far in a dry summer.
   */
  #isEarly(start: number, scene: number): boolean {
    const { sums } = this.#statistics;
    if (sums.values[0]! <= PARAMETERS.suspectCusum || !sums.isLow(-1)) return false;
    if (sums.leastOfTwo(-1) < PARAMETERS.earlyFloors || !this.#baseline.range.isPerennial) return false;
    if (!this.#claims.outlastsFlood(-1, scene) || this.#isCustom(scene)) return false;
    return this.#claims.knowsSeasons(start) && this.#claims.isShown(-1, start, scene);
  }

  /**
   * Notes that a departure is plain beside like pixels before it has lasted, or what the year after the note has shown. The
   * state of the pixel does not change: only neighbours make a change of the note.
   * @param isConfirmed whether a departure in this direction is confirmed
   */
  #notePlain(direction: -1 | 1, scene: number, now: number, isConfirmed: boolean): void {
    const { sums } = this.#statistics;
    const side = sideOf(direction);
    const note = sums.notes[side];
    if (note.isOpen) {
      if (!note.isYearOld(this.#timesMs, scene)) this.#watchNote(direction, note, scene);
      else {
        this.#emitNote(direction, note, now, false);
        note.close();
      }
      return;
    }
    const start = sums.began[side]!;
    if (isConfirmed || start === NONE || sums.plainNoted[side]! >= start) return;
    if (!this.#claims.follows(direction)) return;
    const onset = this.#isPlain(direction, start, scene)
      ? this.#tracks[0]!.pending.onset(start, direction)
      : direction < 0
        ? this.shownFall(scene, now)?.onset
        : undefined;
    if (onset === undefined) return;
    sums.plainNoted[side] = now;
    note.open(now, onset);
    this.#emitNote(direction, note, now, false);
  }

  /** Whether a departure whose CUSUM left 0 in a scene is plain on this cover. */
  #isPlain(direction: -1 | 1, start: number, scene: number): boolean {
    const { sums } = this.#statistics;
    const { noteCusum, plainCusum, plainFloors } = PARAMETERS;
    const least = direction < 0 ? plainCusum : noteCusum[1];
    if (sums.values[sideOf(direction)]! <= least || !sums.isLow(direction)) return false;
    if (sums.sizeOf(direction, plainFloors) === 0) return false;
    return direction < 0 ? this.#isFallOfLevel(start, scene) : this.#isRiseOfSeason(start, scene);
  }

  /**
   * Whether cover that keeps its level has fallen. Floods and mowing of other cover have such evidence too. Where the history
   * is short or the evidence weak, cover that keeps its level in its growing season alone must have fallen by itself.
   */
  #isFallOfLevel(start: number, scene: number): boolean {
    const { range } = this.#baseline;
    const { isPerennial } = range;
    const least = isPerennial ? PARAMETERS.fullHistoryMs : PARAMETERS.sufficientHistoryMs;
    const isPlain =
      this.#statistics.sums.values[0]! > PARAMETERS.noteCusum[0] && range.lengthMs(start) >= least;
    if (isPerennial ? !isPlain : !range.keepsGrowing(scene)) return false;
    if (this.#claims.isWater(scene) || this.#isCustom(scene)) return false;
    if (!this.#claims.isShown(-1, start, scene)) return false;
    return isPlain || this.#tracks[0]!.like!.isLocalFall(start, scene);
  }

  /** Whether the ground had most of the fall of the latest look in the season of an earlier year too. */
  #isCustom(scene: number): boolean {
    const { like, pending, traits } = this.#tracks[0]!;
    const rest = (1 - PARAMETERS.customShare) * (like?.residual || 0); // NaN in an odd scene
    return this.#baseline.range.wasAsLow(scene, pending.latest - rest, pending, traits.sense);
  }

  /**
   * Whether greenness that follows the seasons has risen, as where a field becomes a forest, by a seasonal fit and 1.5 years
   * of history. With less, a harvest in another month has such evidence too.
   */
  #isRiseOfSeason(start: number, scene: number): boolean {
    const { range, kind } = this.#baseline;
    if (!this.#tracks[0]!.traits.seasonal || kind !== 'harmonic' || range.isPerennial) return false;
    return range.lengthMs(start) >= PARAMETERS.sufficientHistoryMs && !range.keepsGrowing(scene);
  }

  /**
   * Counts a look of the year after a note; for a fall one of its last part, by when a wood that grows again is nearly back.
   * A field that becomes a forest is as green as other fields in season, so its year counts as a whole.
   */
  #watchNote(direction: -1 | 1, note: OpenNote, scene: number): void {
    const { like, traits } = this.#tracks[0]!;
    if (direction < 0 && this.#timeOf(scene) - this.#timeOf(note.scene) < PARAMETERS.seasonAgainMs) return;
    const floors = (like?.residual ?? Number.NaN) / traits.noiseFloor;
    if (!Number.isNaN(floors)) note.see(direction * floors >= PARAMETERS.plainFloors);
  }

  /**
   * Notes that the pixel departs from like pixels on both sides, or that a noted one is back after a year. The state of the
   * pixel does not change: only neighbours make a change of the note.
   */
  #noteSeasonality(scene: number, now: number): void {
    const { twoSided } = this.#statistics;
    const { note } = twoSided;
    const emit = (): void => this.#emitNote(this.#baseline.range.isPerennial ? -1 : 1, note, now, true);
    if (!note.isOpen) {
      if (!this.#claims.follows(-1) || !this.#claims.follows(1) || !twoSided.isEvident(this.#timesMs, scene))
        return;
      if (!this.#knowsYears()) return;
      note.open(now, twoSided.began);
      emit();
      return;
    }
    if (!note.isYearOld(this.#timesMs, scene)) return;
    if (note.isBack(PARAMETERS.seasonParts)) emit();
    note.close();
    twoSided.clear();
  }

  /**
   * Whether the history before the sum of both sides left 0 can show a change of seasonality. Meadows that a moist year made
   * as green as woods are taken for perennial cover until the history has a dry year too: their sum begins anew, so that the
   * drought is not noted later either.
   */
  #knowsYears(): boolean {
    const { twoSided } = this.#statistics;
    const { range } = this.#baseline;
    const historyMs = range.lengthMs(twoSided.began);
    if (historyMs < PARAMETERS.sufficientHistoryMs) return false;
    if (historyMs >= PARAMETERS.fullHistoryMs || !range.isPerennial) return true;
    twoSided.clear();
    return false;
  }

  /**
   * Emits an open note, or its end, in which case `evident` is `NONE`. A note of a plain departure has the scene in which
   * it was made as `sure`, also when it ends; its end has the latest scene as `confirmed` if the pixel still departs.
   */
  #emitNote(direction: -1 | 1, note: OpenNote, now: number, seasonal: boolean): void {
    const { firstAnomaly, scene: flagged } = note;
    const isNew = flagged === now;
    const { odds } = this.#statistics;
    const moves = this.#tracks.map((track) => track.moveSince(firstAnomaly));
    this.#emit({
      pixel: this.#pixel,
      direction,
      status: 'rejected',
      firstAnomaly,
      flagged,
      confirmed: seasonal || isNew || note.isBack(PARAMETERS.plainParts) ? NONE : now,
      sure: seasonal ? NONE : flagged,
      evident: isNew ? now : NONE,
      early: true,
      recovered: NONE,
      rejected: now,
      harmonic: this.#baseline.kind === 'harmonic',
      seasonal,
      posterior: evidence.probability(Math.max(odds[0]!, odds[1]!)),
      lastedMs: this.#timeOf(now) - this.#timeOf(firstAnomaly),
      magnitude: moves[0]!.residual,
      moves,
    });
  }

  #timeOf(scene: number): number {
    return this.#timesMs[scene]!;
  }
}
