import { Forbidden, InvalidInput, NotFound } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import { claim, WITHOUT_LIMITS } from '../account-use.ts';
import type { Principal } from './principal.ts';
import type { Clock } from '../clock.ts';
import type { Environment } from '../owner.ts';
import type { ApiKeyRecord } from './key-store.ts';
import type { Owner } from '../owner.ts';
import type { Storage, Stores } from '../storage.ts';
import { DAY_MS, HOUR_MS } from '../../base/time.ts';
import { KEY_DAYS, KEY_OVERLAP_HOURS, RATE_LIMIT_UNITS } from '../../contract/limits.ts';

const LIFETIME_SLACK_MS = 60_000; // tolerance, because the creation and expiry times of a key come from two clocks

/** Dependencies of creating keys. */
export interface KeyDeps {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly newApiKey: (environment: Environment) => {
    readonly id: string;
    readonly text: string;
    readonly hash: Buffer;
  };
}

/** A new key with its text, which is shown only once. */
export interface ShownKey {
  readonly id: string;
  readonly text: string;
  readonly scopes: readonly string[];
  readonly rateLimit: number;
  readonly expiresAt: Date | null;
}

/** A key that replaces another one. */
export type Successor = ShownKey & { readonly oldEndsAt: Date };

interface KeyTraits extends Owner {
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly rateLimit: number;
  readonly expiresAt: Date | null;
}

async function storeNewKey(
  { newApiKey }: Pick<KeyDeps, 'newApiKey'>,
  stores: Pick<Stores, 'keys'>,
  traits: KeyTraits,
): Promise<ShownKey> {
  const { id, text, hash } = newApiKey(traits.environment);
  await stores.keys.create({ ...traits, id, secretHash: hash });
  const { scopes, rateLimit, expiresAt } = traits;
  return { id, text, scopes, rateLimit, expiresAt };
}

/** Creates a key for an account (operator only). @throws InvalidInput for an unknown account */
export async function createApiKey(
  deps: KeyDeps,
  input: {
    readonly accountName: string;
    readonly environment: Environment;
    readonly name?: string;
    readonly scopes: readonly string[];
    /** Time from creation to expiry [ms]; null: the key never expires. */
    readonly lifetimeMs: number | null;
    readonly rateLimit: number;
  },
): Promise<ShownKey> {
  const account = await deps.storage.accounts.byName(input.accountName);
  if (account === undefined)
    throw new InvalidInput(
      `There is no account named ${input.accountName}; make it with: groundwatch accounts create ${input.accountName}`,
      { param: 'account' },
    );
  const { environment, name = null, scopes, lifetimeMs, rateLimit } = input;
  const expiresAt = lifetimeMs === null ? null : new Date(deps.clock.now() + lifetimeMs);
  const traits = { accountId: account.id, environment, name, scopes, rateLimit, expiresAt };
  await claim(deps.storage, traits, 'keys', WITHOUT_LIMITS);
  return storeNewKey(deps, deps.storage, traits);
}

/**
 * Creates a key in the caller's account and environment.
 * @throws Forbidden for scopes that the caller lacks; InvalidInput for a limit or lifetime above the caller's own
 */
export async function issueApiKey(
  deps: Pick<KeyDeps, 'clock' | 'newApiKey'>,
  stores: Pick<Stores, 'keys'>,
  caller: Principal,
  asked: {
    readonly name?: string;
    readonly scopes: readonly string[];
    readonly limit?: number;
    readonly expires_in_days?: number;
  },
): Promise<ShownKey> {
  const { accountId, environment } = caller;
  const rateLimit = limitWithin(caller, asked.limit);
  refuseExtraScopes(caller, asked.scopes);
  const days = asked.expires_in_days;
  const lifetimeMs = await lifetimeWithin(stores, caller, days === undefined ? undefined : days * DAY_MS);
  const expiresAt = new Date(deps.clock.now() + lifetimeMs);
  const traits = { name: asked.name ?? null, scopes: asked.scopes, rateLimit, expiresAt };
  return storeNewKey(deps, stores, { accountId, environment, ...traits });
}

