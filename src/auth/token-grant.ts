import type { ClientRecord, Grant, GrantStore } from '../app/access/client-store.ts';
import { type IssuedToken, OAuthRefusal, type OAuthForm } from '../app/access/oauth.ts';
import type { Clock } from '../app/clock.ts';
import type { AccessTokens } from './access-token.ts';
import { DAY_MS } from '../base/time.ts';
import { ACCESS_TOKEN_S, REFRESH_TOKEN_DAYS } from '../contract/limits.ts';

/** Dependencies of the grants. */
export interface GrantContext {
  readonly grants: GrantStore;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
}

/** Handler of one `grant_type` of RFC 6749. */
export interface TokenGrant {
  /** Whether the client must prove itself. A wrong proof is always refused, even if the proof is optional. */
  readonly needsProof: boolean;
  /**
   * @param proofKey thumbprint of the key of the call's DPoP proof, to which the tokens are bound
   * @throws OAuthRefusal
   */
  issue(
    context: GrantContext,
    client: ClientRecord,
    form: OAuthForm,
    proofKey: string | undefined,
  ): Promise<IssuedToken>;
}

/** Returns when a new refresh token expires: at the end of its life or of its grant, whichever comes first. */
export function refreshExpiry(now: Date, grantEndsAt: Date): Date {
  return new Date(Math.min(now.getTime() + REFRESH_TOKEN_DAYS * DAY_MS, grantEndsAt.getTime()));
}

/** Signs an access token of a grant, and returns it with the refresh token that was given. */
export async function issued(
  { tokens }: GrantContext,
  { id: grantId, clientId, keyThumbprint }: Grant,
  scopes: readonly string[],
  refresh: string,
): Promise<IssuedToken> {
  const accessToken = await tokens.sign({ clientId, grantId, scopes, keyThumbprint });
  const type = keyThumbprint === null ? 'Bearer' : 'DPoP';
  return { accessToken, type, expiresInS: ACCESS_TOKEN_S, scopes, refreshToken: refresh };
}

/** Returns the requested scopes, or all of `held` if none are requested. @throws OAuthRefusal for any other scope */
export function scopesAsked(form: OAuthForm, held: readonly string[]): readonly string[] {
  const text = form.get('scope');
  if (text === undefined) return held;
  const asked = [...new Set(text.split(' '))];
  const missing = asked.filter((scope) => !held.includes(scope));
  if (missing.length > 0)
    throw new OAuthRefusal(
      'invalid_scope',
      `scope: expected some of ${held.join(' ')}, got ${printable(missing.join(' '))}`,
    );
  return asked;
}

/**
 * Shortens a caller's text and replaces characters that are not allowed in `error_description` (RFC 6749 section
 * 5.2).
 */
export function printable(text: string): string {
  const safe = text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
  return safe.length > 60 ? `${safe.slice(0, 57)}...` : safe;
}
