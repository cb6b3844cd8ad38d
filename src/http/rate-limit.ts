import type { FastifyReply } from 'fastify';
import { RateLimited } from '../app/errors.ts';
import type { Allowance, RateLimiter } from '../app/gcra.ts';
import type { Clock, Principal } from '../app/ports.ts';

/** Failed authentications a minute that one address may make. */
const FAILURES_PER_MINUTE = 600;

/** Charges callers for what they do, and tells them in every answer what they have left. */
export interface RateLimits {
  /** Takes the one unit that any call costs. @throws RateLimited when there is none */
  charge(principal: Principal, reply: FastifyReply): void;
  /** Makes a call that has paid its one unit cost `units` in all. @throws RateLimited, and the unit is given back */
  raise(principal: Principal, units: number, reply: FastifyReply): void;
  /** Counts one failed authentication of an address. @throws RateLimited when there were too many */
  chargeFailure(address: string, reply: FastifyReply): void;
  /** Tells an unauthenticated caller the state of its address, charging nothing. */
  tellAddress(address: string, reply: FastifyReply): void;
}

export function rateLimits(limiter: RateLimiter, clock: Clock): RateLimits {
  const settle = (allowance: Allowance, nowMs: number, reply: FastifyReply, what: string): void => {
    tell(reply, allowance, nowMs);
    if (allowance.allowed) return;
    const { limit, resetAt } = allowance;
    reply.header('Retry-After', resetAt - Math.floor(nowMs / 1000));
    throw new RateLimited(
      `${what} are limited to ${limit} a minute; this call passes at ${new Date(resetAt * 1000).toISOString()}`,
      resetAt,
    );
  };
  const chargeKey = ({ keyId, rateLimit }: Principal, units: number, paid: number, reply: FastifyReply) => {
    const nowMs = clock.now();
    settle(limiter.take(keyId, rateLimit, units, nowMs, paid), nowMs, reply, 'Units of this key');
  };
  return {
    charge: (principal, reply) => chargeKey(principal, 1, 0, reply),
    raise: (principal, units, reply) => {
      if (units > 1) chargeKey(principal, units, 1, reply);
    },
    chargeFailure(address, reply) {
      const nowMs = clock.now();
      const allowance = limiter.take(`address ${address}`, FAILURES_PER_MINUTE, 1, nowMs);
      settle(allowance, nowMs, reply, 'Failed authentications of an address');
    },
    tellAddress(address, reply) {
      const nowMs = clock.now();
      tell(reply, limiter.take(`address ${address}`, FAILURES_PER_MINUTE, 0, nowMs), nowMs);
    },
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
