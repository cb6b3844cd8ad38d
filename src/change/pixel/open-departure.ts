import * as evidence from './evidence.ts';
import { PARAMETERS } from '../parameters.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { NONE } from '../stack.ts';

/** Statistics of a departure that has been flagged. One instance is reused for every departure of a thread. */
export class OpenDeparture {
  direction: -1 | 1 = -1;
  /** Scenes of the first anomaly, of the flag and of the confirmation. */
  start = NONE;
  flagged = NONE;
  confirmed = NONE;
  /** Scene since which no interruption has occurred; `NONE` while the departure is interrupted. */
  since = NONE;
  /** Highest log-odds since the confirmation. */
  peakOdds = 0;
  /** Number of outliers since the first anomaly, in seasons that the history covers. */
  outliers = 0;
  /**
   * Number of latest consecutive observations that were not outliers in this direction, and scene of the first one.
   */
  calm = 0;
  calmSince = NONE;
  /** Number of latest consecutive observations below half (`returnedShare`) of the largest size of the departure. */
  returned = 0;
  /** Whether the baseline was seasonal at the flag. */
  isHarmonic = false;
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

  /** Begins a departure. @param floors residual of the scene that flagged it [noise floors] */
  open(
    direction: -1 | 1,
    start: number,
    flagged: number,
    outliers: number,
    isHarmonic: boolean,
    floors: number,
  ): void {
    this.direction = direction;
    this.start = start;
    this.flagged = flagged;
    this.confirmed = NONE;
    this.since = start;
    this.peakOdds = 0;
    this.outliers = outliers;
    this.calm = 0;
    this.calmSince = NONE;
    this.returned = 0;
    this.isHarmonic = isHarmonic;
    this.#judged = 0;
    this.#deviations = 0;
    this.#floors = 0;
    this.#level = direction * floors;
    this.#depth = this.#level;
  }

  /**
   * Counts an observation after the flag.
   * @param deviation residual [standard deviations]
   * @param floors the same residual [noise floors]
   * @param isOutlier whether the observation is an outlier in the direction of the departure
   * @param isSupported whether the history covers the season of the observation
   * @param isInterrupted whether consecutive observations are evidence against the departure
   */
  count(
    scene: number,
    deviation: number,
    floors: number,
    isOutlier: boolean,
    isSupported: boolean,
    isInterrupted: boolean,
  ): void {
    if (isOutlier && isSupported) this.outliers += 1;
    if (isSupported) {
      this.#judged += 1;
      this.#deviations += deviation;
      this.#floors += floors;
    }
    const size = this.direction * floors;
    this.returned = size < PARAMETERS.returnedShare * this.#depth ? this.returned + 1 : 0;
    this.#level = evidence.updateEwma(this.#level, size);
    this.#depth = Math.max(this.#depth, this.#level);
    if (!isOutlier && this.calm === 0) this.calmSince = scene;
    this.calm = isOutlier ? 0 : this.calm + 1;
    if (isInterrupted) this.since = NONE;
    else if (this.since === NONE && isOutlier) this.since = scene;
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
    this.since = stream.scene(this.since);
    this.peakOdds = stream.double(this.peakOdds);
    this.outliers = stream.natural(this.outliers);
    this.calm = stream.natural(this.calm);
    this.calmSince = stream.scene(this.calmSince);
    this.isHarmonic = stream.flag(this.isHarmonic);
    this.#judged = stream.natural(this.#judged);
    this.#deviations = stream.double(this.#deviations);
    this.#floors = stream.double(this.#floors);
    this.returned = stream.natural(this.returned);
    this.#level = stream.double(this.#level);
    this.#depth = stream.double(this.#depth);
  }

  /** Whether a departure from a short history is over. A field that is green again is no loss, even in a bad year. */
  get isBack(): boolean {
    const enough = this.confirmed === NONE ? PARAMETERS.returnedRun : PARAMETERS.recoveryRun;
    return !this.isHarmonic && this.returned >= enough;
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
