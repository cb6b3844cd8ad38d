import { Unauthorized } from '../base/errors.ts';
import type { Clock } from '../app/clock.ts';
import type { ApiKeyRecord, KeyStore } from '../app/access/key-store.ts';
import { parseApiKey } from './api-key.ts';
import type { Verify } from './authenticator.ts';
import { lastUse } from './last-use.ts';
import { isSameHash } from './secret-hash.ts';

/** Verifies API keys. A mistyped key is refused without a database query. */
export function keyVerifier(keys: Pick<KeyStore, 'find' | 'touch'>, clock: Clock): Verify {
  const used = lastUse((id, at) => keys.touch(id, at));
  return async (text) => {
    const parsed = parseApiKey(text);
    if (parsed === undefined) throw new Unauthorized('The API key is malformed or mistyped', 'invalid_token');
    const record = await keys.find(parsed.id);
    const now = clock.now();
    // For an unknown id, the same comparison runs and the same message is returned as for a wrong secret, so a
    // caller does not learn which part of the key is wrong.
    const isSame = isSameHash(parsed.hash, record?.secretHash);
    if (record === undefined || !isSame || record.environment !== parsed.environment)
      throw new Unauthorized('The API key is not valid', 'invalid_token');
    const expiresAtMs = endsAtMs(record);
    if (expiresAtMs <= now) throw new Unauthorized('The API key has expired or was revoked', 'invalid_token');
    await used(record.id, now);
    return {
      principal: Object.freeze({
        accountId: record.accountId,
        environment: record.environment,
        keyId: record.id,
        scopes: new Set(record.scopes),
        rateLimit: record.rateLimit,
      }),
      expiresAtMs,
      keyThumbprint: null,
    };
  };
}

function endsAtMs({ expiresAt, revokedAt, accountDisabledAt }: ApiKeyRecord): number {
  return Math.min(...[expiresAt, revokedAt, accountDisabledAt].map((at) => at?.getTime() ?? Infinity));
}
