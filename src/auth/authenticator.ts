import { Unauthorized } from '../base/errors.ts';
import type { Authenticator, Principal } from '../app/access/principal.ts';
import type { Clock } from '../app/clock.ts';

const RECHECK_MS = 1000; // maximum time for which a revoked credential is still accepted: contract.md "API keys"
const MAX_CACHED = 10_000; // maximum number of cached credentials: about 5 MB
const BEARER = /^Bearer +(\S+) *$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The principal of a credential, and the expiry of the credential. */
export interface Verified {
  readonly principal: Principal;
  /** Expiry time [ms since the Unix epoch]. */
  readonly expiresAtMs: number;
}

/** Verifies a credential. @throws Unauthorized when it is not valid */
export type Verify = (credential: string) => Promise<Verified>;

interface Cached extends Verified {
  readonly checkedAtMs: number;
}

/**
 * Authenticates requests by their header `Authorization: Bearer`, which contains an API key or an access token. A
 * verified credential is cached for one second and then verified again at its next use.
 */
export function authenticator(
  verify: { readonly key: Verify; readonly token: Verify },
  clock: Clock,
): Authenticator {
  const cache = new Map<string, Cached>();
  const underway = new Map<string, Promise<Principal>>();

  const look = async (authorization: string, credential: string): Promise<Principal> => {
    cache.delete(authorization);
    const verified = await (JWT.test(credential) ? verify.token : verify.key)(credential);
    const checkedAtMs = clock.now();
    cache.set(authorization, { ...verified, checkedAtMs });
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
    return verified.principal;
  };

  return {
    authenticate(authorization) {
      if (authorization === undefined || authorization === '')
        throw new Unauthorized(
          'No credential: expected the header Authorization: Bearer <API key or access token>',
        );
      const known = cache.get(authorization);
      const now = clock.now();
      // After the clock was set back, the time of the last check may lie in the future. Its age is then unknown, so
      // the credential is verified again.
      const ageMs = known === undefined ? -1 : now - known.checkedAtMs;
      if (known !== undefined && ageMs >= 0 && ageMs < RECHECK_MS && now < known.expiresAtMs)
        return known.principal;
      const credential = BEARER.exec(authorization)?.[1];
      if (credential === undefined)
        throw new Unauthorized(
          'Expected the header Authorization: Bearer <API key or access token>',
          'invalid_request',
        );
      let pending = underway.get(authorization);
      if (pending === undefined) {
        pending = look(authorization, credential).finally(() => underway.delete(authorization));
        underway.set(authorization, pending);
      }
      return pending;
    },
  };
}
