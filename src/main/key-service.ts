import { readFileSync } from 'node:fs';
import { awsKms } from '../auth/kms/aws-kms.ts';
import type { KeyService } from '../auth/kms/key-service.ts';
import { vaultTransit } from '../auth/kms/vault-transit.ts';
import type { Config } from '../config.ts';
import { trustingFetch } from '../net/trusting-fetch.ts';
import { extraAuthorities } from './authorities.ts';
import { readSetting } from './setting.ts';

const TIMEOUT_MS = 10_000; // timeout of a request to the key service, which delays the start

/** Opens the key service that is set; undefined: none. Nothing is asked of it yet. */
export function openKeyService(
  config: Pick<Config, 'keyService' | 'caFile'>,
): { readonly service: KeyService; readonly close: () => Promise<void> } | undefined {
  const { keyService: of } = config;
  if (of === undefined) return undefined;
  const { fetch, close } = trustingFetch({ extraCa: extraAuthorities(config), timeoutMs: TIMEOUT_MS });
  const service =
    of.kind === 'vault'
      ? vaultTransit(of, {
          fetch,
          token: () => ('file' in of.token ? tokenIn(of.token.file) : of.token.text),
        })
      : awsKms(of, { fetch, credentials: of.credentials, now: Date.now });
  return { service, close };
}

function tokenIn(path: string): string {
  return readSetting('GROUNDWATCH_KMS_TOKEN_FILE', () => {
    const text = readFileSync(path, 'utf8').trim();
    if (text === '') throw new Error(`expected a token in ${path}, got an empty file`);
    return text;
  });
}
