import type { FastifyReply, FastifyRequest } from 'fastify';
import { Forbidden, Unauthorized } from '../app/errors.ts';
import type { Authenticator, Principal } from '../app/ports.ts';
import type { Scope } from '../contract/scopes.ts';
import type { RateLimits } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking; set on every route that needs a credential, before its handler runs. */
    principal: Principal | null;
  }
}

/**
 * The gate before every operation: credential (401), scope (403), budget (429), in this order. A warm call passes
 * without a promise: the gate calls `done`, or gives a promise, as Fastify takes both from a hook.
 */
export function gate(
  scopes: readonly Scope[],
  authenticator: Authenticator,
  limits: RateLimits,
): (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => Promise<void> | undefined {
  const admit = (principal: Principal, request: FastifyRequest, reply: FastifyReply): void => {
    request.principal = principal;
    limits.charge(principal, reply);
    for (const scope of scopes) {
      if (!principal.scopes.has(scope))
        throw new Forbidden(`This credential lacks the scope ${scope}`, scopes);
    }
  };
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): Error => {
    if (!(error instanceof Unauthorized)) {
      if (request.principal === null) limits.tellAddress(reply);
      return error as Error;
    }
    try {
      limits.chargeFailure(reply);
      return error;
    } catch (limited) {
      return limited as Error;
    }
  };
  const admitLater = async (
    known: Promise<Principal>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> => {
    let principal: Principal;
    try {
      principal = await known;
    } catch (error) {
      throw fail(error, request, reply);
    }
    admit(principal, request, reply);
  };
  return (request, reply, done) => {
    try {
      const known = authenticator.authenticate(request.headers.authorization);
      if (known instanceof Promise) return admitLater(known, request, reply);
      admit(known, request, reply);
    } catch (error) {
      done(fail(error, request, reply));
      return undefined;
    }
    done();
    return undefined;
  };
}
