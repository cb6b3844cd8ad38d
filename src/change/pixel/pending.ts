import { half } from '../state/half-precision.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { medianInPlace } from '../../numerics/median.ts';
import type { Move } from './pixel-events.ts';
import type { FittedPart } from './seasonal-baseline.ts';

/** Baseline that withheld observations are released to. */
interface GrowingBaseline {
  clear(): void;
  add(scene: number, value: number, departure: number): void;
}

/** Observations of one pixel that are withheld from its history while a departure is open, in order of time. */
export class PendingObservations {
  count = 0;
  readonly scenes: Int32Array;
  readonly #values: Float64Array;
  /** Departure, scaled to a typical scene, in half precision; NaN where nothing was expected. */
  readonly #departures: Float32Array;
  /** Observed - expected; NaN where nothing was expected, and until `settle`. */
  readonly #residuals: Float32Array;
  /** Part of the history that the expectation is still to be computed from. */
  readonly #parts: (FittedPart | null)[] = [];
  readonly #sorted: Float64Array;

  constructor(capacity: number) {
    this.scenes = new Int32Array(capacity);
    this.#values = new Float64Array(capacity);
    this.#departures = new Float32Array(capacity);
    this.#residuals = new Float32Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  clear(): void {
    this.count = 0;
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
    this.#parts[this.count] = part;
    this.count += 1;
  }

  /** Computes the residuals [metric unit] that were put off. */
  settle(residualOf: (scene: number, value: number, part: FittedPart) => number): void {
    for (let i = 0; i < this.count; i++) {
      const part = this.#parts[i]!;
      if (part === null) continue;
      this.#residuals[i] = residualOf(this.scenes[i]!, this.#values[i]!, part);
      this.#parts[i] = null;
    }
  }

  /**
   * Saves its state; the values stay in the pixel's series.
   * @param isWitness whether they belong to a witness: without departures, and possibly with residuals that were put
   *   off
   */
  save(writer: StateWriter, isWitness: boolean): void {
    writer.natural(this.count);
    for (let i = 0; i < this.count; i++) {
      writer.natural(this.scenes[i]!);
      if (!isWitness) writer.half(this.#departures[i]!);
      const part = this.#parts[i]!;
      if (isWitness) writer.natural(part === null ? 0 : part.to);
      if (part !== null) writer.natural(part.from);
      else writer.single(this.#residuals[i]!);
    }
  }

  /** Loads its state. @param offset index of the pixel's first scene in `series` */
  load(reader: StateReader, series: ArrayLike<number>, offset: number, isWitness: boolean): void {
    this.count = reader.natural();
    for (let i = 0; i < this.count; i++) {
      const scene = reader.natural();
      this.scenes[i] = scene;
      this.#values[i] = series[offset + scene]!;
      if (!isWitness) this.#departures[i] = reader.half();
      const to = isWitness ? reader.natural() : 0;
      this.#parts[i] = to === 0 ? null : { from: reader.natural(), to };
      if (to === 0) this.#residuals[i] = reader.single();
    }
  }

  /** Position of the first observation at or after a scene. */
  indexOf(scene: number): number {
    let i = 0;
    while (i < this.count && this.scenes[i]! < scene) i += 1;
    return i;
  }

  /** Adds all before a position to the history of a baseline. */
  releaseTo(baseline: GrowingBaseline, until = this.count): void {
    for (let i = 0; i < until; i++) baseline.add(this.scenes[i]!, this.#values[i]!, this.#departures[i]!);
    if (until === this.count) {
      this.count = 0;
      return;
    }
    this.scenes.copyWithin(0, until, this.count);
    this.#values.copyWithin(0, until, this.count);
    this.#departures.copyWithin(0, until, this.count);
    this.#residuals.copyWithin(0, until, this.count);
    this.#parts.copyWithin(0, until, this.count);
    this.count -= until;
  }

  /**
   * Makes the observations from position `from` on the new history. Departures from the old history do not apply to
   * it.
   */
  becomeHistory(baseline: GrowingBaseline, from: number): void {
    baseline.clear();
    for (let i = from; i < this.count; i++) baseline.add(this.scenes[i]!, this.#values[i]!, Number.NaN);
    this.count = 0;
  }

  /** How the metric moved over the scenes `[from, until)`: medians, NaN where nothing was judged. */
  moveBetween(from: number, until: number): Move {
    const [start, end] = [this.indexOf(from), this.indexOf(until)];
    return {
      residual: this.#median(this.#residuals, start, end),
      value: this.#median(this.#values, start, end),
    };
  }

  /** Median of the positions `[start, end)` that were judged. */
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
