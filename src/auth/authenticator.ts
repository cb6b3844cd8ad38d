import { Unauthorized } from '../base/errors.ts';
import type { Authenticator, Principal, ProvenCall } from '../app/access/principal.ts';
import type { Clock } from '../app/clock.ts';
import type { PossessionProofs } from './possession-proof.ts';
import { rechecked } from './rechecked.ts';

const CREDENTIAL = /^(Bearer|DPoP) +(\S+) *$/i;
/** Length of the end of a credential that differs from that of any other: most of a signature or a secret. */
const UNIQUE_END = 64;
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

/**
 * Authenticates requests by their header `Authorization`, which contains an API key or an access token. A verified
 * credential is cached for one second and then verified again at its next use.
 */
export function authenticator(
  verify: { readonly key: Verify; readonly token: Verify },
  proofs: PossessionProofs,
  clock: Clock,
): Authenticator {
  const verified = rechecked(
    (credential) => (JWT.test(credential) ? verify.token : verify.key)(credential),
    clock,
    ({ expiresAtMs }) => expiresAtMs <= clock.now(),
    (credential) => credential.slice(-UNIQUE_END),
  );

  /** Returns the principal of a call whose header fits a credential that is bound to a key, with its proof. */
  const proven = async (
    { principal, keyThumbprint }: Verified,
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

  return {
    authenticate(authorization, call) {
      if (authorization === undefined || authorization === '')
        throw new Unauthorized(
          'No credential: expected the header Authorization: Bearer <API key or access token>',
        );
      const [, scheme, credential] = CREDENTIAL.exec(authorization) ?? [];
      if (scheme === undefined || credential === undefined)
        throw new Unauthorized(
          'Expected the header Authorization: Bearer <API key or access token>',
          'invalid_request',
        );
      // By the credential alone: a header may spell the same credential in many ways.
      const found = verified(credential);
      if (typeof found === 'function') return async () => proven(await found(), { scheme, credential }, call);
      if (found.keyThumbprint === null && scheme === 'Bearer') return found.principal;
      return () => proven(found, { scheme, credential }, call);
    },
  };
}