/**
 * Replaces any key with a new key that has the same properties (operator only). The old key works for another day.
 * @throws NotFound; InvalidInput when the key has ended
 */
export async function replaceApiKey(deps: KeyDeps, id: string): Promise<Successor> {
  const old = isId('key', id) ? await deps.storage.keys.find(id) : undefined;
  if (old === undefined) throw new NotFound(`There is no key ${id}`);
  return deps.storage.transaction(async (stores) => {
    await claim(stores, old, 'keys', WITHOUT_LIMITS);
    return createSuccessor(deps, stores, old, KEY_OVERLAP_HOURS.default);
  });
}

/**
 * Replaces a key of the caller's account with a new key that has the same properties.
 * @throws NotFound; Forbidden when the key has scopes that the caller's own credential lacks; InvalidInput when the
 * key has ended, or when its limit is higher or its lifetime longer than that of the caller's own credential
 */
export async function rotateApiKey(
  deps: Pick<KeyDeps, 'clock' | 'newApiKey'>,
  stores: Pick<Stores, 'keys'>,
  caller: Principal,
  id: string,
  overlapHours: number = KEY_OVERLAP_HOURS.default,
): Promise<Successor> {
  const old = await ownKey(stores, caller, id, deps.clock.now());
  refuseExtraScopes(caller, old.scopes);
  if (caller.rateLimit !== 0 && (old.rateLimit === 0 || old.rateLimit > caller.rateLimit))
    throw new InvalidInput(
      `The key ${id} has ${old.rateLimit === 0 ? 'no limit' : `a limit of ${old.rateLimit}`}, more than this credential's ${caller.rateLimit} units a minute: renew it with one that may as much`,
    );
  const ownMs = await ownLifetime(stores, caller);
  if (lifetimeOf(old) > ownMs + LIFETIME_SLACK_MS)
    throw new InvalidInput(
      `The key ${id} ${lifetimeOf(old) === Infinity ? 'has no end' : `lives ${inDays(lifetimeOf(old))}`}, longer than this key's ${inDays(ownMs)}: renew it with one that lives as long, or with itself`,
    );
  return createSuccessor(deps, stores, old, overlapHours);
}

async function createSuccessor(
  deps: Pick<KeyDeps, 'clock' | 'newApiKey'>,
  stores: Pick<Stores, 'keys'>,
  old: ApiKeyRecord,
  overlapHours: number,
): Promise<Successor> {
  const now = deps.clock.now();
  const endsAtMs = endOfKey(old)?.getTime() ?? Infinity;
  if (endsAtMs <= now) throw endedKey(old.id);
  const lifetimeMs = lifetimeOf(old);
  const expiresAt = lifetimeMs === Infinity ? null : new Date(now + lifetimeMs);
  const { accountId, environment, name, scopes, rateLimit } = old;
  const oldEndsAt = new Date(Math.min(now + overlapHours * HOUR_MS, endsAtMs));
  const endsAt = await stores.keys.end(old.id, oldEndsAt);
  // Another call revoked the key after this call had read it. A revoked key gets no successor.
  if (endsAt === undefined || (endsAt < oldEndsAt && endsAt.getTime() <= deps.clock.now()))
    throw endedKey(old.id);
  const made = await storeNewKey(deps, stores, {
    accountId,
    environment,
    name,
    scopes,
    rateLimit,
    expiresAt,
  });
  return { ...made, oldEndsAt: endsAt };
}

const endedKey = (id: string): InvalidInput =>
  new InvalidInput(`The key ${id} has ended; create a new one instead`);

/** Lifetime of a key from its creation [ms]; Infinity when it never expires. */
function lifetimeOf({ expiresAt, createdAt }: ApiKeyRecord): number {
  return expiresAt === null ? Infinity : expiresAt.getTime() - createdAt.getTime();
}

