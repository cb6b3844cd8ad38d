import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../app/access/principal.ts';
import type { Clock } from '../app/clock.ts';
import { CutOff, RateLimited, Unavailable } from '../base/errors.ts';
import { FairQueue, NoPlace } from '../base/fair-queue.ts';
import { Share } from '../base/share.ts';
import { withWaitLimit } from '../base/waiting/wait-limit.ts';
import { callerOf } from './caller.ts';
import type { ConnectionTable } from './connections/connection-table.ts';

/** Maximum number of calls in progress. With more, each call would take more than a second. */
const CALLS = 1000;
/** Maximum number of calls whose credential is being looked up or that ask for a token. */
const STRANGER_CALLS = 500;
/**
 * Number of these that are worked on at the same time, so that they leave database connections to the workers. The
 * others wait, and addresses take turns.
 */
const LOOK_UPS = 6;
/** Maximum time for which a call without a known caller waits for its turn [ms]. */
const LOOK_UP_WAIT_MS = 5_000;
/** Maximum total size of bodies being read and answers being sent [bytes]. */
const BYTES = 128 * 1024 * 1024;
/** Maximum total size of bodies that come without a valid credential [bytes]. */
const STRANGER_BYTES = 4 * 1024 * 1024;
/** Part of what an account may still have that one credential of the account may have. */
const CREDENTIAL_PART = 0.5;
const WAIT_S = 1; // value of `Retry-After` for a refused call [s]
const AWAY_WAIT_S = 5; // and for one that the database did not answer [s]
/** Maximum time for which a call waits for connections to the database, all of them together [ms]. */
const CONNECTIONS_WAIT_MS = 15_000;

/** Size from which an answer is counted until its caller has read it [bytes]. The socket buffers smaller ones. */
const LARGE_ANSWER_BYTES = 65_536;
/** Time in which a caller must have read a large answer: this, and a second for every so many bytes. */
const ANSWER_MS = 30_000;
const ANSWER_BYTES_PER_S = 16_384;

declare module 'fastify' {
  interface FastifyRequest {
    /** Body size [bytes] that {@link CallShares} counts for the call; null while the call is not counted. */
    held: number | null;
  }
}

/** Whether a call failed because the database gave it no connection, or ended it. */
export const isAway = (error: unknown): boolean => error instanceof Unavailable || error instanceof CutOff;

/** Does the work of a call, or a part of it, which waits for connections to the database for a bounded time. */
export function withinWaits<T>(work: () => T): T {
  return withWaitLimit(CONNECTIONS_WAIT_MS, work);
}

/**
 * Divides calls in progress and their bytes among accounts, and the part of an account among its credentials. Callers
 * without a valid credential have a small part of their own, which is divided among their addresses. Bytes count when
 * they arrive, not when they are announced. The shares are dynamic: see {@link Share}.
 */
export class CallShares {
  readonly #clock: Clock;
  readonly #connections: ConnectionTable | undefined;
  readonly #calls = { account: new Share(CALLS), credential: new Share(CALLS) };
  readonly #bytes = { account: new Share(BYTES), credential: new Share(BYTES) };
  readonly #strangers = { calls: new Share(STRANGER_CALLS), bytes: new Share(STRANGER_BYTES) };
  readonly #lookUps = new FairQueue(LOOK_UPS, 'calls in progress of this address', LOOK_UP_WAIT_MS);
  readonly #refused = new Map<string, number>();

  /** @param connections counts the connections; undefined for requests without one, in tests */
  constructor(clock: Clock, connections?: ConnectionTable) {
    this.#clock = clock;
    this.#connections = connections;
  }

