import type { FastifyRequest } from 'fastify';
import type { Allowance } from '../base/rate-limiter.ts';

/** Calls under way at once, at most: more would wait for over a second each. */
const MAX_CALLS = 1000;
/** Bodies under way at once, at most [bytes]: they are held whole until they are read. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const WAIT_S = 1; // after which a call that was shed may come again

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of its body that stand in the count of those under way; null: it is not counted, or no longer. */
    weight: number | null;
  }
}

/** Turns calls away before those under way take more memory than there is. */
export class LoadShed {
  readonly #bodyLimit: number;
  #calls = 0;
  #bytes = 0;

  /** @param bodyLimit largest body that is taken [bytes]; one whose length is not told counts as that */
  constructor(bodyLimit: number) {
    this.#bodyLimit = bodyLimit;
  }

  /** Counts a call in, until {@link leave}. False when there is no room: it is not counted then. */
  enter(request: FastifyRequest): boolean {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const told = coding === undefined ? Number(length ?? 0) : this.#bodyLimit;
    const weight = Math.min(told > 0 ? told : 0, this.#bodyLimit);
    if (this.#calls >= MAX_CALLS || this.#bytes + weight > MAX_BODY_BYTES) return false;
    this.#calls += 1;
    this.#bytes += weight;
    request.weight = weight;
    return true;
  }

  /** Counts a call out as it is answered; a second time does nothing. */
  leave(request: FastifyRequest): void {
    const { weight } = request;
    if (weight === null) return;
    request.weight = null;
    this.#calls -= 1;
    this.#bytes -= weight;
  }

  /** What a call that is turned away is told. */
  allowance(nowMs: number): Allowance {
    const resetAt = Math.ceil(nowMs / 1000) + WAIT_S;
    return {
      allowed: false,
      limit: MAX_CALLS,
      remaining: 0,
      resetAt,
      waitS: resetAt - Math.floor(nowMs / 1000),
    };
  }
}
