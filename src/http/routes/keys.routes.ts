import { claim } from '../../app/account-use.ts';
import { endOfKey, issueApiKey, ownKey, revokeApiKey, rotateApiKey } from '../../app/access/manage-keys.ts';
import type { ShownKey } from '../../app/access/manage-keys.ts';
import type { ApiKeyRecord } from '../../app/access/key-store.ts';
import * as contract from '../../contract/keys.ts';
import { DAY_MS, formatTimestamp } from '../../base/time.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { creatingRoute, route, type RouteContext } from '../route.ts';
import { KEY_WARNING_DAYS } from '../../contract/limits.ts';

const LIST: ListKind = { name: 'keys', position: ['key'] };

export function keyRoutes(context: RouteContext): void {
  const { deps, accountLimits } = context;
  const { clock } = deps;
  // A replaced key counts until it ends. An account at its limit can replace all its keys nevertheless.
  const duringRotation = { ...accountLimits, keys: 2 * accountLimits.keys };
  creatingRoute(context, contract.createKey, async ({ stores, principal, body }) => {
    await claim(stores, principal, 'keys', accountLimits);
    const made = await issueApiKey(deps, stores, principal, body);
    return { status: 201, location: `/v1/keys/${made.id}`, body: shown(made) };
  });
  route(context, contract.listKeys, async ({ storage, principal, query, request, reply }) => {
    const now = clock.now();
    const page = await storage.keys.owned(principal, new Date(now), pageRequest(LIST, query));
    return {
      keys: page.items.map((key) => present(key, now)),
      ...nextPage(LIST, page, request, reply),
    };
  });
  route(context, contract.getKey, async ({ storage, principal, params }) =>
    present(await ownKey(storage, principal, params.id, clock.now()), clock.now()),
  );
  creatingRoute(context, contract.rotateKey, async ({ stores, principal, params, query }) => {
    await claim(stores, principal, 'keys', duringRotation);
    const made = await rotateApiKey(deps, stores, principal, params.id, query.overlap_hours);
    const successor = {
      ...shown(made),
      replaces: params.id,
      old_key_ends_at: formatTimestamp(made.oldEndsAt.getTime()),
    };
    return { status: 201, location: `/v1/keys/${made.id}`, body: successor };
  });
  route(context, contract.revokeKey, async ({ storage, principal, params }) => {
    await revokeApiKey(storage, principal, params.id, clock.now());
  });
}

function shown({ id, text, scopes, rateLimit, expiresAt }: ShownKey) {
  return { id, key: text, scopes, limit: rateLimit, expires_at: timestamp(expiresAt) };
}

function present(key: ApiKeyRecord, nowMs: number): contract.Key {
  const endsAt = endOfKey(key);
  const leftMs = (endsAt?.getTime() ?? Infinity) - nowMs;
  const status = leftMs <= 0 ? 'expired' : leftMs <= KEY_WARNING_DAYS * DAY_MS ? 'expiring' : 'active';
  return {
    id: key.id,
    name: key.name,
    environment: key.environment,
    scopes: [...key.scopes],
    limit: key.rateLimit,
    status,
    created_at: formatTimestamp(key.createdAt.getTime()),
    expires_at: timestamp(endsAt),
    last_used_at: timestamp(key.lastUsedAt),
    warning: status === 'expiring' ? warning(key, leftMs) : null,
  };
}

function warning({ id, revokedAt }: ApiKeyRecord, leftMs: number): string {
  const days = Math.floor(leftMs / DAY_MS);
  const left = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
  return revokedAt === null
    ? `Ends in ${left}: replace it with POST /v1/keys/${id}/rotate`
    : `It was replaced, and ends in ${left}: use its successor`;
}

function timestamp(at: Date | null): string | null {
  return at && formatTimestamp(at.getTime());
}
