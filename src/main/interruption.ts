import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const LAST_MS = 15_000; // maximum time for the database server to stop; then the command ends anyway

/**
 * Ends a command that receives a signal, with the exit code of the signal. If the command has started a database
 * server, stops the server first, which would otherwise keep running. The work of the command is rolled back or
 * resumed as after a crash. A second signal ends the command at once. The service shuts down in its own way and calls
 * {@link leave}.
 */
export class Interruption {
  /** Whether a signal has arrived. */
  begun = false;
  #stop: () => Promise<void> = () => Promise.resolve();

  constructor() {
    for (const signal of SIGNALS) process.once(signal, this.#end);
  }

  /** Sets the function that stops the database server after a signal, before the command ends. */
  readonly stopFirst = (stop: () => Promise<void>): void => {
    this.#stop = stop;
  };

  /** Stops handling signals. */
  leave(): void {
    for (const signal of SIGNALS) process.off(signal, this.#end);
  }

  readonly #end = (signal: NodeJS.Signals): void => {
    const end = (): void => process.exit(128 + constants.signals[signal]); // the exit code that shells use for a signal
    setTimeout(end, LAST_MS);
    this.begun = true;
    this.#stop().then(end, end);
  };
}
