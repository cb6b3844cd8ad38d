/** Maximum number of holders whose pace is remembered; the one that was slowed down longest ago is forgotten first. */
const HOLDERS = 20_000;

/**
 * Slows holders down to a pace. A burst passes without a delay; after that each step waits until the pace allows it.
 */
export class Pace {
  readonly #stepMs: number;
  readonly #burstMs: number;
  /** When the steps of each holder so far are paid off [ms, monotonic clock]. */
  readonly #paidAt = new Map<string, number>();

  /**
   * @param perSecond steps per second
   * @param burst steps that pass at once
   */
  constructor(perSecond: number, burst: number) {
    this.#stepMs = 1000 / perSecond;
    this.#burstMs = burst * this.#stepMs;
  }

  /** Counts a step of a holder. @returns how long it has to wait [ms]; 0 within the burst */
  step(holder: string, nowMs: number): number {
    const paidAt = Math.max(this.#paidAt.get(holder) ?? 0, nowMs) + this.#stepMs;
    this.#paidAt.delete(holder);
    this.#paidAt.set(holder, paidAt);
    if (this.#paidAt.size > HOLDERS) this.#paidAt.delete(this.#paidAt.keys().next().value!);
    return Math.max(0, paidAt - nowMs - this.#burstMs);
  }
}
