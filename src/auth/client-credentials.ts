import { newId } from '../base/ids.ts';
import { newRefreshToken } from './client-secret.ts';
import { issued, refreshExpiry, scopesAsked, type TokenGrant } from './token-grant.ts';
import { GRANT_DAYS } from '../contract/limits.ts';
import { DAY_MS } from '../base/time.ts';

/** Client credentials grant (RFC 6749 section 4.4). In addition to the RFC, our API issues a refresh token. */
export const clientCredentials: TokenGrant = {
  needsProof: true,
  async issue(context, client, form, proofKey) {
    const scopes = scopesAsked(form, client.scopes);
    const now = new Date(context.clock.now());
    const grant = {
      id: newId('grant'),
      accountId: client.accountId,
      clientId: client.id,
      scopes,
      endsAt: new Date(now.getTime() + GRANT_DAYS * DAY_MS),
      keyThumbprint: proofKey ?? null,
    };
    const refresh = newRefreshToken();
    await context.grants.create(grant, { hash: refresh.hash, expiresAt: refreshExpiry(now, grant.endsAt) });
    return issued(context, grant, scopes, refresh.text);
  },
};
