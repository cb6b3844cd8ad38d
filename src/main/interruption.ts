import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const LAST_MS = 15_000; // for a database server that stops; the command ends all the same

/**
 * Ends a command that is told to stop as a signal would, but stops the database server first that it may have started:
 * nobody else would. What the command was doing is undone or gone on with as after a crash. A second signal ends it at
 * once. The service, which stops in order by itself, leaves it.
 */
export class Interruption {
  /** Whether a signal has come. */
  begun = false;
  #stop: () => Promise<void> = () => Promise.resolve();

  constructor() {
    for (const signal of SIGNALS) process.once(signal, this.#end);
  }

  /** Says what is stopped first. */
  readonly stopFirst = (stop: () => Promise<void>): void => {
    this.#stop = stop;
  };

  /** From now on signals are another's. */
  leave(): void {
    for (const signal of SIGNALS) process.off(signal, this.#end);
  }

  readonly #end = (signal: NodeJS.Signals): void => {
    const end = (): void => process.exit(128 + constants.signals[signal]); // as shells tell of a signal
    setTimeout(end, LAST_MS);
    this.begun = true;
    this.#stop().then(end, end);
  };
}
