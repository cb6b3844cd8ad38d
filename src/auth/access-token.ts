import { randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { Unauthorized } from '../base/errors.ts';
import type { Clock } from '../app/clock.ts';
import { SIGNATURE, type SigningKeys } from './signing-keys.ts';
import { ACCESS_TOKEN_S } from '../contract/limits.ts';

const TYPE = 'at+jwt'; // RFC 9068 section 2.1
const SKEW_S = 60; // maximum tolerated difference between the clocks of two nodes [s]

/** Claims of our access tokens. */
export interface AccessClaims {
  readonly clientId: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** RFC 7638 thumbprint of the key that the token is bound to; null: none. */
  readonly keyThumbprint: string | null;
  /** Expiry time [ms since the Unix epoch]. */
  readonly expiresAtMs: number;
}

/** Signs and verifies access tokens: JWTs (RFC 9068). */
export interface AccessTokens {
  sign(claims: Omit<AccessClaims, 'expiresAtMs'>): Promise<string>;
  /** @throws Unauthorized when this service did not issue the token, or the token is not valid now */
  verify(token: string): Promise<AccessClaims>;
}

/** Creates the signer and verifier of access tokens whose issuer and audience are this service. */
export function accessTokens(keys: SigningKeys, clock: Clock, issuer: () => string): AccessTokens {
  return {
    async sign({ clientId, grantId, scopes, keyThumbprint }) {
      const { id, key } = await keys.signer();
      const issuedAt = Math.floor(clock.now() / 1000);
      return new SignJWT({
        client_id: clientId,
        scope: scopes.join(' '),
        grant: grantId,
        ...(keyThumbprint !== null && { cnf: { jkt: keyThumbprint } }),
      })
        .setProtectedHeader({ alg: SIGNATURE, typ: TYPE, kid: id })
        .setIssuer(issuer())
        .setAudience(issuer())
        .setSubject(clientId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_S)
        .setJti(randomUUID())
        .sign(key);
    },
    async verify(token) {
      const nowMs = clock.now();
      try {
        const { payload } = await jwtVerify(
          token,
          async ({ kid }) => {
            const key = kid === undefined ? undefined : await keys.verifier(kid);
            if (key === undefined) throw new errors.JWKSNoMatchingKey();
            return key;
          },
          {
            algorithms: [SIGNATURE],
            typ: TYPE,
            issuer: issuer(),
            audience: issuer(),
            requiredClaims: ['sub', 'iat', 'exp', 'jti', 'client_id', 'scope', 'grant'],
            currentDate: new Date(nowMs),
          },
        );
        // A node whose clock is ahead may have issued the token, so its issue time may lie up to SKEW_S in the
        // future. The expiry time has no such tolerance.
        if (payload.iat! > nowMs / 1000 + SKEW_S)
          throw new errors.JWTClaimValidationFailed('issued in the future', payload, 'iat', 'check_failed');
        return {
          clientId: String(payload['client_id']),
          grantId: String(payload['grant']),
          scopes: String(payload['scope']).split(' '),
          keyThumbprint: (payload['cnf'] as { readonly jkt?: string } | undefined)?.jkt ?? null,
          expiresAtMs: payload.exp! * 1000,
        };
      } catch (cause) {
        if (!(cause instanceof errors.JOSEError)) throw cause;
        throw new Unauthorized(
          cause instanceof errors.JWTExpired
            ? 'The access token has expired'
            : 'The access token is not valid',
          'invalid_token',
        );
      }
    },
  };
}
