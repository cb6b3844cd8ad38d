import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';
import type { ClientRecord, GrantStore, JwkSet } from '../app/access/client-store.ts';
import { OAuthRefusal } from '../app/access/oauth.ts';
import { ASSERTION_S } from '../contract/limits.ts';
import { CALLER_SIGNATURES } from './possession-proof.ts';
import { secretHash } from './secret-hash.ts';

const SKEW_S = 60; // maximum tolerated difference between the clocks of a client and of this service [s]

/**
 * Whether a client signed an assertion (`private_key_jwt`: RFC 7523 section 3, OpenID Connect Core section 9) that was
 * not used before. Takes the assertion as used.
 * @param audiences addresses that the assertion may be meant for
 * @throws OAuthRefusal `invalid_client` for an assertion that the client did sign, but that says something wrong
 */
export async function isAssertionOf(
  client: ClientRecord,
  assertion: string,
  { grants, audiences, nowMs }: { grants: GrantStore; audiences: readonly string[]; nowMs: number },
): Promise<boolean> {
  if (client.jwks === null) return false;
  const isOverlap = client.formerUntil !== null && client.formerUntil.getTime() > nowMs;
  try {
    const { payload } = await verifiedBy(client.jwks, isOverlap ? client.formerJwks : null, assertion, {
      algorithms: CALLER_SIGNATURES,
      issuer: client.id,
      subject: client.id,
      audience: [...audiences],
      requiredClaims: ['exp', 'jti'],
      currentDate: new Date(nowMs),
    });
    if (payload.exp! > nowMs / 1000 + ASSERTION_S + SKEW_S)
      throw refusal(`exp: expected a time at most ${ASSERTION_S} s ahead`);
    if (typeof payload.jti !== 'string') throw refusal('jti: expected a text');
    const hash = secretHash(`${client.id} ${payload.jti}`);
    if (!(await grants.spend({ hash, expiresAt: new Date(payload.exp! * 1000) })))
      throw refusal('jti: used before');
    return true;
  } catch (error) {
    // The claims are read only after the signature held, so only the client itself learns what is wrong with them.
    if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
      throw refusal(`${error.claim}: ${error.message}`);
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

/** Verifies an assertion by the keys of a client, then by those that it had before. */
async function verifiedBy(
  jwks: JwkSet,
  former: JwkSet | null,
  assertion: string,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const by = (keys: JwkSet) =>
    jwtVerify(assertion, createLocalJWKSet(keys as unknown as JSONWebKeySet), options);
  if (former === null) return by(jwks);
  return by(jwks).catch((error: unknown) => {
    const isOther =
      error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey;
    if (!isOther) throw error;
    return by(former);
  });
}

/** Returns the client that an assertion names, which proves nothing yet; undefined when it names none. */
export function clientNamedBy(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt<{ sub?: unknown }>(assertion); // not verified, so it may have any type
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

function refusal(why: string): OAuthRefusal {
  return new OAuthRefusal('invalid_client', `client_assertion: ${why}`);
}
