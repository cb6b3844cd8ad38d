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
}
