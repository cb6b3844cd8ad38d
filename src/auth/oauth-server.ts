import type { ClientStore, GrantStore } from '../app/access/client-store.ts';
import { Unauthorized } from '../base/errors.ts';
import { isId } from '../base/ids.ts';
import { OAuthRefusal, type OAuthServer } from '../app/access/oauth.ts';
import type { Clock } from '../app/clock.ts';
import type { AccessTokens } from './access-token.ts';
import { clientCredentials } from './client-credentials.ts';
import { isSecretOf } from './client-secret.ts';
import { refreshToken } from './refresh-token.ts';
import { secretHash } from './secret-hash.ts';
import type { SigningKeys } from './signing-keys.ts';
import { printable, type TokenGrant } from './token-grant.ts';

/** The supported grants by their `grant_type`. */
const GRANTS: ReadonlyMap<string, TokenGrant> = new Map([
  ['client_credentials', clientCredentials],
  ['refresh_token', refreshToken],
]);

const GRANT_TYPES = [...GRANTS.keys()];

/** The authorization server: grants, revocation, and the public keys of its signatures. */
export function oauthServer(parts: {
  readonly clients: Pick<ClientStore, 'find' | 'touch'>;
  readonly grants: GrantStore;
  readonly keys: SigningKeys;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
  readonly issuer: () => string;
}): OAuthServer {
  const { clients, grants, keys, tokens, clock, issuer } = parts;
  return {
    issuer,
    async clientOf({ id, secret }, grantType) {
      const found = isId('client', id) ? await clients.find(id) : undefined;
      // An unknown client, a revoked one and a wrong secret take the same path and get the same message.
      const holds =
        secret === undefined
          ? found !== undefined && GRANTS.get(grantType ?? '')?.needsSecret !== true
          : isSecretOf(secret, found?.secretHash);
      if (!holds || found === undefined || found.revokedAt !== null || found.accountDisabledAt !== null)
        throw new OAuthRefusal('invalid_client', 'The client is unknown, or its secret is missing or wrong');
      return found;
    },
    async issue(client, form) {
      const type = form.get('grant_type');
      if (type === undefined) throw new OAuthRefusal('invalid_request', 'grant_type: required, but missing');
      const grant = GRANTS.get(type);
      if (grant === undefined)
        throw new OAuthRefusal(
          'unsupported_grant_type',
          `grant_type: expected ${GRANT_TYPES.join(' or ')}, got ${printable(type)}`,
        );
      const issued = await grant.issue({ grants, tokens, clock }, client, form);
      await clients.touch(client.id, new Date(clock.now()));
      return issued;
    },
    async revoke(client, token) {
      const grantId = await grantOf(token);
      if (grantId !== undefined && (await grants.isLive(grantId, client.id)))
        await grants.revoke(grantId, new Date(clock.now()));
    },
    publicKeys: () => keys.published(),
  };

  async function grantOf(token: string): Promise<string | undefined> {
    const found = await grants.ofToken(secretHash(token));
    if (found !== undefined) return found.grant.id;
    try {
      return (await tokens.verify(token)).grantId;
    } catch (error) {
      if (error instanceof Unauthorized) return undefined;
      throw error;
    }
  }
}
