import type { Exchange } from '../kernel/track-arrays.ts';
import * as evidence from './evidence.ts';
import { DepartureSums, TwoSidedSum } from './departure-sums.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';

/** Returns the index of a direction in arrays of [fall, rise]. */
export function sideOf(direction: -1 | 1): 0 | 1 {
  return direction < 0 ? 0 : 1;
}

/**
 * Running statistics of one pixel's standardised residuals: EWMA, run of outliers and log-odds of a fall and of a
 * rise.
 */
export class RunningStatistics {
  /** Log-odds of [fall, rise]. */
  readonly odds = new Float64Array(2);
  /** Scene at which the evidence of [fall, rise] began; `NONE` if there is no evidence. */
  readonly began = new Int32Array(2);
  /** Scene of the first outlier since the evidence of [fall, rise] began; `NONE` if there was no outlier. */
  readonly firstOutlier = new Int32Array(2);
  /** Sum of the weights of the latest consecutive observations against [fall, rise]; see `speaksAgainst`. */
  readonly against = new Int32Array(2);
  ewma = 0;
  readonly sums = new DepartureSums();
  /** Evidence of a change of seasonality. `clear` leaves it: it lasts while suspicions come and go. */
  readonly twoSided = new TwoSidedSum();
  /** Number of consecutive outliers, negative for a fall, positive for a rise. */
  run = 0;
  /** Number of the outliers in `run` that are in a season that the history covers. */
  supportedRun = 0;
  /** Side on which the latest observation is an outlier: -1 below, 1 above, 0 none. */
  outlier = 0;
  /** Standardised residual of the latest observation. */
  #z = 0;

  clear(): void {
    this.clearOwn();
    this.sums.clear();
  }

  /** Clears all evidence except that of the like pixels. */
  clearOwn(): void {
    this.clearSide(0);
    this.clearSide(1);
    this.ewma = 0;
    this.run = 0;
    this.supportedRun = 0;
    this.outlier = 0;
    this.#z = 0;
  }

  save(writer: StateWriter): void {
    this.#fields(writer);
  }

  load(reader: StateReader): void {
    this.#fields(reader);
  }

  /** Hands the statistics to the kernel, or takes them back. */
  exchange(record: Exchange): void {
    for (let side = 0; side < 2; side++) {
      this.odds[side] = record.double(this.odds[side]!);
      this.began[side] = record.whole(this.began[side]!);
    }
    for (let side = 0; side < 2; side++) this.firstOutlier[side] = record.whole(this.firstOutlier[side]!);
    for (let side = 0; side < 2; side++) this.against[side] = record.whole(this.against[side]!);
    this.ewma = record.double(this.ewma);
    this.#z = record.double(this.#z);
    this.run = record.whole(this.run);
    this.supportedRun = record.whole(this.supportedRun);
    this.outlier = record.whole(this.outlier);
    this.sums.exchange(record);
    this.twoSided.exchange(record);
  }

  /** Writes or reads the saved fields, always in the same order. */
  #fields(stream: StateStream): void {
    for (let side = 0; side < 2; side++) {
      this.odds[side] = stream.double(this.odds[side]!);
      this.began[side] = stream.scene(this.began[side]!);
      this.firstOutlier[side] = stream.scene(this.firstOutlier[side]!);
      this.against[side] = stream.natural(this.against[side]!);
    }
    this.sums.fields(stream);
    this.twoSided.fields(stream);
    this.ewma = stream.double(this.ewma);
    this.run = stream.whole(this.run);
    this.supportedRun = stream.natural(this.supportedRun);
    this.outlier = stream.byte(this.outlier + 1) - 1;
    this.#z = stream.double(this.#z);
  }

  /** Clears the evidence of a fall (0) or a rise (1). */
  clearSide(side: number): void {
    this.odds[side] = evidence.PRIOR_LOG_ODDS;
    this.began[side] = NONE;
    this.firstOutlier[side] = NONE;
    this.against[side] = 0;
  }

  /**
   * Updates the statistics with one standardised residual.
   * @param rho correlation of the residual with the previous one
   * @param shift shift that a change is assumed to cause [standard deviations]
   * @param supported whether the history has an observation in the season of the scene
   * @param mayRestart whether to reset `began` of a side after enough consecutive observations against such a change
   */
  update(
    scene: number,
    z: number,
    rho: number,
    shift: number,
    supported: boolean,
    mayRestart: boolean,
  ): void {
    this.ewma = evidence.updateEwma(this.ewma, z);
    this.outlier = Math.abs(z) > PARAMETERS.outlierSigmas ? Math.sign(z) : 0;
    if (this.outlier === 0 || this.outlier * this.run < 0) {
      this.run = 0;
      this.supportedRun = 0;
    }
    this.run += this.outlier;
    if (this.outlier !== 0 && supported) this.supportedRun += 1;
    this.#weigh(0, -z, scene, rho, shift, mayRestart);
    this.#weigh(1, z, scene, rho, shift, mayRestart);
    this.#z = z;
  }

  #weigh(side: 0 | 1, z: number, scene: number, rho: number, shift: number, mayRestart: boolean): void {
    const before = side === 0 ? -this.#z : this.#z;
    const isFirst = this.began[side] === NONE;
    const odds = evidence.updateFromInnovation(this.odds[side]!, z, before, rho, shift, isFirst);
    const against = evidence.speaksAgainst(z, shift);
    this.odds[side] = odds;
    this.against[side] = Number(against > 0) * (this.against[side]! + against);
    const isOver = evidence.isSpent(odds) || (mayRestart && this.against[side] >= PARAMETERS.restartAgainst);
    if (isOver) {
      this.began[side] = NONE;
      this.firstOutlier[side] = NONE;
      return;
    }
    if (this.began[side] === NONE && against === 0) this.began[side] = scene;
    if (this.firstOutlier[side] === NONE && z > PARAMETERS.outlierSigmas) this.firstOutlier[side] = scene;
  }
}
