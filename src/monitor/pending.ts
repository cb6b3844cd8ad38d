import type { PixelBaseline } from './baseline.ts';
import { medianInPlace } from './median.ts';

/** Observations of one pixel that are withheld from its history while a departure is open, in order of time. */
export class PendingObservations {
  count = 0;
  readonly scenes: Int32Array;
  readonly #values: Float64Array;
  /** As in a typical scene; NaN where nothing was expected. */
  readonly #departures: Float64Array;
  /** Observed - expected; NaN likewise. */
  readonly #residuals: Float64Array;
  readonly #sorted: Float64Array;

  constructor(capacity: number) {
    this.scenes = new Int32Array(capacity);
    this.#values = new Float64Array(capacity);
    this.#departures = new Float64Array(capacity);
    this.#residuals = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  clear(): void {
    this.count = 0;
  }

  add(scene: number, value: number, departure: number, residual: number): void {
    this.scenes[this.count] = scene;
    this.#values[this.count] = value;
    this.#departures[this.count] = departure;
    this.#residuals[this.count] = residual;
    this.count += 1;
  }

  /** Position of the first observation at or after a scene. */
  indexOf(scene: number): number {
    let i = 0;
    while (i < this.count && this.scenes[i]! < scene) i += 1;
    return i;
  }

  /** Gives all to the history. */
  releaseTo(baseline: PixelBaseline): void {
    for (let i = 0; i < this.count; i++) {
      baseline.add(this.scenes[i]!, this.#values[i]!, this.#departures[i]!);
    }
    this.count = 0;
  }

  /** Makes what came from position `from` on the new history; departures from the old one mean nothing to it. */
  becomeHistory(baseline: PixelBaseline, from: number): void {
    baseline.clear();
    for (let i = from; i < this.count; i++) baseline.add(this.scenes[i]!, this.#values[i]!, Number.NaN);
    this.count = 0;
  }

  /** Median residual of positions `[from, to)`. */
  medianResidual(from: number, to: number): number {
    let n = 0;
    for (let i = from; i < to; i++) {
      const residual = this.#residuals[i]!;
      if (Number.isNaN(residual)) continue;
      this.#sorted[n] = residual;
      n += 1;
    }
    return medianInPlace(this.#sorted, n);
  }
}
