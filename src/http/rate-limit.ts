import type { FastifyReply } from 'fastify';
import { RateLimited } from '../app/errors.ts';
import type { Allowance, RateLimiter } from '../app/gcra.ts';
import type { Clock, Principal } from '../app/ports.ts';

/** Failed authentications a minute that one address may make. */
const FAILURES_PER_MINUTE = 600;

/** Charges callers for what they do; what is left to them stands in the request until every answer tells it. */
export interface RateLimits {
  /** Takes the one unit that any call costs. @throws RateLimited when there is none */
  charge(principal: Principal, reply: FastifyReply): void;
  /** Makes a call that has paid its one unit cost `units` in all. @throws RateLimited, and the unit is given back */
  raise(principal: Principal, units: number, reply: FastifyReply): void;
  /** Counts one failed authentication of an address. @throws RateLimited when there were too many */
  chargeFailure(reply: FastifyReply): void;
  /** Tells an unauthenticated caller the state of its address, charging nothing. */
  tellAddress(reply: FastifyReply): void;
}

export function rateLimits(limiter: RateLimiter, clock: Clock): RateLimits {
  const settle = (allowance: Allowance, reply: FastifyReply, what: string): void => {
    reply.request.allowance = allowance;
    if (allowance.allowed) return;
    const { limit, resetAt, waitS } = allowance;
    reply.header('Retry-After', waitS);
    throw new RateLimited(
      `${what} are limited to ${limit} a minute; this call passes at ${new Date(resetAt * 1000).toISOString()}`,
      resetAt,
    );
  };
  const chargeKey = ({ keyId, rateLimit }: Principal, units: number, paid: number, reply: FastifyReply) =>
    settle(limiter.take(keyId, rateLimit, units, clock.now(), paid), reply, 'Units of this key');
  return {
    charge: (principal, reply) => chargeKey(principal, 1, 0, reply),
    raise: (principal, units, reply) => {
      if (units > 1) chargeKey(principal, units, 1, reply);
    },
    chargeFailure(reply) {
      const key = addressKey(reply);
      const allowance = limiter.take(key, FAILURES_PER_MINUTE, 1, clock.now());
      settle(allowance, reply, 'Failed authentications of an address');
    },
    tellAddress(reply) {
      const key = addressKey(reply);
      reply.request.allowance = limiter.take(key, FAILURES_PER_MINUTE, 0, clock.now());
    },
  };
}

const addressKey = (reply: FastifyReply): string => `address ${reply.request.ip}`;

/** Unlimited has no number in either family: the largest that a structured field holds stands for it (RFC 9651). */
const UNLIMITED = 999_999_999;

/** Adds both families of headers: ours of interface.md, and draft-ietf-httpapi-ratelimit-headers. */
export function allowanceHeaders(
  { limit, remaining, resetAt, waitS }: Allowance,
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
}
