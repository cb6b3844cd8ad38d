import type { EventLog, EventPosition } from './event-log.ts';
import type { Owner } from '../owner.ts';

const LOOK_MS = 500; // interval between two database queries while a reader waits

/** A reader that waits for events after a position. */
interface Waiter {
  readonly owner: Owner;
  readonly from: EventPosition;
  readonly wake: (isNews: boolean) => void;
}

/**
 * Notifies waiting readers of the event log about new events. One database query every half second serves all
 * readers of this process. Without readers there are no queries.
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

  /** Waits up to `ms` for an event of the owner after `from`. @returns false on timeout or abort */
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
        // The database is unreachable: the next query may succeed.
      }
      await new Promise((resolve) => setTimeout(resolve, this.#lookMs));
    }
    this.#looking = false;
  }
}
