import { medianInPlace } from '../../numerics/median.ts';
import { SortedValues } from './sorted-values.ts';

/** More new departures than this, as of a loaded history, are not sorted: their median is selected. */
const MANY = 30;

/** Median size of the departures of a growing history. One instance is reused for every pixel of a thread. */
export class DepartureSizes {
  /** Number of departures whose median was computed last. */
  count = 0;
  readonly #sorted: SortedValues;
  /** Number of observations of the history from which `#sorted` was collected. */
  #sortedFrom = 0;
  readonly #selected: Float64Array;

  /** @param capacity largest number of departures */
  constructor(capacity: number) {
    this.#sorted = new SortedValues(capacity);
    this.#selected = new Float64Array(capacity);
  }

  /** Forgets the history. */
  clear(): void {
    this.#sorted.clear();
    this.#sortedFrom = 0;
  }

  /**
   * Median of the absolute departures in the first `until` scenes of a history; NaN if there is none. Since the last
   * `clear`, scenes may only have been appended.
   * @param departures by scene; NaN where there is none
   */
  median(departures: ArrayLike<number>, scenes: ArrayLike<number>, until: number): number {
    if (until - this.#sortedFrom > MANY) {
      const selected = this.#selected;
      let n = 0;
      for (let i = 0; i < until; i++) {
        const departure = departures[scenes[i]!]!;
        if (!Number.isNaN(departure)) selected[n++] = Math.abs(departure);
      }
      this.count = n;
      return medianInPlace(selected, n);
    }
    for (let i = this.#sortedFrom; i < until; i++) {
      const departure = departures[scenes[i]!]!;
      if (!Number.isNaN(departure)) this.#sorted.add(Math.abs(departure));
    }
    this.#sortedFrom = until;
    this.count = this.#sorted.count;
    return this.#sorted.median;
  }
}
