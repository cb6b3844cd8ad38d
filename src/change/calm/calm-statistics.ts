import { nextCusum } from '../scene/like-bank.ts';
import { PARAMETERS } from '../parameters.ts';
import * as evidence from '../pixel/evidence.ts';
import type { StateReader } from '../state/state-reader.ts';
import { NONE } from '../stack.ts';
import { OpenNote, TwoSidedSum } from '../pixel/departure-sums.ts';
import { ROUNDING } from './residual-bound.ts';

/** Allows for the rounding of the sum of both sides to single precision in each look. */
const SUM_ROUNDING = 1e-4;

const MAX_STEP = Math.log(PARAMETERS.maxProbability / (1 - PARAMETERS.maxProbability));

/** Upper bounds of the evidence of a change in one direction; see `RunningStatistics` and `DepartureSums`. */
class Side {
  /** Log-odds, number of outliers in a row, moving average, and CUSUM of the residuals from like pixels. */
  odds = 0;
  run = 0;
  ewma = 0;
  cusum = 0;
  /** Bound of the residual of the latest look. */
  z = 0;
}

/**
 * Upper bounds of the evidence of a pixel after each look that its new values may lead to. A value need not lead to a
 * look, because it may be interpolated or the scene may be of no use; so no look lowers a bound.
 */
export class CalmStatistics {
  readonly fall = new Side();
  readonly rise = new Side();
  /** Whether a note is open. */
  #hasNote = false;
  readonly #note = new OpenNote();
  /** What is saved of the sum of both sides, and its bound. */
  readonly #twoSided = new TwoSidedSum();
  #bothSides = 0;
  /** Whether several metrics may show a fall of a season. */
  readonly #areShowing: boolean;
  /** Whether three looks in a row were as low as such a fall since the CUSUM of falls left 0, by the saved state. */
  #isSeasonLow = false;
  /** Number of looks that were or may be as low: of the latest two of the saved state, and of those since. */
  #lows = 0;
  /** Whether a look since the saved state may be as low. */
  #mayBeLow = false;
  /** Whether the sum of both sides may have left 0 so long ago that it makes a note. */
  #mayNote = false;
  /** Least number of outliers in a row, and least limit of the EWMA, that would have flagged a departure. */
  #flagRun: number = PARAMETERS.flagRun.other;
  #ewmaLimit = Number.POSITIVE_INFINITY;

  /** @param areShowing whether several metrics may show a fall of a season */
  constructor(areShowing: boolean) {
    this.#areShowing = areShowing;
  }

  /** Reads what `RunningStatistics` saved. */
  read(reader: StateReader): void {
    const { fall, rise } = this;
    for (let side = 0; side < 2; side++) {
      const odds = reader.double();
      reader.scene();
      reader.scene();
      reader.natural();
      if (side === 0) fall.odds = odds;
      else rise.odds = odds;
    }
    fall.cusum = 0;
    rise.cusum = 0;
    this.#isSeasonLow = false;
    this.#lows = 0;
    this.#mayBeLow = false;
    const byte = reader.byte();
    this.#hasNote = byte >= 2;
    if ((byte & 2) !== 0) this.#note.fields(reader);
    if ((byte & 4) !== 0) this.#note.fields(reader);
    if ((byte & 1) === 0) {
      for (let side = 0; side < 2; side++) {
        const cusum = reader.double();
        reader.scene();
        const depth = reader.single();
        if (side === 0) {
          fall.cusum = cusum;
          this.#isSeasonLow = depth >= PARAMETERS.seasonFloors;
        } else rise.cusum = cusum;
      }
      reader.natural();
      for (let note = 0; note < 3; note++) reader.scene();
      reader.single(); // the look that is no longer one of the latest three after the next
      for (let i = 1; i < 3; i++) if (reader.single() <= -PARAMETERS.seasonFloors) this.#lows += 1;
    }
    this.#twoSided.fields(reader);
    this.#hasNote ||= this.#twoSided.note.isOpen;
    const ewma = reader.double();
    const run = reader.whole();
    reader.natural();
    reader.byte();
    const z = reader.double();
    fall.ewma = Math.max(0, -ewma);
    rise.ewma = Math.max(0, ewma);
    fall.run = Math.max(0, -run);
    rise.run = Math.max(0, run);
    fall.z = Math.max(0, -z);
    rise.z = Math.max(0, z);
    this.#flagRun = PARAMETERS.flagRun.other;
    this.#ewmaLimit = Number.POSITIVE_INFINITY;
    this.#bothSides = this.#twoSided.value;
    this.#mayNote = true;
  }

