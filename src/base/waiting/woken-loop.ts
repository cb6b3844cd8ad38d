import { setTimeout as sleep } from 'node:timers/promises';
import { Bell } from './bell.ts';

/** A time that is up to a quarter longer or shorter each time [ms]. */
export const apart = (ms: number): number => ms * (0.75 + Math.random() / 2);

/** Work that is repeated when it is woken. */
export interface WokenLoop {
  /** Repeats the work soon: at once, or when the pause after the last time is over. */
  wake(this: void): void;
  /** Ends the repetition, and waits for running work. */
  stop(this: void): Promise<void>;
}

/** Options of {@link wokenLoop}. */
export interface WokenLoopOptions {
  /** @param stop is aborted by {@link WokenLoop.stop} */
  readonly work: (stop: AbortSignal) => Promise<unknown>;
  /** Called with what the work throws, which does not end the repetition. */
  readonly onError: (error: unknown) => void;
  /** Shortest pause between two times [ms]. */
  readonly paceMs: number;
  /**
   * Pause after which the work is repeated even if nothing wakes it [ms], with {@link apart}: loops that began together
   * would else ask the database at once, each over a connection that is opened for it.
   */
  readonly restMs: number;
}

/** Does work at once, then whenever it is woken, never twice at the same time. */
export function wokenLoop({ work, onError, paceMs, restMs }: WokenLoopOptions): WokenLoop {
  const bell = new Bell();
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await work(signal);
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      await sleep(paceMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await bell.wait(Math.max(0, apart(restMs) - paceMs));
    }
  };
  const running = run();
  return {
    wake: () => bell.ring(),
    stop: async () => {
      stopping.abort();
      bell.ring();
      await running;
    },
  };
}
