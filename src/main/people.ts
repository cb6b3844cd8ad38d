import { readFileSync } from 'node:fs';
import type { People } from '../app/access/sign-in.ts';
import type { Clock } from '../app/clock.ts';
import type { Storage } from '../app/storage.ts';
import { openIdProvider } from '../auth/openid-provider.ts';
import type { SecretBox } from '../auth/secret-box.ts';
import { secretHash } from '../auth/secret-hash.ts';
import { newSessionSecret } from '../auth/session-secret.ts';
import { sessionVerifier } from '../auth/session-verifier.ts';
import type { Config } from '../config.ts';
import { trustingFetch } from '../net/trusting-fetch.ts';
import { extraAuthorities } from './authorities.ts';
import { readSetting } from './setting.ts';

const PROVIDER_TIMEOUT_MS = 10_000; // timeout for each request to the provider, while a person waits

/**
 * Makes the sign-in of people; undefined when no OpenID provider is set. Nothing is asked of the provider yet.
 * @throws InvalidInput naming a setting whose file cannot be read
 */
export function openPeople(
  config: Config,
  parts: {
    readonly storage: Storage;
    readonly sealing: SecretBox;
    readonly clock: Clock;
    /** Address of the service; read for each use: the port may be known only after listening. */
    readonly baseUrl: () => string;
    readonly onClose: (close: () => Promise<void>) => void;
  },
): People | undefined {
  if (config.openId === undefined) return undefined;
  const { storage, sealing, clock, baseUrl, onClose } = parts;
  const { issuer, clientId, secret } = config.openId;
  const clientSecret =
    'file' in secret
      ? readSetting('GROUNDWATCH_OIDC_CLIENT_SECRET_FILE', () => secretIn(secret.file))
      : secret.text;
  const connection = trustingFetch({
    extraCa: extraAuthorities(config),
    timeoutMs: PROVIDER_TIMEOUT_MS,
  });
  onClose(() => connection.close());
  const provider = openIdProvider(
    { issuer, clientId, clientSecret },
    {
      fetch: connection.fetch,
      timeoutMs: PROVIDER_TIMEOUT_MS,
      sealing,
      grants: storage.grants,
      clock,
      redirectUri: () => `${baseUrl()}/auth/callback`,
    },
  );
  return {
    provider,
    newSessionSecret,
    sessionHash: secretHash,
    authenticate: sessionVerifier(storage.sessions, storage.members, clock),
    baseUrl,
  };
}

function secretIn(path: string): string {
  const text = readFileSync(path, 'utf8').trim();
  if (text === '') throw new Error(`expected the secret in ${path}, got an empty file`);
  return text;
}
