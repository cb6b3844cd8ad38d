import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditTrail } from '../app/access/audit-trail.ts';
import { Forbidden, Unauthorized } from '../base/errors.ts';
import type { LookUp, Principal } from '../app/access/principal.ts';
import type { Operation } from '../contract/operation.ts';
import type { CallShares } from './call-shares.ts';
import { authenticate, type Authenticating } from './people/authenticate.ts';
import type { RateLimits } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller. On every route that needs a credential, it is set before the handler runs. */
    principal: Principal | null;
  }
}

/** Dependencies of the gate. */
export interface GateParts extends Authenticating {
  readonly limits: RateLimits;
  readonly shares: CallShares;
  readonly trail: AuditTrail;
}

/**
 * Makes the hook that runs before an operation. It checks credential (401), shares and rate limit (429) and scope (403),
 * in this order. When the credential is cached and rate limits are kept in this process, the hook calls `done` instead of
 * returning a promise, which is faster. Otherwise it returns a promise. Fastify accepts both.
 */
export function gate(
  { id, scopes }: Pick<Operation, 'id' | 'scopes'>,
  parts: GateParts,
): (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => Promise<void> | undefined {
  const { limits, shares, trail } = parts;
  const checkScopes = (principal: Principal, request: FastifyRequest): void => {
    for (const scope of scopes) {
      if (principal.scopes.has(scope)) continue;
      const { accountId, environment, keyId: actor } = principal;
      const result = `lacks ${scope}`;
      trail.note({ actor, action: id, accountId, environment, address: request.ip, result });
      throw new Forbidden(`This credential lacks the scope ${scope}`, scopes);
    }
  };
  /** Counts a failed authentication, and returns the error that the caller receives. */
  const fail = async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (!(error instanceof Unauthorized)) {
      if (request.principal === null) await limits.showAddress(reply);
      return error;
    }
    const who = { actor: 'anonymous', accountId: null, environment: null };
    trail.note({ ...who, action: id, address: request.ip, result: error.message });
    try {
      await limits.chargeFailure(reply);
      return error;
    } catch (limited) {
      return limited;
    }
  };
  const refused = async (error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    throw await fail(error, request, reply);
  };
  const admitLater = async (
    known: Principal | LookUp,
    charged: Promise<void> | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> => {
    try {
      const principal = typeof known === 'function' ? await shares.asStranger(reply, known) : known;
      if (request.principal === null) {
        request.principal = principal;
        shares.enter(principal, reply);
      }
      await (charged ?? limits.charge(principal, reply));
      checkScopes(principal, request);
    } catch (error) {
      throw await fail(error, request, reply);
    }
  };
  return (request, reply, done) => {
    let known: Principal | LookUp;
    try {
      known = authenticate(request, parts);
    } catch (error) {
      return refused(error as Error, request, reply);
    }
    if (typeof known === 'function') return admitLater(known, undefined, request, reply);
    request.principal = known;
    try {
      shares.enter(known, reply);
      const charged = limits.charge(known, reply);
      if (charged instanceof Promise) return admitLater(known, charged, request, reply);
      checkScopes(known, request);
    } catch (error) {
      done(error as Error);
      return undefined;
    }
    done();
    return undefined;
  };
}
