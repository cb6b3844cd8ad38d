import { timingSafeEqual } from 'node:crypto';
import { Unauthorized } from '../app/errors.ts';
import type { Authenticator, Clock, Principal } from '../app/ports.ts';
import type { ApiKeyRecord, KeyStore } from '../app/stores.ts';
import { parseApiKey } from './api-key.ts';

const RECHECK_MS = 1000; // a revoked key is refused after this at the latest: contract.md "API keys"
const TOUCH_MS = 60_000; // last-used times are kept to the minute
const MAX_CACHED = 10_000; // credentials; about 5 MB

interface Cached {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  checkedAtMs: number;
}

/**
 * Authenticates `Authorization: Bearer gw_...`. A key is looked up once and then again every second while it is used;
 * between two looks its principal comes from memory.
 */
export function keyAuthenticator(keys: Pick<KeyStore, 'find' | 'touch'>, clock: Clock): Authenticator {
  const cache = new Map<string, Cached>();
  const underway = new Map<string, Promise<Principal>>();
  const touched = new Map<string, number>();

  const look = async (authorization: string): Promise<Principal> => {
    const parsed = parseApiKey(authorization.slice('Bearer '.length).trim());
    if (parsed === undefined) throw new Unauthorized('The API key is malformed or mistyped', 'invalid_token');
    const record = await keys.find(parsed.id);
    const now = clock.now();
    // One comparison, one message: a caller learns nothing about which part failed.
    if (
      record === undefined ||
      record.environment !== parsed.environment ||
      !timingSafeEqual(record.secretHash, parsed.hash)
    )
      throw new Unauthorized('The API key is not valid', 'invalid_token');
    if (endsAt(record) <= now) {
      cache.delete(authorization);
      throw new Unauthorized('The API key has expired or was revoked', 'invalid_token');
    }
    const principal: Principal = Object.freeze({
      accountId: record.accountId,
      environment: record.environment,
      keyId: record.id,
      scopes: new Set(record.scopes),
      rateLimit: record.rateLimit,
    });
    cache.delete(authorization);
    cache.set(authorization, { principal, expiresAtMs: endsAt(record), checkedAtMs: now });
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
    if (now - (touched.get(record.id) ?? 0) > TOUCH_MS) {
      touched.set(record.id, now);
      if (touched.size > MAX_CACHED) touched.delete(touched.keys().next().value!);
      await keys.touch(record.id, new Date(now));
    }
    return principal;
  };

  return {
    authenticate(authorization) {
      if (authorization === undefined || authorization === '')
        throw new Unauthorized('No credential: expected the header Authorization: Bearer <API key>');
      const known = cache.get(authorization);
      const now = clock.now();
      if (known !== undefined && now - known.checkedAtMs < RECHECK_MS && now < known.expiresAtMs)
        return known.principal;
      if (!/^Bearer +\S+ *$/i.test(authorization))
        throw new Unauthorized('Expected the header Authorization: Bearer <API key>', 'invalid_request');
      let pending = underway.get(authorization);
      if (pending === undefined) {
        pending = look(authorization).finally(() => underway.delete(authorization));
        underway.set(authorization, pending);
      }
      return pending;
    },
  };
}

function endsAt(record: ApiKeyRecord): number {
  return Math.min(record.expiresAt?.getTime() ?? Infinity, record.revokedAt?.getTime() ?? Infinity);
}
