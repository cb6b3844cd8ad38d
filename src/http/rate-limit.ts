import type { FastifyReply } from 'fastify';
import { RateLimited } from '../app/errors.ts';
import type { Allowance, RateLimiter } from '../app/gcra.ts';
import type { Clock, Principal } from '../app/ports.ts';

/** Failed authentications a minute that one address may make. */
const FAILURES_PER_MINUTE = 600;

/** Charges callers for what they do, and tells them in every answer what they have left. */
export interface RateLimits {
  /** Takes units of a key's budget. @throws RateLimited when there are too few */
  charge(principal: Principal, units: number, reply: FastifyReply): void;
  /** Counts one failed authentication of an address. @throws RateLimited when there were too many */
  chargeFailure(address: string, reply: FastifyReply): void;
  /** Tells an unauthenticated caller the state of its address, charging nothing. */
  tellAddress(address: string, reply: FastifyReply): void;
}

export function rateLimits(limiter: RateLimiter, clock: Clock): RateLimits {
  const take = (key: string, limit: number, units: number, reply: FastifyReply, what: string): void => {
    const allowance = limiter.take(key, limit, units, clock.now());
    tell(reply, allowance, clock.now());
    if (!allowance.allowed)
      throw new RateLimited(
        `${what} are limited to ${limit} a minute; this call passes at ${new Date(allowance.resetAt * 1000).toISOString()}`,
        allowance.resetAt,
      );
  };
  return {
    charge: (principal, units, reply) =>
      take(principal.keyId, principal.rateLimit, units, reply, 'Units of this key'),
    chargeFailure: (address, reply) =>
      take(`address ${address}`, FAILURES_PER_MINUTE, 1, reply, 'Failed authentications of an address'),
    tellAddress: (address, reply) =>
      tell(reply, limiter.take(`address ${address}`, FAILURES_PER_MINUTE, 0, clock.now()), clock.now()),
  };
}

/** Both families of headers: ours of interface.md, and draft-ietf-httpapi-ratelimit-headers. */
function tell(reply: FastifyReply, { limit, remaining, resetAt }: Allowance, nowMs: number): void {
  // Unlimited has no number in either family: the largest that a structured field holds stands for it.
  const [quota, left] = limit === 0 ? [999_999_999, 999_999_999] : [limit, remaining];
  reply.header('X-RateLimit-Limit', quota);
  reply.header('X-RateLimit-Remaining', left);
  reply.header('X-RateLimit-Reset', resetAt);
  reply.header('RateLimit-Policy', `"default";q=${quota};w=60`);
  reply.header('RateLimit', `"default";r=${left};t=${Math.max(0, resetAt - Math.floor(nowMs / 1000))}`);
}