  /** Notes which scenes are new: the sum of both sides may have left 0 in the first of them, if it is 0 before it. */
  span(timesMs: Float64Array, since: number): void {
    const { began } = this.#twoSided;
    const sinceMs = timesMs[began === NONE ? since : began] ?? Number.POSITIVE_INFINITY;
    this.#mayNote = timesMs.at(-1)! - sinceMs >= PARAMETERS.seasonalAfterMs;
  }

  /**
   * Notes what the limits of a look may be.
   * @param isSteady whether the first metric is steady up to this look
   * @param isSeasonal whether it is seasonal
   * @param rho its lag-one autocorrelation
   */
  limit(isSteady: boolean, isSeasonal: boolean, rho: number): void {
    if (!isSteady && isSeasonal) this.#flagRun = PARAMETERS.flagRun.comparable;
    this.#ewmaLimit = Math.min(this.#ewmaLimit, evidence.ewmaLimit(isSteady ? rho : 0));
  }

  /**
   * Adds a look.
   * @param floors largest fall beside like pixels in any metric [noise floors]
   * @param least least autocorrelation that the evidence may have
   * @param most the largest; negative if they are not known
   */
  add(
    rise: number,
    fall: number,
    likeRise: number,
    likeFall: number,
    floors: number,
    least: number,
    most: number,
  ): void {
    const [riseBefore, fallBefore] = [this.rise.z, this.fall.z];
    next(this.rise, rise, fallBefore, likeRise, least, most);
    next(this.fall, fall, riseBefore, likeFall, least, most);
    const { cusumClip, seasonalSlack } = PARAMETERS;
    const size = Math.min(cusumClip, Math.max(likeRise, likeFall));
    this.#bothSides += Math.max(0, size - seasonalSlack);
    if (floors + ROUNDING < PARAMETERS.seasonFloors) return;
    this.#lows += 1;
    this.#mayBeLow = true;
  }

  /** Whether no departure can have been flagged, nor opened because of like pixels, and no note made or ended. */
  get isCalm(): boolean {
    if (this.#hasNote) return false;
    if (this.#mayNote && this.#bothSides + SUM_ROUNDING > PARAMETERS.seasonalCusum) return false;
    // The latest look must be low, and another one of three in a row for their median to be.
    const isLow = this.#mayBeLow && (this.#isSeasonLow || this.#lows > 1);
    if (this.#areShowing && isLow) return false;
    const { plainCusum, risenCusum, suspectCusum } = PARAMETERS;
    const mostFall = Math.min(plainCusum, suspectCusum);
    return this.#isCalm(this.fall, mostFall) && this.#isCalm(this.rise, Math.min(plainCusum, risenCusum));
  }

  /** @param mostCusum largest CUSUM that opens nothing */
  #isCalm({ odds, run, ewma, cusum }: Side, mostCusum: number): boolean {
    const noRun = run < this.#flagRun || odds + ROUNDING < evidence.FLAG_LOG_ODDS;
    const noShift = odds + ROUNDING < evidence.CONFIRM_LOG_ODDS || ewma + ROUNDING <= this.#ewmaLimit;
    return noRun && noShift && cusum + ROUNDING <= mostCusum;
  }
}

/** @param opposite bound of the residual of the look before, on the other side */
function next(side: Side, z: number, opposite: number, like: number, least: number, most: number): void {
  // A look may be left out, so the look before may be any earlier one; see `z` below.
  side.odds += stepOf(z, opposite, least, most);
  if (!(z <= PARAMETERS.outlierSigmas)) side.run += 1;
  side.ewma = Math.max(side.ewma, evidence.updateEwma(side.ewma, z));
  side.cusum = Math.max(side.cusum, nextCusum(side.cusum, like));
  side.z = Math.max(side.z, z);
}

/**
 * Upper bound of the step of the log-odds; see `updateFromInnovation`. The shift that a seasonal baseline assumes is
 * taken: all steady metrics have one.
 */
function stepOf(z: number, opposite: number, least: number, most: number): number {
  if (most < 0) return MAX_STEP;
  const shift = PARAMETERS.shiftSigmas.harmonic;
  const seen = z + most * opposite;
  const variance = 1 - most * most;
  const first = (shift * (seen - shift / 2)) / variance;
  const later = ((1 - least) * shift * (seen - ((1 - most) * shift) / 2)) / variance;
  const step = Math.max(0, first, later);
  return Number.isNaN(step) ? MAX_STEP : Math.min(MAX_STEP, step + ROUNDING);
}
