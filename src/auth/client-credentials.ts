import { newId } from '../base/ids.ts';
import { newRefreshToken } from './client-secret.ts';
import { REFRESH_LIFE_MS, scopesAsked, type TokenGrant } from './token-grant.ts';
import { ACCESS_TOKEN_S } from '../contract/limits.ts';

/** Client credentials grant (RFC 6749 section 4.4). In addition to the RFC, our API issues a refresh token. */
export const clientCredentials: TokenGrant = {
  needsSecret: true,
  async issue({ grants, tokens, clock }, client, form) {
    const scopes = scopesAsked(form, client.scopes);
    const grant = { id: newId('grant'), accountId: client.accountId, clientId: client.id, scopes };
    const refresh = newRefreshToken();
    const accessToken = await tokens.sign({ clientId: client.id, grantId: grant.id, scopes });
    const expiresAt = new Date(clock.now() + REFRESH_LIFE_MS);
    await grants.create(grant, { hash: refresh.hash, expiresAt });
    return { accessToken, expiresInS: ACCESS_TOKEN_S, scopes, refreshToken: refresh.text };
  },
};
