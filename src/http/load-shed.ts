import type { FastifyRequest } from 'fastify';
import type { Allowance } from '../base/rate-limiter.ts';

/** Maximum number of calls in progress at once. With more calls, each call would take more than a second. */
const MAX_CALLS = 1000;
/** Maximum total size of the bodies of all calls in progress [bytes]. Each body is buffered before it is parsed. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const WAIT_S = 1; // value of `Retry-After` for a refused call [s]

declare module 'fastify' {
  interface FastifyRequest {
    /** Body size [bytes] that {@link LoadShed} has counted for the request; null while the request is not counted. */
    weight: number | null;
  }
}

/** Refuses new calls before the calls in progress exhaust the memory. */
export class LoadShed {
  readonly #bodyLimit: number;
  #calls = 0;
  #bytes = 0;

  /** @param bodyLimit maximum size of an accepted body [bytes]; a body of unknown size counts as this size */
  constructor(bodyLimit: number) {
    this.#bodyLimit = bodyLimit;
  }

  /** Counts a call as in progress until {@link leave}. Returns false without counting it when a maximum is reached. */
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

  /** Stops counting an answered call as in progress. Does nothing when the request is not counted. */
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
