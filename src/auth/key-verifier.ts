import { timingSafeEqual } from 'node:crypto';
import { Unauthorized } from '../base/errors.ts';
import type { Clock } from '../app/owner.ts';
import type { ApiKeyRecord, KeyStore } from '../app/access/key-store.ts';
import { parseApiKey } from './api-key.ts';
import type { Verify } from './authenticator.ts';
import { lastUse } from './last-use.ts';

const NO_HASH = Buffer.alloc(32);

/** Verifies API keys. One that is mistyped is refused without a look at the database. */
export function keyVerifier(keys: Pick<KeyStore, 'find' | 'touch'>, clock: Clock): Verify {
  const used = lastUse((id, at) => keys.touch(id, at));
  return async (text) => {
    const parsed = parseApiKey(text);
    if (parsed === undefined) throw new Unauthorized('The API key is malformed or mistyped', 'invalid_token');
    const record = await keys.find(parsed.id);
    const now = clock.now();
    // One comparison, also for an unknown key, and one message: a caller learns nothing about which part failed.
    const isSame = timingSafeEqual(parsed.hash, record?.secretHash ?? NO_HASH);
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
    };
  };
}

function endsAtMs({ expiresAt, revokedAt, accountDisabledAt }: ApiKeyRecord): number {
  return Math.min(...[expiresAt, revokedAt, accountDisabledAt].map((at) => at?.getTime() ?? Infinity));
}
