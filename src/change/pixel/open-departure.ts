// Long file: the statistics of a departure and the questions that are answered from them.
import * as evidence from './evidence.ts';
import { PARAMETERS } from '../parameters.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { NONE } from '../stack.ts';
import { DepartureSeason, YEAR_PARTS } from './departure-season.ts';
import type { Move } from './pixel-events.ts';
import { OwnLevel } from './own-level.ts';

/** One observation of an open departure. */
export interface DepartureStep {
  readonly timeMs: number;
  /** Joint residual [standard deviations] and residual of the first judged metric [noise floors]. */
  readonly deviation: number;
  readonly floors: number;
  /** Whether it is an outlier in the direction of the departure. */
  readonly isOutlier: boolean;
  /** Whether the history covers the season of the observation. */
  readonly isSupported: boolean;
  /** Whether the value is not custom; see `MetricTrack.isBeyond`. */
  readonly isBeyond: boolean;
}

/** What was known of a pixel when its departure was flagged. */
export interface DepartureGround {
  /** Whether the baseline was a seasonal fit. */
  readonly isHarmonic: boolean;
  /** Whether the metric follows the growing season. */
  readonly isYearly: boolean;
  /** Whether the cover was perennial. */
  readonly isPerennial: boolean;
  /** Length of the history before the departure [ms]. */
  readonly historyMs: number;
}

const NO_MOVE: Move = { residual: Number.NaN, value: Number.NaN };
const NO_GROUND: DepartureGround = { isHarmonic: false, isYearly: true, isPerennial: false, historyMs: 0 };

/** Statistics of a departure that has been flagged. One instance is reused for every departure of a thread. */
export class OpenDeparture {
  direction: -1 | 1 = -1;
  /** Scenes of the first anomaly, of the flag and of the confirmation. */
  start = NONE;
  flagged = NONE;
  confirmed = NONE;
  /** Scene since which the departure is plain, so that neighbours can confirm it; `NONE` if it is not. */
  sure = NONE;
  /** Scene since which a larger group of neighbours can confirm it; `NONE` if it was plain first or is neither. */
  evident = NONE;
  /** Highest log-odds since the departure was plain or confirmed. */
  peakOdds = 0;
  /** Number of outliers since the first anomaly, in seasons that the history covers. */
  outliers = 0;
  /** Scene of the first of the latest observations that are not low; `NONE` if the latest is low. */
  calmSince = NONE;
  /** What was known of the pixel at the flag. */
  ground = NO_GROUND;
  /** Time of the first anomaly at the flag [ms since the Unix epoch]. */
  #startMs = 0;
  /** Total duration of the periods in which consecutive observations were low [ms]. */
  departedMs = 0;
  /** Whether an earlier period, before normal observations, lasted as long as a change must. */
  #hasLasted = false;
  /** Number of consecutive observations that were low. */
  lowRun = 0;
  /** Time of the latest low observation [ms since the Unix epoch]. */
  lastLowMs = 0;
  /** Number of consecutive observations that were not low, apart from single low ones. */
  #calm = 0;
  readonly #season = new DepartureSeason();
  /** Level of the pixel compared with its own past, since the like pixels showed the departure plainly. */
  readonly level = new OwnLevel();
  /** Whether the departure is claimed because of the like pixels. */
  byLikes = false;
  /**
   * What the latest observation of each metric since the flag shows beside like pixels, in single precision; NaN without
   * one. The list is empty before the first comparison.
   */
  likeMoves: readonly Move[] = [];
  /** Number of observations since the confirmation, and of low ones. */
  #seenAfter = 0;
  #lowsAfter = 0;
  /** Number of observations, of low ones, and of those outside the range of the history. */
  #seen = 0;
  #lows = 0;
  #beyond = 0;
  /**
   * Number of observations after the flag in seasons that the history covers, and sums of their residuals in standard
   * deviations and in noise floors.
   */
  #judged = 0;
  #deviations = 0;
  #floors = 0;
  /** Moving average of the residuals in the direction of the departure, and maximum of this average [noise floors]. */
  #level = 0;
  #depth = 0;

