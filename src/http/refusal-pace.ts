import { Pace } from '../base/pace.ts';

/**
 * Refusals that one caller gets per second. A refusal takes the event loop as long as a small answer, so a caller that
 * is refused all the time would otherwise take it from others.
 */
const PER_SECOND = 100;
const BURST = 200; // refusals that a caller gets without a delay
const WAITING = 4_000; // maximum number of refusals that wait, of all callers together

/** Delays the refusals of callers that are refused very often, so that they call again later. */
export class RefusalPace {
  readonly #pace = new Pace(PER_SECOND, BURST);
  #waiting = 0;

  /**
   * Calls `refuse` now or later.
   * @param caller the account, or the address of a caller without a valid credential
   * @param onFull called before `refuse` when too many refusals wait, so that this one does not wait
   */
  refuse(caller: string, refuse: () => void, onFull: () => void): void {
    const waitMs = this.#pace.step(caller, performance.now());
    if (waitMs === 0) {
      refuse();
      return;
    }
    if (this.#waiting >= WAITING) {
      onFull();
      refuse();
      return;
    }
    this.#waiting++;
    setTimeout(() => {
      this.#waiting--;
      refuse();
    }, waitMs);
  }
}
