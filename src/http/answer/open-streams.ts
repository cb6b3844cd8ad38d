import type { FastifyReply } from 'fastify';
import { RateLimited } from '../../base/errors.ts';
import type { Principal } from '../../app/access/principal.ts';
import type { Clock } from '../../app/clock.ts';
import { OPEN_STREAMS } from '../../contract/limits.ts';

const WAIT_S = 60; // `Retry-After` of a refused stream; a fixed time, because the end of open streams is unknown

/** Counts the open event streams of each credential and of each account. */
export class OpenStreams {
  readonly #clock: Clock;
  readonly #most: { readonly credential: number; readonly account: number };
  readonly #open = new Map<string, number>();

  /** @param accountMost maximum number of open streams of an account; 0: unlimited */
  constructor(clock: Clock, accountMost: number, most = OPEN_STREAMS) {
    this.#clock = clock;
    this.#most = { credential: most, account: accountMost === 0 ? Infinity : accountMost };
  }

  /** Counts a stream until its connection ends. @throws RateLimited when there are too many open streams */
  enter({ keyId, accountId }: Principal, reply: FastifyReply): void {
    for (const [level, holder] of [
      ['credential', keyId],
      ['account', accountId],
    ] as const) {
      const open = this.#open.get(holder) ?? 0;
      const limit = this.#most[level];
      if (open < limit) continue;
      const resetAt = Math.ceil(this.#clock.now() / 1000) + WAIT_S;
      reply.request.allowance = { allowed: false, limit, remaining: 0, resetAt, waitS: WAIT_S };
      throw new RateLimited(
        `This ${level} has ${open} streams of events open, as many as it may: close those that nobody reads`,
        resetAt,
      );
    }
    for (const holder of [keyId, accountId]) this.#open.set(holder, (this.#open.get(holder) ?? 0) + 1);
    const leave = (): void => {
      for (const holder of [keyId, accountId]) this.#leave(holder);
    };
    // A connection that is already closed emits no further `close` event.
    if (reply.raw.closed) leave();
    else reply.raw.once('close', leave);
  }

  #leave(holder: string): void {
    const open = this.#open.get(holder)! - 1;
    if (open === 0) this.#open.delete(holder);
    else this.#open.set(holder, open);
  }
}
