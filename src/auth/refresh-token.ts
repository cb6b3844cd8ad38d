import { OAuthRefusal } from '../app/access/oauth.ts';
import { newRefreshToken } from './client-secret.ts';
import { secretHash } from './secret-hash.ts';
import { REFRESH_LIFE_MS, scopesAsked, type TokenGrant } from './token-grant.ts';
import { ACCESS_TOKEN_S } from '../contract/limits.ts';

const REFUSED = 'refresh_token: expected one of this client that is unused, unexpired and not revoked';

/**
 * Refresh token grant (RFC 6749 section 6) with rotation: each refresh token works once. A second use means that
 * the token was stolen, so the grant and all its tokens are revoked (RFC 9700 section 4.14.2).
 */
export const refreshToken: TokenGrant = {
  needsSecret: false,
  async issue({ grants, tokens, clock }, client, form) {
    const text = form.get('refresh_token');
    if (text === undefined) throw new OAuthRefusal('invalid_request', 'refresh_token: required, but missing');
    const used = secretHash(text);
    const found = await grants.ofToken(used);
    const now = new Date(clock.now());
    if (
      found === undefined ||
      found.grant.clientId !== client.id ||
      found.revokedAt !== null ||
      found.expiresAt <= now
    )
      throw new OAuthRefusal('invalid_grant', REFUSED);
    const { grant } = found;
    // The client may have lost scopes after the grant was issued. New tokens do not get the lost scopes.
    const held = grant.scopes.filter((scope) => client.scopes.includes(scope));
    const next = newRefreshToken();
    if (found.usedAt === null) {
      const scopes = scopesAsked(form, held);
      const accessToken = await tokens.sign({ clientId: client.id, grantId: grant.id, scopes });
      const expiresAt = new Date(now.getTime() + REFRESH_LIFE_MS);
      if (await grants.exchange(grant, used, { hash: next.hash, expiresAt }, now))
        return { accessToken, expiresInS: ACCESS_TOKEN_S, scopes, refreshToken: next.text };
    }
    await grants.revoke(grant.id, now);
    throw new OAuthRefusal(
      'invalid_grant',
      'refresh_token: used before; every token that came of it is revoked',
    );
  },
};
