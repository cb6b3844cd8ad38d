import type { ClientStore, GrantStore } from '../app/access/client-store.ts';
import { Unauthorized } from '../base/errors.ts';
import type { Clock } from '../app/clock.ts';
import type { AccessClaims, AccessTokens } from './access-token.ts';
import type { Verify } from './authenticator.ts';
import { lastUse } from './last-use.ts';

const MAX_CACHED = 10_000; // maximum number of cached tokens: about 7 MB

/**
 * Verifies access tokens. The signature of a token is verified once, and its claims are cached. The client, account
 * and grant of the token are checked at every call.
 */
export function tokenVerifier(
  tokens: AccessTokens,
  clients: Pick<ClientStore, 'find' | 'touch'>,
  grants: Pick<GrantStore, 'isLive'>,
  clock: Clock,
): Verify {
  const signed = new Map<string, AccessClaims>();
  const used = lastUse((id, at) => clients.touch(id, at));
  return async (token) => {
    let claims = signed.get(token);
    if (claims === undefined || claims.expiresAtMs <= clock.now()) {
      signed.delete(token);
      claims = await tokens.verify(token);
      signed.set(token, claims);
      if (signed.size > MAX_CACHED) signed.delete(signed.keys().next().value!);
    }
    const { clientId, grantId, scopes, keyThumbprint, expiresAtMs } = claims;
    const [client, stands] = await Promise.all([clients.find(clientId), grants.isLive(grantId, clientId)]);
    if (client === undefined || client.revokedAt !== null || client.accountDisabledAt !== null || !stands)
      throw new Unauthorized('The access token was revoked', 'invalid_token');
    await used(client.id, clock.now());
    return {
      principal: Object.freeze({
        accountId: client.accountId,
        environment: client.environment,
        keyId: client.id,
        scopes: new Set(scopes.filter((scope) => client.scopes.includes(scope))),
        rateLimit: client.rateLimit,
      }),
      expiresAtMs,
      keyThumbprint,
    };
  };
}
