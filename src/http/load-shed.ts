import type { FastifyRequest } from 'fastify';
import type { Allowance } from '../base/rate-limiter.ts';

/** Most calls under way at once: with more, each would wait for over a second. */
const MAX_CALLS = 1000;
/** Most bytes of bodies under way at once: a body is buffered whole before it is parsed. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const WAIT_S = 1; // `Retry-After` of a refused call

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of its body that are counted as under way; null: the request is not counted, or no longer. */
    weight: number | null;
  }
}

/** Refuses calls before those under way exhaust the memory. */
export class LoadShed {
  readonly #bodyLimit: number;
  #calls = 0;
  #bytes = 0;

  /** @param bodyLimit largest accepted body [bytes]; a body of unknown length counts as that many */
  constructor(bodyLimit: number) {
    this.#bodyLimit = bodyLimit;
  }

  /** Counts a call as under way, until {@link leave}. Returns false, and does not count it, when there is no room. */
  enter(request: FastifyRequest): boolean {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const declared = coding === undefined ? Number(length ?? 0) : this.#bodyLimit;
    const weight = Math.min(declared > 0 ? declared : 0, this.#bodyLimit);
    if (this.#calls >= MAX_CALLS || this.#bytes + weight > MAX_BODY_BYTES) return false;
    this.#calls += 1;
    this.#bytes += weight;
    request.weight = weight;
    return true;
  }

  /** Counts a call as answered; a second time does nothing. */
  leave(request: FastifyRequest): void {
    const { weight } = request;
    if (weight === null) return;
    request.weight = null;
    this.#calls -= 1;
    this.#bytes -= weight;
  }

  /** The allowance that a refused call reports. */
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
