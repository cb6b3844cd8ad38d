import type { ClientRecord, GrantStore } from '../app/access/client-store.ts';
import { type IssuedToken, OAuthRefusal, type OAuthForm } from '../app/access/oauth.ts';
import type { Clock } from '../app/clock.ts';
import type { AccessTokens } from './access-token.ts';
import { DAY_MS } from '../base/time.ts';
import { REFRESH_TOKEN_DAYS } from '../contract/limits.ts';

/** Lifetime of a refresh token [ms]. */
export const REFRESH_LIFE_MS = REFRESH_TOKEN_DAYS * DAY_MS;

/** Dependencies of the grants. */
export interface GrantContext {
  readonly grants: GrantStore;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
}

/** Handler of one `grant_type` of RFC 6749. */
export interface TokenGrant {
  /** Whether the client must send its secret. A wrong secret is always refused, even if the secret is optional. */
  readonly needsSecret: boolean;
  /** @throws OAuthRefusal */
  issue(context: GrantContext, client: ClientRecord, form: OAuthForm): Promise<IssuedToken>;
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
