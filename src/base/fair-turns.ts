/**
 * Spreads work over turns of the event loop, so that other work gets its turn in between. In each turn of the loop at
 * most a given number of works begin. Waiting works begin in a circle of their holders, one each.
 */
export class FairTurns {
  readonly #perTurn: number;
  readonly #waiting = new Map<string, (() => void)[]>();
  #left: number;
  #isScheduled = false;

  /** @param perTurn how many works begin in one turn of the event loop */
  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Runs `work` at once if this turn has room for it and nothing waits, otherwise in a later turn. */
  run(holder: string, work: () => void): void {
    if (this.#left > 0 && this.#waiting.size === 0) {
      this.#begin(work);
      return;
    }
    const queue = this.#waiting.get(holder);
    if (queue === undefined) this.#waiting.set(holder, [work]);
    else queue.push(work);
    this.#schedule();
  }

  /** Resolves when the holder's turn has come: see {@link run}. */
  turn(holder: string): Promise<void> {
    return new Promise((resolve) => this.run(holder, resolve));
  }

  #begin(work: () => void): void {
    this.#left--;
    this.#schedule();
    work();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#left = this.#perTurn;
      while (this.#left > 0 && this.#waiting.size > 0) this.#begin(this.#next());
      if (this.#waiting.size > 0) this.#schedule();
    });
  }

  /** Takes the next work of the holder whose turn it is, and puts the holder behind all others. */
  #next(): () => void {
    const [holder, queue] = this.#waiting.entries().next().value!;
    const work = queue.shift()!;
    this.#waiting.delete(holder);
    if (queue.length > 0) this.#waiting.set(holder, queue);
    return work;
  }
}
