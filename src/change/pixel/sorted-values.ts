/**
 * A sorted list to which numbers can be added, so that their median is always available. One instance is reused for
 * every pixel of a thread.
 */
export class SortedValues {
  count = 0;
  readonly #values: Float64Array;

  constructor(capacity: number) {
    this.#values = new Float64Array(capacity);
  }

  clear(): void {
    this.count = 0;
  }

  /** Adds a number, which must not be NaN. */
  add(value: number): void {
    const values = this.#values;
    let i = this.count;
    for (; i > 0 && values[i - 1]! > value; i--) values[i] = values[i - 1]!;
    values[i] = value;
    this.count += 1;
  }

  /** The number at a rank, from 0 for the smallest. */
  at(rank: number): number {
    return this.#values[rank]!;
  }

  /** Median of the numbers; NaN if the list is empty. */
  get median(): number {
    const middle = this.count >> 1;
    if (this.count % 2 === 1) return this.#values[middle]!;
    return this.count === 0 ? Number.NaN : (this.#values[middle - 1]! + this.#values[middle]!) / 2;
  }

  /** Median of the absolute differences of the numbers from their own median; NaN if the list is empty. */
  deviationFrom(median: number): number {
    const { count } = this;
    if (count === 0) return Number.NaN;
    const values = this.#values;
    // The differences grow to both sides of the median. They are merged, the smallest first, up to the middle.
    const middle = count >> 1;
    let above = 0;
    while (above < count && values[above]! < median) above += 1;
    let below = above - 1;
    let [before, latest] = [0, 0];
    for (let i = 0; i <= middle; i++) {
      before = latest;
      const down = below >= 0 ? median - values[below]! : Number.POSITIVE_INFINITY;
      const up = above < count ? values[above]! - median : Number.POSITIVE_INFINITY;
      if (down < up) below -= 1;
      else above += 1;
      latest = Math.min(down, up);
    }
    return count % 2 === 1 ? latest : (before + latest) / 2;
  }
}