/**
 * Returns the lifetime [ms] of a key that the caller creates. Default: the default lifetime, or that of the caller's
 * own key if that is shorter. Lifetimes are compared, not expiry times, so that a key can create its successor.
 * OAuth clients do not expire, so the keys that they create have no maximum lifetime.
 * @throws InvalidInput when the requested lifetime is longer than that of the caller's own key
 */
async function lifetimeWithin(
  stores: Pick<Stores, 'keys'>,
  caller: Principal,
  askedMs: number | undefined,
): Promise<number> {
  const ownMs = await ownLifetime(stores, caller);
  if (askedMs === undefined) return Math.min(KEY_DAYS.default * DAY_MS, ownMs);
  if (askedMs > ownMs + LIFETIME_SLACK_MS)
    throw new InvalidInput(
      `expires_in_days: expected no longer life than that of this key, ${inDays(ownMs)}; got ${inDays(askedMs)}`,
      { param: 'expires_in_days' },
    );
  return askedMs;
}

/** Lifetime of the caller's key [ms]; Infinity for a key that never expires, and for an OAuth client. */
async function ownLifetime({ keys }: Pick<Stores, 'keys'>, { keyId }: Principal): Promise<number> {
  const own = isId('key', keyId) ? await keys.find(keyId) : undefined;
  return own === undefined ? Infinity : lifetimeOf(own);
}

const inDays = (ms: number): string => `${Number((ms / DAY_MS).toPrecision(3))} days`;

/** Revokes any key (operator only). @throws NotFound */
export async function endApiKey(deps: Pick<KeyDeps, 'clock' | 'storage'>, id: string): Promise<void> {
  const key = isId('key', id) ? await deps.storage.keys.find(id) : undefined;
  if (key === undefined) throw new NotFound(`There is no key ${id}`);
  await deps.storage.keys.end(id, new Date(deps.clock.now()));
}

/** Revokes a key of the caller. @throws NotFound */
export async function revokeApiKey(
  stores: Pick<Stores, 'keys'>,
  caller: Owner,
  id: string,
  nowMs: number,
): Promise<void> {
  await ownKey(stores, caller, id, nowMs);
  await stores.keys.end(id, new Date(nowMs));
}

/** Finds a key of the caller that is not revoked. @throws NotFound */
export async function ownKey(
  { keys }: Pick<Stores, 'keys'>,
  caller: Owner,
  id: string,
  nowMs: number,
): Promise<ApiKeyRecord> {
  const key = isId('key', id) ? await keys.find(id) : undefined;
  if (
    key === undefined ||
    key.accountId !== caller.accountId ||
    key.environment !== caller.environment ||
    (key.revokedAt !== null && key.revokedAt.getTime() <= nowMs)
  )
    throw new NotFound(`There is no key ${id}`);
  return key;
}

/** Returns when a key ends, by expiry, replacement or revocation; null: never. */
export function endOfKey({ expiresAt, revokedAt }: ApiKeyRecord): Date | null {
  if (expiresAt === null || revokedAt === null) return expiresAt ?? revokedAt;
  return expiresAt < revokedAt ? expiresAt : revokedAt;
}

/** @throws Forbidden when the caller lacks one of the scopes that it wants to give to another credential */
export function refuseExtraScopes(caller: Principal, scopes: readonly string[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.has(scope));
  if (missing.length > 0)
    throw new Forbidden(`This credential cannot give what it does not hold: ${missing.join(', ')}`, missing);
}

/**
 * Returns the rate limit [units per minute] of a credential that the caller creates. Default: the default limit, or
 * the caller's own limit if that is lower.
 * @throws InvalidInput when the requested limit is above the caller's own
 */
export function limitWithin({ rateLimit }: Principal, asked: number | undefined): number {
  if (asked === undefined) return rateLimit === 0 ? RATE_LIMIT_UNITS : Math.min(RATE_LIMIT_UNITS, rateLimit);
  if (rateLimit !== 0 && (asked === 0 || asked > rateLimit))
    throw new InvalidInput(
      `limit: expected 1 to ${rateLimit} units a minute, the limit of this credential; got ${asked}`,
      { param: 'limit' },
    );
  return asked;
}
