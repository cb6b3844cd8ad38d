/** Wakes one waiting caller. If no caller waits when the bell rings, the next call of `wait` returns at once. */
export class Bell {
  #rung = false;
  #answer: () => void = () => {};

  ring(): void {
    this.#rung = true;
    this.#answer();
  }

  /** Resolves when the bell rings, or after `ms` milliseconds if it has not rung by then. */
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
