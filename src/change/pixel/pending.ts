import type { Exchange, TrackArrays } from '../kernel/track-arrays.ts';
import { half } from '../state/half-precision.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { medianInPlace } from '../../numerics/median.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { Move } from './pixel-events.ts';
import type { FittedPart } from './seasonal-baseline.ts';

/** Baseline to whose history withheld observations are added. */
interface GrowingBaseline {
  clear(): void;
  add(scene: number, value: number, departure: number): void;
}

/** Observations of one pixel that are withheld from its history while a departure is open, in order of time. */
export class PendingObservations {
  count = 0;
  readonly scenes: Int32Array;
  readonly #values: Float64Array;
  /**
   * Observations minus their expected values, rescaled to the noise of a typical scene, in half precision; NaN where
   * there was no expected value.
   */
  readonly #departures: Float32Array;
  /**
   * Residuals, observed - expected; NaN where there was no expected value, and where `settle` has yet to compute
   * them.
   */
  readonly #residuals: Float32Array;
  /**
   * Part of the history from which `settle` computes the expected value: its observations `[from, to)`. `to` is 0 if it
   * has nothing to compute.
   */
  readonly #froms: Int32Array;
  readonly #tos: Int32Array;
  readonly #sorted: Float64Array;

  /** @param arrays where the observations are kept, if given */
  constructor(capacity: number, arrays?: TrackArrays) {
    this.scenes = arrays?.pendingScenes ?? new Int32Array(capacity);
    this.#values = arrays?.pendingValues ?? new Float64Array(capacity);
    this.#departures = arrays?.pendingDepartures ?? new Float32Array(capacity);
    this.#residuals = arrays?.pendingResiduals ?? new Float32Array(capacity);
    this.#froms = arrays?.pendingFroms ?? new Int32Array(capacity);
    this.#tos = arrays?.pendingTos ?? new Int32Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  clear(): void {
    this.count = 0;
  }

  /** Hands the number of observations to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    this.count = record.whole(this.count);
  }

  add(
    scene: number,
    value: number,
    departure: number,
    residual: number,
    part: FittedPart | null = null,
  ): void {
    this.scenes[this.count] = scene;
    this.#values[this.count] = value;
    this.#departures[this.count] = half(departure);
    this.#residuals[this.count] = residual;
    this.#froms[this.count] = part === null ? 0 : part.from;
    this.#tos[this.count] = part === null ? 0 : part.to;
    this.count += 1;
  }

  /** Computes the residuals that were not computed when their observations were added [metric unit]. */
  settle(residualOf: (scene: number, value: number, part: FittedPart) => number): void {
    for (let i = 0; i < this.count; i++) {
      const to = this.#tos[i]!;
      if (to === 0) continue;
      this.#residuals[i] = residualOf(this.scenes[i]!, this.#values[i]!, { from: this.#froms[i]!, to });
      this.#tos[i] = 0;
    }
  }

