import { Unauthorized } from '../base/errors.ts';
import type { Authenticator, Principal, ProvenCall } from '../app/access/principal.ts';
import type { Clock } from '../app/clock.ts';
import type { PossessionProofs } from './possession-proof.ts';

const RECHECK_MS = 1000; // maximum time for which a revoked credential is still accepted: contract.md "API keys"
const MAX_CACHED = 10_000; // maximum number of cached credentials: about 5 MB
const CREDENTIAL = /^(Bearer|DPoP) +(\S+) *$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The principal of a credential, its expiry, and the key it is bound to. */
export interface Verified {
  readonly principal: Principal;
  /** Expiry time [ms since the Unix epoch]. */
  readonly expiresAtMs: number;
  /** RFC 7638 thumbprint of the key whose holder may use it (RFC 9449); null: whoever has it. */
  readonly keyThumbprint: string | null;
}

/** Verifies a credential. @throws Unauthorized when it is not valid */
export type Verify = (credential: string) => Promise<Verified>;

interface Cached extends Verified {
  readonly credential: string;
  readonly checkedAtMs: number;
}

/**
 * Authenticates requests by their header `Authorization`, which contains an API key or an access token. A verified
 *  credential is cached for one second and then verified again at its next use.
 */
export function authenticator(
  verify: { readonly key: Verify; readonly token: Verify },
  proofs: PossessionProofs,
  clock: Clock,
): Authenticator {
  const cache = new Map<string, Cached>();
  const underway = new Map<string, Promise<Cached>>();

  const look = async (authorization: string, scheme: string, credential: string): Promise<Cached> => {
    cache.delete(authorization);
    const verified = await (JWT.test(credential) ? verify.token : verify.key)(credential);
    const isBound = verified.keyThumbprint !== null;
    if (isBound !== (scheme.toLowerCase() === 'dpop'))
      throw new Unauthorized(
        isBound
          ? 'The access token is bound to a key: expected Authorization: DPoP, and a proof in the header DPoP'
          : 'The credential is bound to no key: expected Authorization: Bearer',
        'invalid_token',
      );
    const found = { ...verified, credential, checkedAtMs: clock.now() };
    cache.set(authorization, found);
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
    return found;
  };

  /** Returns the principal of a call that shows that it holds the key, if its credential is bound to one. */
  const proven = async (
    { principal, keyThumbprint, credential }: Cached,
    call: ProvenCall | undefined,
  ): Promise<Principal> => {
    if (keyThumbprint === null || call === undefined) return principal;
    if ((await proofs.keyOf(call, credential)) !== keyThumbprint)
      throw new Unauthorized('DPoP: expected a proof by the key of the access token', 'invalid_dpop_proof');
    return principal;
  };

  return {
    authenticate(authorization, call) {
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
        return known.keyThumbprint === null ? known.principal : proven(known, call);
      const [, scheme, credential] = CREDENTIAL.exec(authorization) ?? [];
      if (scheme === undefined || credential === undefined)
        throw new Unauthorized(
          'Expected the header Authorization: Bearer <API key or access token>',
          'invalid_request',
        );
      let pending = underway.get(authorization);
      if (pending === undefined) {
        pending = look(authorization, scheme, credential).finally(() => underway.delete(authorization));
        underway.set(authorization, pending);
      }
      return pending.then((found) => proven(found, call));
    },
  };
}