  /** Counts a call of a known caller as in progress until {@link leave}. @throws RateLimited */
  enter({ accountId, keyId }: Principal, reply: FastifyReply): void {
    const { account, credential } = this.#calls;
    const level = account.has(accountId, 1)
      ? credential.has(keyId, 1, CREDENTIAL_PART)
        ? undefined
        : 'credential'
      : 'account';
    if (level !== undefined) {
      reply.header('Connection', 'close');
      const holder = level === 'account' ? accountId : keyId;
      throw this.refuse(reply.request, `calls in progress of this ${level}`, this.#calls[level].held(holder));
    }
    account.take(accountId, 1);
    credential.take(keyId, 1);
    reply.request.held = 0;
    // An account with too many connections is still answered, but has to connect again for its next call.
    if (this.#connections?.prove(reply.request.raw.socket, accountId) === false)
      reply.header('Connection', 'close');
  }

  /**
   * Counts a call of an unknown caller while `work` is done for it. Addresses take turns.
   * @throws RateLimited when its address has too many such calls in progress; NoPlace when it waited too long
   */
  async asStranger<T>(reply: FastifyReply, work: () => Promise<T>): Promise<T> {
    const { calls } = this.#strangers;
    const address = callerOf(reply.request.ip);
    if (!calls.has(address, 1))
      throw this.refuse(reply.request, 'calls in progress of this address', calls.held(address));
    calls.take(address, 1);
    try {
      return await this.#lookUps.with(address, () => withinWaits(work));
    } finally {
      calls.give(address, 1);
    }
  }

  /**
   * Counts bytes of a body that has arrived until the call is answered. Without a valid credential, the reader of the
   * body gives them back by {@link giveStrange}.
   * @param address the caller, which the request no longer knows once its connection is closed
   * @returns the refusal when the caller holds too many; the bytes are then not counted
   */
  holdBody(request: FastifyRequest, bytes: number, address = callerOf(request.ip)): RateLimited | undefined {
    const { principal } = request;
    if (principal === null) {
      if (!this.#strangers.bytes.has(address, bytes))
        return this.refuse(request, 'bytes held by this address', this.#strangers.bytes.held(address));
      this.#strangers.bytes.take(address, bytes);
      return undefined;
    }
    const { account, credential } = this.#bytes;
    const { accountId, keyId } = principal;
    if (!account.has(accountId, bytes))
      return this.refuse(request, 'bytes held by this account', account.held(accountId));
    if (!credential.has(keyId, bytes, CREDENTIAL_PART))
      return this.refuse(request, 'bytes held by this credential', credential.held(keyId));
    account.take(accountId, bytes);
    credential.take(keyId, bytes);
    request.held = (request.held ?? 0) + bytes;
    return undefined;
  }

  /** Stops counting bytes of a body that came without a valid credential. */
  giveStrange(address: string, bytes: number): void {
    this.#strangers.bytes.give(address, bytes);
  }

  /** Stops counting an answered call. Does nothing when the call is not counted. */
  leave(request: FastifyRequest): void {
    const { held, principal } = request;
    if (held === null || principal === null) return;
    request.held = null;
    const { accountId, keyId } = principal;
    this.#calls.account.give(accountId, 1);
    this.#calls.credential.give(keyId, 1);
    if (held > 0) this.#giveBytes(principal, held);
  }

  /**
   * Counts a large answer until its caller has read it, and closes the connection of a caller that reads too slowly.
   * The answer is counted even if it is more than the caller may hold; its next calls are then refused.
   */
  holdAnswer({ principal }: FastifyRequest, response: ServerResponse, bytes: number): void {
    if (principal === null || bytes < LARGE_ANSWER_BYTES || response.closed) return;
    this.#bytes.account.take(principal.accountId, bytes);
    this.#bytes.credential.take(principal.keyId, bytes);
    const late = setTimeout(() => response.destroy(), ANSWER_MS + (bytes / ANSWER_BYTES_PER_S) * 1000);
    late.unref();
    response.once('close', () => {
      clearTimeout(late);
      this.#giveBytes(principal, bytes);
    });
  }

  /**
   * Makes the refusal of a call that a share has no place for.
   * @param limit name of the limit, such as `calls in progress of this account`
   * @param held what the caller holds of it
   */
  refuse(request: FastifyRequest, limit: string, held: number): RateLimited {
    const message = `Too many ${limit}: ${held}, as many as there may be now; this call was not begun`;
    return this.#refuse(request, { limit, held, waitS: WAIT_S, message });
  }

  /** Returns the refusal that an error of a call means, where it had no place or the database was away; else the error. */
  asRefusal(error: unknown, request: FastifyRequest): unknown {
    if (error instanceof NoPlace) return this.refuse(request, error.limit, error.held);
    if (error instanceof Unavailable) return this.#refuseAway(request, request.operation?.isRead === false);
    return error instanceof CutOff ? this.#refuseAway(request, false) : error;
  }

  /**
   * Makes the refusal of a call that the database did not answer.
   * @param isOpen whether the call may have been carried out
   */
  #refuseAway(request: FastifyRequest, isOpen: boolean): RateLimited {
    const repeat = request.method === 'POST' ? ' Repeat it with the same Idempotency-Key.' : '';
    const unknown = isOpen ? ` The call may have been carried out.${repeat}` : '';
    const message = `The service is too busy, or its database is away: it did not answer in time. Try again later.${unknown}`;
    return this.#refuse(request, { limit: 'answers of the database', held: 0, waitS: AWAY_WAIT_S, message });
  }

  #refuse(
    request: FastifyRequest,
    {
      limit,
      held,
      waitS: afterS,
      message,
    }: Readonly<Record<'limit' | 'message', string> & Record<'held' | 'waitS', number>>,
  ): RateLimited {
    const resetAt = Math.ceil(this.#clock.now() / 1000) + afterS;
    const waitS = resetAt - Math.floor(this.#clock.now() / 1000);
    // A limit of 0 would be told as none.
    request.allowance = { allowed: false, limit: Math.max(1, held), remaining: 0, resetAt, waitS };
    this.#refused.set(limit, (this.#refused.get(limit) ?? 0) + 1);
    return new RateLimited(message, resetAt);
  }

  /** Counters for Prometheus. */
  metrics(): string {
    const lines = [...this.#refused].map(
      ([limit, count]) => `groundwatch_refused_total{limit="${limit}"} ${count}\n`,
    );
    return (
      '# HELP groundwatch_refused_total Calls that were refused because a share was used up.\n' +
      `# TYPE groundwatch_refused_total counter\n${lines.join('')}`
    );
  }

  #giveBytes({ accountId, keyId }: Principal, bytes: number): void {
    this.#bytes.account.give(accountId, bytes);
    this.#bytes.credential.give(keyId, bytes);
  }
}
