import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWK, jwtVerify } from 'jose';
import { RateLimited, Unauthorized } from '../base/errors.ts';
import type { ProvenCall } from '../app/access/principal.ts';
import type { GrantStore } from '../app/access/client-store.ts';
import type { Clock } from '../app/clock.ts';
import { PROOF_AGE_S } from '../contract/limits.ts';
import { secretHash } from './secret-hash.ts';

/** Signatures that callers may use for DPoP proofs and for client assertions. None uses a shared secret. */
export const CALLER_SIGNATURES = ['ES256', 'EdDSA', 'PS256', 'RS256'];

const MAX_REMEMBERED = 200_000; // maximum number of remembered proofs: about 20 MB
const MAX_ID = 256; // maximum length of the id of a proof [characters]

/** Verifies DPoP proofs (RFC 9449): a caller shows with each call that it holds the key of its tokens. */
export interface PossessionProofs {
  /**
   * Returns the RFC 7638 thumbprint of the key that signed the proof of a call, and takes the proof as used.
   * @param accessToken token that the proof must name; undefined at the token endpoint
   * @throws Unauthorized for a proof that is missing, invalid, not of this call or used before; RateLimited when this
   *   node remembers too many proofs
   */
  keyOf(call: ProvenCall, accessToken?: string): Promise<string>;
}

/**
 * Makes the verifier of DPoP proofs. A proof is accepted once by all nodes together, for a minute. What this node has
 * accepted itself it refuses without asking the database. The database remembers them even where Redis shares rate
 * limits: Redis may forget, by a restart or for want of memory, and nodes go on without it. A forgotten limit grants
 * some calls; a forgotten proof would work twice.
 * @param addresses addresses of the service, as the callers know them
 */
export function possessionProofs(
  clock: Clock,
  addresses: () => readonly string[],
  grants: Pick<GrantStore, 'spend'>,
): PossessionProofs {
  const spent = new SpentProofs();
  return {
    async keyOf({ method, url, headers }, accessToken) {
      const proof = headers['dpop'];
      if (typeof proof !== 'string') throw refusal('required, but missing');
      const nowS = clock.now() / 1000;
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: CALLER_SIGNATURES,
        requiredClaims: ['iat', 'jti', 'htm', 'htu'],
        currentDate: new Date(clock.now()),
        clockTolerance: PROOF_AGE_S,
      }).catch((cause: unknown) => {
        // Anything else that a header can cause, such as a JWK that is no key, is the caller's fault as well.
        throw refusal(cause instanceof errors.JOSEError ? cause.message : 'expected a JWT of type dpop+jwt');
      });
      const { iat, jti, htm, htu, ath } = payload;
      if (htm !== method) throw refusal(`htm: expected ${method}, got ${String(htm)}`);
      const expected = addresses().map((address) => targetOf(`${address}${url}`));
      if (!expected.includes(targetOf(String(htu))))
        throw refusal(`htu: expected ${expected.join(' or ')}, got ${String(htu)}`);
      if (!(Math.abs(nowS - iat!) <= PROOF_AGE_S))
        throw refusal(`iat: expected a time within ${PROOF_AGE_S} s of ${Math.floor(nowS)}, got ${iat}`);
      if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID)
        throw refusal(`jti: expected 1 to ${MAX_ID} characters`);
      if (accessToken !== undefined && ath !== digest(accessToken))
        throw refusal('ath: expected the base64url of the SHA-256 of the access token');
      const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk as JWK);
      const id = `dpop ${thumbprint} ${jti}`;
      const endS = iat! + PROOF_AGE_S;
      if (
        !spent.take(digest(id), endS, nowS) ||
        !(await grants.spend({ hash: secretHash(id), expiresAt: new Date(endS * 1000) }))
      )
        throw refusal('jti: used before');
      return thumbprint;
    },
  };
}

/** Proofs that this node has accepted, until they would be too old anyway. */
class SpentProofs {
  readonly #endOf = new Map<string, number>();

  /** Takes a proof as used until `endS` [Unix s]. Returns false when it was used before. @throws RateLimited */
  take(id: string, endS: number, nowS: number): boolean {
    if ((this.#endOf.get(id) ?? -1) >= nowS) return false;
    if (this.#endOf.size >= MAX_REMEMBERED) {
      for (const [known, end] of this.#endOf) if (end < nowS) this.#endOf.delete(known);
      if (this.#endOf.size >= MAX_REMEMBERED)
        throw new RateLimited('Too many DPoP proofs within a minute', Math.ceil(nowS) + PROOF_AGE_S);
    }
    this.#endOf.set(id, endS);
    return true;
  }
}

/** Returns an address without query and fragment, normalised; the text itself when it is no address. */
function targetOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function refusal(why: string): Unauthorized {
  return new Unauthorized(`DPoP: ${why}`, 'invalid_dpop_proof');
}
