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
 * without a promise.
 */
export function gate(
  scopes: readonly Scope[],
  authenticator: Authenticator,
  limits: RateLimits,
): (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void {
  const admit = (principal: Principal, request: FastifyRequest, reply: FastifyReply): void => {
    request.principal = principal;
    limits.charge(principal, 1, reply);
    for (const scope of scopes) {
      if (!principal.scopes.has(scope))
        throw new Forbidden(`This credential lacks the scope ${scope}`, scopes);
    }
  };
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): Error => {
    if (!(error instanceof Unauthorized)) return error as Error;
    try {
      limits.chargeFailure(request.ip, reply);
      return error;
    } catch (limited) {
      return limited as Error;
    }
  };
  return (request, reply, done) => {
    let known: Principal | Promise<Principal>;
    try {
      known = authenticator.authenticate(request.headers.authorization);
      if (!(known instanceof Promise)) admit(known, request, reply);
    } catch (error) {
      done(fail(error, request, reply));
      return;
    }
    if (!(known instanceof Promise)) {
      done();
      return;
    }
    known.then(
      (principal) => {
        try {
          admit(principal, request, reply);
        } catch (error) {
          done(error as Error);
          return;
        }
        done();
      },
      (error: unknown) => done(fail(error, request, reply)),
    );
  };
}
