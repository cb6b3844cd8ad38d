import { OAuthRefusal } from '../app/access/oauth.ts';
import { newSuccessorSalt, refreshTokenAfter } from './client-secret.ts';
import { secretHash } from './secret-hash.ts';
import { issued, refreshExpiry, scopesAsked, type TokenGrant } from './token-grant.ts';
import { REFRESH_GRACE_S } from '../contract/limits.ts';

const REFUSED = 'refresh_token: expected one of this client that is unused, unexpired and not revoked';

/**
 * Refresh token grant (RFC 6749 section 6) with rotation: each refresh token works once. A second use means that the
 * token was stolen, so the grant and all its tokens are revoked (RFC 9700 section 4.14.2). Within ten seconds, and
 * while the successor is unused, it may as well mean that the answer was lost: the same successor is given again.
 */
export const refreshToken: TokenGrant = {
  needsProof: false,
  async issue(context, client, form, proofKey) {
    const { grants, clock } = context;
    const text = form.get('refresh_token');
    if (text === undefined) throw new OAuthRefusal('invalid_request', 'refresh_token: required, but missing');
    const hash = secretHash(text);
    const now = new Date(clock.now());
    // The second look is for a call that lost the race for an unused token: it then finds the winner's successor.
    for (let look = 0; look < 2; look += 1) {
      const found = await grants.ofToken(hash);
      if (
        found === undefined ||
        found.grant.clientId !== client.id ||
        found.revokedAt !== null ||
        found.expiresAt <= now ||
        found.grant.endsAt <= now
      )
        throw new OAuthRefusal('invalid_grant', REFUSED);
      const { grant, usedAt, successorSalt } = found;
      if (grant.keyThumbprint !== null && grant.keyThumbprint !== proofKey)
        throw new OAuthRefusal(
          'invalid_grant',
          'refresh_token: expected a DPoP proof by the key it is bound to',
        );
      // The client may have lost scopes after the grant was issued. New tokens do not get the lost scopes.
      const held = grant.scopes.filter((scope) => client.scopes.includes(scope));
      if (usedAt === null) {
        const scopes = scopesAsked(form, held);
        const salt = newSuccessorSalt();
        const next = refreshTokenAfter(text, salt);
        const expiresAt = refreshExpiry(now, grant.endsAt);
        const used = { hash, successorSalt: salt };
        if (await grants.exchange(grant, used, { hash: next.hash, expiresAt }, now))
          return issued(context, grant, scopes, next.text);
        continue;
      }
      const again = successorSalt === null ? undefined : refreshTokenAfter(text, successorSalt);
      const lost = Math.abs(now.getTime() - usedAt.getTime()) < REFRESH_GRACE_S * 1000;
      if (again !== undefined && lost && (await grants.ofToken(again.hash))?.usedAt === null)
        return issued(context, grant, scopesAsked(form, held), again.text);
      await grants.revoke(grant.id, now);
      throw new OAuthRefusal(
        'invalid_grant',
        'refresh_token: used before; every token that came of it is revoked',
      );
    }
    throw new OAuthRefusal('invalid_grant', REFUSED);
  },
};