  /**
   * Begins a departure.
   * @param startMs time of the first anomaly
   * @param step the observation that flagged it
   */
  open(
    direction: -1 | 1,
    start: number,
    flagged: number,
    outliers: number,
    startMs: number,
    step: DepartureStep,
    ground: DepartureGround,
  ): void {
    this.direction = direction;
    this.start = start;
    this.flagged = flagged;
    this.confirmed = NONE;
    this.sure = NONE;
    this.evident = NONE;
    this.peakOdds = 0;
    this.outliers = outliers;
    this.calmSince = NONE;
    this.ground = ground;
    this.#startMs = startMs;
    this.departedMs = step.timeMs - startMs;
    this.#hasLasted = false;
    this.lowRun = Math.max(1, outliers);
    this.lastLowMs = step.timeMs;
    this.#calm = 0;
    this.#season.clear();
    for (const timeMs of [startMs, (startMs + step.timeMs) / 2, step.timeMs])
      this.#season.sawLow(timeMs, direction * step.floors);
    this.#lows = Math.max(1, outliers);
    this.#seen = this.#lows;
    this.#beyond = step.isBeyond ? this.#lows : 0;
    this.#seenAfter = 0;
    this.#lowsAfter = 0;
    this.#judged = 0;
    this.#deviations = 0;
    this.#floors = 0;
    this.#level = direction * step.floors;
    this.#depth = this.#level;
    this.likeMoves = [];
    this.level.begin(0); // it is saved before it is compared: its state must not depend on an earlier pixel
  }

  /** Claims the departure because of the like pixels. @param size its size beside them [noise floors] */
  claimByLikes(size: number): void {
    if (!this.byLikes) this.level.begin(size);
    this.byLikes = true;
  }

  /** Keeps what the present observations show beside like pixels. */
  compare(tracks: readonly { readonly likeMove: Move | undefined }[]): void {
    this.likeMoves = tracks.map(({ likeMove }, m) =>
      likeMove === undefined ? (this.likeMoves[m] ?? NO_MOVE) : inSingle(likeMove),
    );
  }

  /** Counts an observation after the flag. */
  count(scene: number, step: DepartureStep): void {
    const { timeMs, deviation, floors, isOutlier, isSupported, isBeyond } = step;
    if (isOutlier && isSupported) this.outliers += 1;
    if (isSupported) {
      this.#judged += 1;
      this.#deviations += deviation;
      this.#floors += floors;
    }
    this.#seen += 1;
    this.#seenAfter += Number(this.confirmed !== NONE);
    const size = this.direction * floors;
    const isLow = size >= PARAMETERS.returnedShare * this.#depth;
    this.#level = evidence.updateEwma(this.#level, size);
    // After the confirmation a cloud must not raise what counts as low.
    if (this.confirmed === NONE) this.#depth = Math.max(this.#depth, this.#level);
    if (!isLow) {
      if (this.calmSince === NONE) this.calmSince = scene;
      this.lowRun = 0;
      this.#calm += 1;
      // What follows a normal period must be evidence by itself, unless the first period was plain.
      if (this.#calm === PARAMETERS.recoveryRun && !this.isEvident && this.confirmed === NONE)
        this.#restart();
      this.#season.sawNormal(timeMs);
      return;
    }
    this.#lows += 1;
    this.#lowsAfter += Number(this.confirmed !== NONE);
    if (isBeyond) this.#beyond += 1;
    this.lowRun += 1;
    if (this.confirmed === NONE || this.lowRun > 1) this.#calm = 0;
    if (this.lowRun > 1) {
      // One low observation may be a cloud that the mask missed. Two are a departure.
      this.departedMs += Math.min(timeMs - this.lastLowMs, PARAMETERS.maxStepMs);
      this.#season.sawLow(timeMs, size);
      this.#season.sawLow(this.lastLowMs, size);
      this.calmSince = NONE;
    }
    this.lastLowMs = timeMs;
  }

  #restart(): void {
    this.outliers = 0;
    this.#seen = 0;
    this.#lows = 0;
    this.#beyond = 0;
    this.#hasLasted ||= this.departedMs >= PARAMETERS.confirmAfterMs.beyond;
    this.departedMs = 0;
  }

