import type { Agent } from 'undici';

type Undici = typeof import('undici');

/**
 * A client of undici that its first use opens. The package takes some 7 MB, and most processes make no request.
 */
export class LateClient {
  readonly #open: (undici: Undici) => Agent;
  #opened: Promise<Agent> | undefined;
  #isClosed = false;

  constructor(open: (undici: Undici) => Agent) {
    this.#open = open;
  }

  /** Returns the client. @throws Error when it was closed, or undici cannot be loaded */
  async use(): Promise<Agent> {
    if (this.#isClosed) throw new Error('the client of requests is closed');
    this.#opened ??= import('undici').then(this.#open);
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined; // the next use tries again
      throw error;
    }
  }

  /** Closes all connections. Pending requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#opened?.catch(() => undefined))?.destroy();
  }
}
