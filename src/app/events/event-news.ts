import type { EventLog, EventPosition } from './event-log.ts';
import type { Owner } from '../owner.ts';

const LOOK_MS = 500; // between looks while somebody waits

/** One who waits for what follows a place. */
interface Waiter {
  readonly owner: Owner;
  readonly from: EventPosition;
  readonly wake: (isNews: boolean) => void;
}

/**
 * Tells readers of the event log when there is more for them. One question to the database every half second serves all
 * who wait in this process; nobody waits, nothing is asked.
 */
export class EventNews {
  readonly #log: EventLog;
  readonly #lookMs: number;
  readonly #waiters = new Set<Waiter>();
  #looking = false;

  constructor(log: EventLog, lookMs = LOOK_MS) {
    this.#log = log;
    this.#lookMs = lookMs;
  }

  /** Whether there is an event of this owner behind `from`; waits for one up to `ms`, or until the signal says stop. */
  async wait(owner: Owner, from: EventPosition, ms: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { promise, resolve: wake } = Promise.withResolvers<boolean>();
    const giveUp = (): void => wake(false);
    const waiter = { owner, from, wake };
    const timer = setTimeout(giveUp, ms);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#waiters.add(waiter);
    if (!this.#looking) void this.#look();
    const isNews = await promise;
    this.#waiters.delete(waiter);
    signal.removeEventListener('abort', giveUp);
    clearTimeout(timer);
    return isNews;
  }

  async #look(): Promise<void> {
    this.#looking = true;
    while (this.#waiters.size > 0) {
      const waiters = [...this.#waiters];
      try {
        for (const place of await this.#log.news(waiters)) waiters[place]!.wake(true);
      } catch {
        // The database is away: nothing new can be in it, and the next look may find it back.
      }
      await new Promise((resolve) => setTimeout(resolve, this.#lookMs));
    }
    this.#looking = false;
  }
}
