import { Unauthorized } from '../base/errors.ts';
import type { Authenticator, Principal, ProvenCall } from '../app/access/principal.ts';
import type { Clock } from '../app/clock.ts';
import type { PossessionProofs } from './possession-proof.ts';

const RECHECK_MS = 1000; // maximum time for which a revoked credential is still accepted: contract.md "API keys"
const MAX_CACHED = 10_000; // maximum number of cached credentials: about 5 MB
const CREDENTIAL = /^(Bearer|DPoP) +(\S+) *$/i;
const PLAIN = 'Bearer '; // how nearly every header begins
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
  readonly checkedAtMs: number;
}

/**
 * Authenticates requests by their header `Authorization`, which contains an API key or an access token. A verified
 * credential is cached for one second and then verified again at its next use.
 */
export function authenticator(
  verify: { readonly key: Verify; readonly token: Verify },
  proofs: PossessionProofs,
  clock: Clock,
): Authenticator {
  const cache = new Map<string, Cached>();
  const underway = new Map<string, Promise<Cached>>();

  const look = async (credential: string): Promise<Cached> => {
    cache.delete(credential);
    const verified = await (JWT.test(credential) ? verify.token : verify.key)(credential);
    const found = { ...verified, checkedAtMs: clock.now() };
    cache.set(credential, found);
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
    return found;
  };

  /** Returns the principal of a call whose header fits a credential that is bound to a key, with its proof. */
  const proven = async (
    { principal, keyThumbprint }: Cached,
    { scheme, credential }: { readonly scheme: string; readonly credential: string },
    call: ProvenCall | undefined,
  ): Promise<Principal> => {
    const isBound = keyThumbprint !== null;
    if (isBound !== (scheme.toLowerCase() === 'dpop'))
      throw new Unauthorized(
        isBound
          ? 'The access token is bound to a key: expected Authorization: DPoP, and a proof in the header DPoP'
          : 'The credential is bound to no key: expected Authorization: Bearer',
        'invalid_token',
      );
    if (isBound && call !== undefined && (await proofs.keyOf(call, credential)) !== keyThumbprint)
      throw new Unauthorized('DPoP: expected a proof by the key of the access token', 'invalid_dpop_proof');
    return principal;
  };

  const isFresh = (known: Cached | undefined): known is Cached => {
    if (known === undefined) return false;
    const now = clock.now();
    // After the clock was set back, the time of the last check may lie in the future. Its age is then unknown, so the
    // credential is verified again.
    const ageMs = now - known.checkedAtMs;
    return ageMs >= 0 && ageMs < RECHECK_MS && now < known.expiresAtMs;
  };

  return {
    authenticate(authorization, call) {
      if (authorization === undefined || authorization === '')
        throw new Unauthorized(
          'No credential: expected the header Authorization: Bearer <API key or access token>',
        );
      // The cache is keyed by the credential alone: a header may spell the same credential in many ways.
      if (authorization.startsWith(PLAIN)) {
        const known = cache.get(authorization.slice(PLAIN.length));
        if (known?.keyThumbprint === null && isFresh(known)) return known.principal;
      }
      const [, scheme, credential] = CREDENTIAL.exec(authorization) ?? [];
      if (scheme === undefined || credential === undefined)
        throw new Unauthorized(
          'Expected the header Authorization: Bearer <API key or access token>',
          'invalid_request',
        );
      const known = cache.get(credential);
      if (isFresh(known)) return proven(known, { scheme, credential }, call);
      let pending = underway.get(credential);
      if (pending === undefined) {
        pending = look(credential).finally(() => underway.delete(credential));
        underway.set(credential, pending);
      }
      return pending.then((found) => proven(found, { scheme, credential }, call));
    },
  };
}