  /**
   * Saves the state, except the observed values: they stay in the pixel's series.
   * @param isWitness whether the observations are those of a witness. They have no departures, and some residuals may
   *   not be computed yet
   */
  save(writer: StateWriter, isWitness: boolean): void {
    writer.natural(this.count);
    for (let i = 0; i < this.count; i++) {
      writer.natural(this.scenes[i]!);
      if (!isWitness) writer.half(this.#departures[i]!);
      const to = this.#tos[i]!;
      if (isWitness) writer.natural(to);
      if (to > 0) writer.natural(this.#froms[i]!);
      else writer.single(this.#residuals[i]!);
    }
  }

  /** Loads the state that `save` saved. @param offset index of the pixel's first scene in `series` */
  load(reader: StateReader, series: ArrayLike<number>, offset: number, isWitness: boolean): void {
    this.count = reader.natural();
    for (let i = 0; i < this.count; i++) {
      const scene = reader.natural();
      this.scenes[i] = scene;
      this.#values[i] = series[offset + scene]!;
      if (!isWitness) this.#departures[i] = reader.half();
      const to = isWitness ? reader.natural() : 0;
      this.#tos[i] = to;
      if (to === 0) this.#residuals[i] = reader.single();
      else this.#froms[i] = reader.natural();
    }
  }

  /** Value of an observation [metric unit]. @param i its position */
  valueAt(i: number): number {
    return this.#values[i]!;
  }

  /** Value of the latest observation [metric unit]; NaN if there is none. */
  get latest(): number {
    return this.count === 0 ? Number.NaN : this.#values[this.count - 1]!;
  }

  /** Returns the position of the first observation at or after a scene. */
  indexOf(scene: number): number {
    let i = 0;
    while (i < this.count && this.scenes[i]! < scene) i += 1;
    return i;
  }

  /** Moves the first `until` observations to the history of a baseline, except those before position `from`. */
  releaseTo(baseline: GrowingBaseline, until: number, from: number): void {
    for (let i = from; i < until; i++) baseline.add(this.scenes[i]!, this.#values[i]!, this.#departures[i]!);
    if (until === this.count) {
      this.count = 0;
      return;
    }
    this.scenes.copyWithin(0, until, this.count);
    this.#values.copyWithin(0, until, this.count);
    this.#departures.copyWithin(0, until, this.count);
    this.#residuals.copyWithin(0, until, this.count);
    this.#froms.copyWithin(0, until, this.count);
    this.#tos.copyWithin(0, until, this.count);
    this.count -= until;
  }

  /**
   * Replaces the history of a baseline by the observations from position `from` on. Their departures are dropped,
   * because they are departures from the old history.
   */
  becomeHistory(baseline: GrowingBaseline, from: number): void {
    baseline.clear();
    for (let i = from; i < this.count; i++) baseline.add(this.scenes[i]!, this.#values[i]!, Number.NaN);
    this.count = 0;
  }

  /**
   * Returns the scene at which a departure most likely began, given its latest residuals: the one that separates
   * observations nearer to the expected value from observations nearer to the departed level (a change point by least
   * squares). An early small departure is therefore not taken for the beginning of a large one.
   * @param from first scene at which it may have begun
   * @param direction -1 for a fall, 1 for a rise
   * @param latest number of the latest residuals whose median is the departed level
   */
  onset(from: number, direction: -1 | 1, latest: number = PARAMETERS.plainRun): number {
    const start = this.indexOf(from);
    let n = 0;
    for (let i = this.count - 1; i >= start && n < latest; i--) {
      if (!Number.isNaN(this.#residuals[i]!)) this.#sorted[n++] = direction * this.#residuals[i]!;
    }
    const drop = medianInPlace(this.#sorted, n);
    let sum = 0;
    let best = Number.NEGATIVE_INFINITY;
    let onset = from;
    for (let i = this.count - 1; i >= start; i--) {
      const size = direction * this.#residuals[i]!;
      if (Number.isNaN(size)) continue;
      sum += Math.min(drop, size) - PARAMETERS.onsetLevel * drop;
      if (sum >= best) {
        best = sum;
        onset = this.scenes[i]!;
      }
    }
    return onset;
  }

  /**
   * Returns the first scene of the latest observations in a row that departed: those whose residuals are at least half of
   * the smaller one of the latest two. These two count in any case; NONE without observations.
   * @param direction -1 for a fall, 1 for a rise
   */
  departedSince(direction: -1 | 1): number {
    let least = Number.POSITIVE_INFINITY;
    let since = NONE;
    for (let i = this.count - 1, seen = 0; i >= 0; i--) {
      const size = direction * this.#residuals[i]!;
      if (Number.isNaN(size)) continue;
      if (seen < 2) least = Math.min(least, size);
      else if (size <= 0 || size < least / 2) break;
      since = this.scenes[i]!;
      seen += 1;
    }
    return since;
  }

  /** Returns the medians of the observations in the scenes `[from, until)`; NaN if none of them was judged. */
  moveBetween(from: number, until: number): Move {
    const [start, end] = [this.indexOf(from), this.indexOf(until)];
    return {
      residual: this.#median(this.#residuals, start, end),
      value: this.#median(this.#values, start, end),
    };
  }

  /** Median over those observations at positions `[start, end)` that were judged. */
  #median(of: Float32Array | Float64Array, start: number, end: number): number {
    let n = 0;
    for (let i = start; i < end; i++) {
      if (Number.isNaN(this.#residuals[i]!)) continue;
      this.#sorted[n] = of[i]!;
      n += 1;
    }
    return medianInPlace(this.#sorted, n);
  }
}
