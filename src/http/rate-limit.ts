import type { FastifyReply } from 'fastify';
import { RateLimited } from '../base/errors.ts';
import type { Allowance, Budget, Limiter } from '../base/rate-limiter.ts';
import type { Principal } from '../app/access/principal.ts';
import type { Clock } from '../app/clock.ts';
import type { UsageMeter } from '../app/access/usage-meter.ts';
import { callerOf } from './caller.ts';

/** Maximum number of failed authentications per minute from one address. */
const FAILURES_PER_MINUTE = 600;

declare module 'fastify' {
  interface FastifyRequest {
    /** Units that the call has cost so far. */
    units: number;
  }
}

/** Result of a charge: a promise when rate limits are kept in Redis, void when they are kept in this process. */
type Done = void | Promise<void>;

/** Charges callers for their calls. The resulting allowance is stored in the request, and every answer reports it. */
export interface RateLimits {
  /** Takes one unit, the minimum cost of a call. @throws RateLimited when no unit is left */
  charge(principal: Principal, reply: FastifyReply): Done;
  /**
   * Raises the cost of a call to `units`, of which some are already taken.
   * @throws RateLimited when too few units are left; those that were taken are then given back
   */
  raise(principal: Principal, units: number, reply: FastifyReply): Done;
  /** Adds to the cost of a call for work that is done, even if too few units are left: see {@link Limiter.owe}. */
  owe(principal: Principal, units: number, reply: FastifyReply): Done;
  /**
   * Counts one token request of a client. A client may request as many tokens per minute as its rate limit has units.
   * A request that names the client without its secret is counted for the address of the caller instead, so that a
   * stranger cannot use up the requests of the client.
   * @throws RateLimited
   */
  chargeTokens(client: Principal, isProven: boolean, reply: FastifyReply): Done;
  /** Counts one failed authentication of an address. @throws RateLimited above the limit */
  chargeFailure(reply: FastifyReply): Done;
  /** Stores the allowance of an unauthenticated caller's address in the request, without charging anything. */
  showAddress(reply: FastifyReply): Done;
}

/**
 * @param accountUnits units per minute that all credentials of an account may use together; 0: unlimited
 */
export function rateLimits(
  limiter: Limiter,
  clock: Clock,
  usage: UsageMeter,
  accountUnits: number,
): RateLimits {
  const settle = (allowance: Allowance, reply: FastifyReply, what: string): void => {
    reply.request.allowance = allowance;
    if (allowance.allowed) return;
    const { limit, resetAt } = allowance;
    throw new RateLimited(
      `${what} are limited to ${limit} a minute; this call passes at ${new Date(resetAt * 1000).toISOString()}`,
      resetAt,
    );
  };
  const then = (result: Allowance | Promise<Allowance>, use: (allowance: Allowance) => void): Done =>
    result instanceof Promise ? result.then(use) : use(result);
  const accountOf = ({ accountId }: Principal): Budget => ({ key: accountId, limit: accountUnits });
  const chargeKey = (principal: Principal, units: number, paid: number, reply: FastifyReply): Done => {
    const { keyId, rateLimit, accountId } = principal;
    const taken = limiter.take(keyId, rateLimit, units, clock.now(), paid, accountOf(principal));
    return then(taken, (allowance) => {
      usage.spend(principal, allowance.allowed ? units - paid : -paid);
      reply.request.units = allowance.allowed ? units : 0;
      const what =
        allowance.key === accountId ? 'Units of this account, of all its credentials,' : 'Units of this key';
      settle(allowance, reply, what);
    });
  };
  return {
    charge: (principal, reply) => chargeKey(principal, 1, 0, reply),
    raise(principal, units, reply) {
      const paid = reply.request.units;
      return units > paid ? chargeKey(principal, units, paid, reply) : undefined;
    },
    owe(principal, units, reply) {
      if (units <= 0) return undefined;
      reply.request.units += units;
      usage.spend(principal, units);
      const { keyId, rateLimit } = principal;
      return then(limiter.owe(keyId, rateLimit, units, clock.now(), accountOf(principal)), (allowance) => {
        reply.request.allowance = allowance;
      });
    },
    chargeTokens(client, isProven, reply) {
      const { keyId, rateLimit, accountId } = client;
      const key = isProven ? `tokens ${keyId}` : `tokens ${keyId} ${addressKey(reply)}`;
      const limit = isProven || rateLimit > 0 ? rateLimit : FAILURES_PER_MINUTE;
      const above = isProven ? { key: `tokens ${accountId}`, limit: accountUnits } : undefined;
      return then(limiter.take(key, limit, 1, clock.now(), 0, above), (allowance) =>
        settle(allowance, reply, 'Tokens of this client'),
      );
    },
    chargeFailure: (reply) =>
      then(limiter.take(addressKey(reply), FAILURES_PER_MINUTE, 1, clock.now()), (allowance) =>
        settle(allowance, reply, 'Failed authentications of an address'),
      ),
    showAddress: (reply) =>
      then(limiter.take(addressKey(reply), FAILURES_PER_MINUTE, 0, clock.now()), (allowance) => {
        reply.request.allowance = allowance;
      }),
  };
}

const addressKey = (reply: FastifyReply): string => `address ${callerOf(reply.request.ip)}`;

/**
 * Value sent as the limit of an unlimited key, because neither family of headers has a value for "unlimited". It has
 * fewer than the 15 digits that RFC 9651 allows.
 */
const UNLIMITED = 999_999_999;

/**
 * Adds both families of headers: `X-RateLimit-*`, and the headers of draft-ietf-httpapi-ratelimit-headers. Adds
 * `Retry-After` for a refused call.
 */
export function allowanceHeaders(
  { allowed, limit, remaining, resetAt, waitS }: Allowance,
  head: (string | number)[],
): void {
  const [quota, left] = limit === 0 ? [UNLIMITED, UNLIMITED] : [limit, remaining];
  head.push(
    'X-RateLimit-Limit',
    quota,
    'X-RateLimit-Remaining',
    left,
    'X-RateLimit-Reset',
    resetAt,
    'RateLimit-Policy',
    `"default";q=${quota};w=60`,
    'RateLimit',
    `"default";r=${left};t=${waitS}`,
  );
  if (!allowed) head.push('Retry-After', waitS);
}