  save(writer: StateWriter): void {
    this.#fields(writer);
  }

  load(reader: StateReader): void {
    this.#fields(reader);
  }

  /** Writes or reads the saved fields, always in the same order. */
  #fields(stream: StateStream): void {
    this.direction = stream.flag(this.direction > 0) ? 1 : -1;
    this.start = stream.scene(this.start);
    this.flagged = stream.scene(this.flagged);
    this.confirmed = stream.scene(this.confirmed);
    this.sure = stream.scene(this.sure);
    this.evident = stream.scene(this.evident);
    this.peakOdds = stream.double(this.peakOdds);
    this.outliers = stream.natural(this.outliers);
    this.calmSince = stream.scene(this.calmSince);
    this.ground = {
      isHarmonic: stream.flag(this.ground.isHarmonic),
      isYearly: stream.flag(this.ground.isYearly),
      isPerennial: stream.flag(this.ground.isPerennial),
      historyMs: stream.double(this.ground.historyMs),
    };
    this.#startMs = stream.double(this.#startMs);
    this.departedMs = stream.double(this.departedMs);
    this.#hasLasted = stream.flag(this.#hasLasted);
    this.lowRun = stream.natural(this.lowRun);
    this.lastLowMs = stream.double(this.lastLowMs);
    this.#calm = stream.natural(this.#calm);
    this.#season.fields(stream);
    this.level.fields(stream);
    this.byLikes = stream.flag(this.byLikes);
    const { likeMoves } = this;
    this.likeMoves = Array.from({ length: stream.natural(likeMoves.length) }, (_, m) => {
      const { residual, value } = likeMoves[m] ?? NO_MOVE;
      return { residual: stream.single(residual), value: stream.single(value) };
    });
    this.#seen = stream.natural(this.#seen);
    this.#seenAfter = stream.natural(this.#seenAfter);
    this.#lowsAfter = stream.natural(this.#lowsAfter);
    this.#lows = stream.natural(this.#lows);
    this.#beyond = stream.natural(this.#beyond);
    this.#judged = stream.natural(this.#judged);
    this.#deviations = stream.double(this.#deviations);
    this.#floors = stream.double(this.#floors);
    this.#level = stream.double(this.#level);
    this.#depth = stream.double(this.#depth);
  }

  /** Whether neighbours may have confirmed the departure: it is or was plain or evident. */
  get isEvident(): boolean {
    return this.sure !== NONE || this.evident !== NONE;
  }

  /** Whether the pixel is departed now: its moving average is at least half of what it was at most. */
  get isLow(): boolean {
    return this.#level >= PARAMETERS.returnedShare * this.#depth;
  }

  /** Whether the latest observations are normal, so that the departure may be over. */
  get isCalm(): boolean {
    return this.#calm >= PARAMETERS.recoveryRun;
  }

  /**
   * Whether the departure is over: normal again in the season in which it was low. A short one is over with a few
   * normal observations: it did not last through a season.
   */
  get isBack(): boolean {
    const { isYearly, isPerennial, historyMs } = this.ground;
    const isOpen = this.confirmed === NONE;
    // With a short history, seasonal cover that is green again is no loss, even in a bad year.
    if (isOpen && isYearly && !isPerennial && historyMs < PARAMETERS.fullHistoryMs)
      return this.#calm >= PARAMETERS.returnedRun;
    if (!this.isCalm) return false;
    const isBrief = !this.#hasLasted && this.departedMs < PARAMETERS.confirmAfterMs.beyond;
    if (!isYearly || (isOpen && !this.isEvident && isBrief)) return true;
    return this.#season.isNormalAgain(PARAMETERS.returnedShare * this.#depth);
  }

  /**
   * Whether the departure is a change of seasonality: low in some seasons and normal in others, of perennial cover
   * that fell or of seasonal cover that rose.
   */
  get isSeasonal(): boolean {
    const { isYearly, isPerennial } = this.ground;
    if (!isYearly || isPerennial !== this.direction < 0) return false;
    return this.#season.isPartOfYear(PARAMETERS.returnedShare * this.#depth);
  }

  /**
   * Whether a suspicion is reported: the pixel is departed now and not only waiting for the season of the departure. A
   * short history does not show what is usual in other seasons, so only a value that it never had is reported.
   */
  get isTold(): boolean {
    const { isHarmonic, isYearly, isPerennial } = this.ground;
    if (isHarmonic) return this.isLow;
    return !isYearly || (this.isBeyondCustom && isPerennial && this.isDeep);
  }

  /**
   * Whether the departure has lasted long enough to be confirmed.
   * @param nowMs time of the latest observation [ms since the Unix epoch]
   */
  hasLasted(nowMs: number): boolean {
    const { isHarmonic, isYearly, historyMs } = this.ground;
    const { neighbourhood, harmonic, beyond } = PARAMETERS.confirmAfterMs;
    const isFull = historyMs >= PARAMETERS.fullHistoryMs;
    const hasYear = historyMs >= PARAMETERS.minHarmonicSpanMs;
    if (isYearly && hasYear && this.isBeyondCustom && this.isDeep)
      return this.departedMs >= (isHarmonic && isFull ? beyond : harmonic);
    if (isHarmonic && (isFull || !isYearly) && this.departedMs >= harmonic) return true;
    const years = isHarmonic && !isFull ? 2 : 1;
    return nowMs - this.#startMs >= years * neighbourhood && this.isMostlyLow;
  }

  /** Whether the departure has been large enough for a claim without a full history. */
  get isDeep(): boolean {
    return this.#level >= PARAMETERS.deepFloors;
  }

  /** Whether fewer observations since the confirmation were low than a change of seasonality has low parts of the year. */
  get isMostlyNormal(): boolean {
    return this.#lowsAfter * YEAR_PARTS < PARAMETERS.seasonParts * this.#seenAfter;
  }

  /** Whether most observations since the first anomaly were low. */
  get isMostlyLow(): boolean {
    return this.#lows * 3 >= this.#seen * 2;
  }

  /**
   * Whether the departure is plain: three low observations in a row of perennial cover, large and outside the range of
   * the history.
   */
  get isPlain(): boolean {
    const { isYearly, historyMs } = this.ground;
    const isKnown = isYearly && historyMs >= PARAMETERS.fullHistoryMs;
    return isKnown && this.isBeyondCustom && this.isDeep && this.lowRun >= PARAMETERS.plainRun;
  }

  /** Whether most low observations are outside the range that the history shows in any season. */
  get isBeyondCustom(): boolean {
    return this.#beyond * 3 >= this.#lows * 2;
  }

  /**
   * Whether the departure has been so large and long since the flag that it is confirmed despite too few outliers.
   * @param rho lag-one autocorrelation of the residuals
   */
  isSustained(rho: number): boolean {
    const n = this.#judged;
    const error = Math.sqrt((n * (1 + rho)) / (1 - rho));
    return (
      n >= PARAMETERS.sustainedObservations &&
      this.direction * this.#floors >= PARAMETERS.sustainedFloors * n &&
      this.direction * this.#deviations >= PARAMETERS.sustainedSigmas * error
    );
  }
}

/** A move as it is saved, so that what goes on from a saved state is the same to the bit. */
function inSingle({ residual, value }: Move): Move {
  return { residual: Math.fround(residual), value: Math.fround(value) };
}
