/** Wakes one waiter; a ring that nobody waits for is kept until somebody does. */
export class Bell {
  #rung = false;
  #answer: () => void = () => {};

  ring(): void {
    this.#rung = true;
    this.#answer();
  }

  /** Until the bell rings, or for `ms` at most. */
  async wait(ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#answer = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#rung = false;
  }
}
