/**
 * Divides a capacity among holders by one rule: nobody may hold more than what is still free. A single greedy holder
 * thus reaches half of the capacity, two reach a third each, and something is always left for the next one. No holder
 * needs a quota of its own.
 * @see https://doi.org/10.1109/90.664262 dynamic thresholds (Choudhury & Hahne 1998), with a factor of 1
 */
export class Share {
  readonly capacity: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** What is still free; never negative. */
  get free(): number {
    return Math.max(0, this.capacity - this.#used);
  }

  held(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }

  /**
   * Returns whether a holder may take `amount` more, without taking it.
   * @param part the part of what is free that the holder may hold, in (0, 1]
   */
  has(holder: string, amount: number, part = 1): boolean {
    return this.held(holder) + amount <= this.free * part;
  }

  /** Takes an amount, even if it is more than the holder may have: see {@link has}. */
  take(holder: string, amount: number): void {
    this.#used += amount;
    this.#held.set(holder, this.held(holder) + amount);
  }

  /** Gives back an amount that was taken. */
  give(holder: string, amount: number): void {
    this.#used -= amount;
    const rest = this.held(holder) - amount;
    if (rest > 0) this.#held.set(holder, rest);
    else this.#held.delete(holder);
  }
}
