import type { ClientRecord, ClientStore, GrantStore } from '../app/access/client-store.ts';
import { Unauthorized } from '../base/errors.ts';
import { isId } from '../base/ids.ts';
import { type ClientCredentials, OAuthRefusal, type OAuthServer } from '../app/access/oauth.ts';
import type { ProvenCall } from '../app/access/principal.ts';
import type { Clock } from '../app/clock.ts';
import type { AccessTokens } from './access-token.ts';
import { clientNamedBy, isAssertionOf } from './client-assertion.ts';
import { clientCredentials } from './client-credentials.ts';
import { isSecretOf } from './client-secret.ts';
import { CALLER_SIGNATURES, type PossessionProofs } from './possession-proof.ts';
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
  readonly proofs: PossessionProofs;
  readonly clock: Clock;
  readonly issuer: () => string;
}): OAuthServer {
  const { clients, grants, keys, tokens, proofs, clock, issuer } = parts;
  return {
    issuer,
    signatures: CALLER_SIGNATURES,
    async clientOf(credentials, grantType) {
      const { assertion } = credentials;
      const id = credentials.id ?? (assertion === undefined ? undefined : clientNamedBy(assertion));
      const found = id !== undefined && isId('client', id) ? await clients.find(id) : undefined;
      // An unknown client, a revoked one and a wrong secret take the same path and get the same message.
      const holds = await isProven(found, credentials, GRANTS.get(grantType ?? '')?.needsProof === true);
      if (!holds || found === undefined || found.revokedAt !== null || found.accountDisabledAt !== null)
        throw new OAuthRefusal('invalid_client', 'The client is unknown, or its secret is missing or wrong');
      return found;
    },
    async issue(client, form, call) {
      const type = form.get('grant_type');
      if (type === undefined) throw new OAuthRefusal('invalid_request', 'grant_type: required, but missing');
      const grant = GRANTS.get(type);
      if (grant === undefined)
        throw new OAuthRefusal(
          'unsupported_grant_type',
          `grant_type: expected ${GRANT_TYPES.join(' or ')}, got ${printable(type)}`,
        );
      const issued = await grant.issue(
        { grants, tokens, clock },
        client,
        form,
        await proofKeyOf(call, proofs),
      );
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

  /** A client with keys proves itself by an assertion always, any other by its secret where one is needed. */
  async function isProven(
    client: ClientRecord | undefined,
    { secret, assertion }: ClientCredentials,
    isNeeded: boolean,
  ): Promise<boolean> {
    if (assertion !== undefined) {
      const audiences = [issuer(), `${issuer()}/oauth/token`, `${issuer()}/oauth/revoke`];
      return (
        client !== undefined && isAssertionOf(client, assertion, { grants, audiences, nowMs: clock.now() })
      );
    }
    const holds = secret === undefined ? !isNeeded : isSecretOf(secret, client?.secretHash);
    return holds && client?.jwks === null;
  }

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

async function proofKeyOf(call: ProvenCall, proofs: PossessionProofs): Promise<string | undefined> {
  if (call.headers['dpop'] === undefined) return undefined;
  try {
    return await proofs.keyOf(call);
  } catch (error) {
    if (error instanceof Unauthorized) throw new OAuthRefusal('invalid_dpop_proof', error.message);
    throw error;
  }
}
