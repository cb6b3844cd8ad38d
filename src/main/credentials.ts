import type { Clock } from '../app/clock.ts';
import type { Deps } from '../app/deps.ts';
import type { Storage } from '../app/storage.ts';
import { accessTokens } from '../auth/access-token.ts';
import { newApiKey } from '../auth/api-key.ts';
import { authenticator } from '../auth/authenticator.ts';
import { newClientSecret } from '../auth/client-secret.ts';
import { keyVerifier } from '../auth/key-verifier.ts';
import { oauthServer } from '../auth/oauth-server.ts';
import { possessionProofs } from '../auth/possession-proof.ts';
import { SigningKeys } from '../auth/signing-keys.ts';
import { tokenVerifier } from '../auth/token-verifier.ts';

/**
 * Makes the parts that issue and verify API keys, OAuth clients and access tokens.
 * @param addresses address of the token endpoint, if it has one of its own, and of the service, which is read for each
 *   token: the port may be known only after listening
 */
export function credentialParts(
  storage: Storage,
  clock: Clock,
  { authUrl, baseUrl }: { readonly authUrl: string | undefined; readonly baseUrl: () => string },
): Pick<Deps, 'authenticator' | 'oauth' | 'newApiKey' | 'newClientSecret'> {
  const signingKeys = new SigningKeys(storage.signingKeys, clock);
  const issuer = (): string => authUrl ?? baseUrl();
  const tokens = accessTokens(signingKeys, clock, issuer);
  const proofs = possessionProofs(clock, () => [...new Set([baseUrl(), issuer()])], storage.grants);
  return {
    authenticator: authenticator(
      {
        key: keyVerifier(storage.keys, clock),
        token: tokenVerifier(tokens, storage.clients, storage.grants, clock),
      },
      proofs,
      clock,
    ),
    oauth: oauthServer({ ...storage, keys: signingKeys, tokens, proofs, clock, issuer }),
    newApiKey,
    newClientSecret,
  };
}
