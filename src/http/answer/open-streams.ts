import type { FastifyReply } from 'fastify';
import { RateLimited } from '../../base/errors.ts';
import type { Principal } from '../../app/access/principal.ts';
import type { Clock } from '../../app/clock.ts';
import { OPEN_STREAMS } from '../../contract/limits.ts';

const WAIT_S = 60; // `Retry-After` of a refused stream; a fixed time, because the end of open streams is unknown

/** Counts the open event streams of each credential. */
export class OpenStreams {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(clock: Clock, most = OPEN_STREAMS) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Counts a stream until its connection ends. @throws RateLimited when the credential has too many open streams */
  enter({ keyId }: Principal, reply: FastifyReply): void {
    const open = this.#open.get(keyId) ?? 0;
    if (open >= this.#most) {
      const resetAt = Math.ceil(this.#clock.now() / 1000) + WAIT_S;
      reply.request.allowance = { allowed: false, limit: this.#most, remaining: 0, resetAt, waitS: WAIT_S };
      reply.header('Retry-After', WAIT_S);
      throw new RateLimited(
        `This credential has ${open} streams of events open, as many as it may: close those that nobody reads`,
        resetAt,
      );
    }
    this.#open.set(keyId, open + 1);
    // A connection that is already closed emits no further `close` event.
    if (reply.raw.closed) this.#leave(keyId);
    else reply.raw.once('close', () => this.#leave(keyId));
  }

  #leave(keyId: string): void {
    const open = this.#open.get(keyId)! - 1;
    if (open === 0) this.#open.delete(keyId);
    else this.#open.set(keyId, open);
  }
}
