import { Forbidden, InvalidInput, NotFound } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Principal } from './principal.ts';
import type { Clock, Environment } from '../owner.ts';
import type { ApiKeyRecord } from './key-store.ts';
import type { Owner } from '../owner.ts';
import type { Storage, Stores } from '../storage.ts';
import { DAY_MS } from '../../base/time.ts';

const HOUR_MS = 3_600_000;
const OVERLAP_HOURS = 24; // that a replaced key still works
const LIFETIME_DAYS = 90; // interface.md "Key handling rules"
const LIFETIME_SLACK_MS = 60_000; // a key's making and its end are told by two clocks
const RATE_LIMIT = 600; // units a minute: contract.md "Rate limits"
/** How long before its end a key is warned of [ms]. */
export const WARNED_AHEAD_MS = 14 * DAY_MS;

/** What making keys needs. */
export interface KeyDeps {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly newApiKey: (environment: Environment) => {
    readonly id: string;
    readonly text: string;
    readonly hash: Buffer;
  };
}

/** A key as it is shown, once. */
export interface ShownKey {
  readonly id: string;
  readonly text: string;
  readonly scopes: readonly string[];
  readonly rateLimit: number;
  readonly expiresAt: Date | null;
}

/** A key that takes the place of another. */
export type Successor = ShownKey & { readonly oldEndsAt: Date };

interface KeyTraits extends Owner {
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly rateLimit: number;
  readonly expiresAt: Date | null;
}

async function make(
  { newApiKey }: Pick<KeyDeps, 'newApiKey'>,
  stores: Pick<Stores, 'keys'>,
  traits: KeyTraits,
): Promise<ShownKey> {
  const { id, text, hash } = newApiKey(traits.environment);
  await stores.keys.create({ ...traits, id, secretHash: hash });
  const { scopes, rateLimit, expiresAt } = traits;
  return { id, text, scopes, rateLimit, expiresAt };
}

/** Makes a key for an account, as its operator. @throws InvalidInput for an unknown account */
export async function createApiKey(
  deps: KeyDeps,
  input: {
    readonly accountName: string;
    readonly environment: Environment;
    readonly name?: string;
    readonly scopes: readonly string[];
    /** [ms]; null: never expires. */
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
  return make(deps, deps.storage, traits);
}

/** Makes a key of the caller's account and environment. @throws Forbidden, InvalidInput for more than the caller holds */
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
  refuseMore(caller, asked.scopes);
  const days = asked.expires_in_days;
  const lifetimeMs = await lifetimeWithin(stores, caller, days === undefined ? undefined : days * DAY_MS);
  const expiresAt = new Date(deps.clock.now() + lifetimeMs);
  const traits = { name: asked.name ?? null, scopes: asked.scopes, rateLimit, expiresAt };
  return make(deps, stores, { accountId, environment, ...traits });
}

/** Makes a key like another, which goes on for a day, as the operator. @throws NotFound, or InvalidInput for one that has ended */
export async function replaceApiKey(deps: KeyDeps, id: string): Promise<Successor> {
  const old = isId('key', id) ? await deps.storage.keys.find(id) : undefined;
  if (old === undefined) throw new NotFound(`There is no key ${id}`);
  return deps.storage.transaction((stores) => succeed(deps, stores, old, OVERLAP_HOURS));
}

/** Makes a key like another of the caller's. @throws NotFound; InvalidInput for one that has ended; Forbidden or InvalidInput for one that may more */
export async function rotateApiKey(
  deps: Pick<KeyDeps, 'clock' | 'newApiKey'>,
  stores: Pick<Stores, 'keys'>,
  caller: Principal,
  id: string,
  overlapHours: number = OVERLAP_HOURS,
): Promise<Successor> {
  const old = await ownKey(stores, caller, id, deps.clock.now());
  refuseMore(caller, old.scopes);
  if (caller.rateLimit !== 0 && (old.rateLimit === 0 || old.rateLimit > caller.rateLimit))
    throw new InvalidInput(
      `The key ${id} has ${old.rateLimit === 0 ? 'no limit' : `a limit of ${old.rateLimit}`}, more than this credential's ${caller.rateLimit} units a minute: renew it with one that may as much`,
    );
  const ownMs = await ownLifetime(stores, caller);
  if (lifetimeOf(old) > ownMs + LIFETIME_SLACK_MS)
    throw new InvalidInput(
      `The key ${id} ${lifetimeOf(old) === Infinity ? 'has no end' : `lives ${inDays(lifetimeOf(old))}`}, longer than this key's ${inDays(ownMs)}: renew it with one that lives as long, or with itself`,
    );
  return succeed(deps, stores, old, overlapHours);
}

async function succeed(
  deps: Pick<KeyDeps, 'clock' | 'newApiKey'>,
  stores: Pick<Stores, 'keys'>,
  old: ApiKeyRecord,
  overlapHours: number,
): Promise<Successor> {
  const now = deps.clock.now();
  const endsAtMs = endOfKey(old)?.getTime() ?? Infinity;
  if (endsAtMs <= now) throw ended(old.id);
  const lifetimeMs = lifetimeOf(old);
  const expiresAt = lifetimeMs === Infinity ? null : new Date(now + lifetimeMs);
  const { accountId, environment, name, scopes, rateLimit } = old;
  const oldEndsAt = new Date(Math.min(now + overlapHours * HOUR_MS, endsAtMs));
  const endsAt = await stores.keys.end(old.id, oldEndsAt);
  // Revoked since it was read: it has no successor.
  if (endsAt === undefined || (endsAt < oldEndsAt && endsAt.getTime() <= deps.clock.now()))
    throw ended(old.id);
  const made = await make(deps, stores, { accountId, environment, name, scopes, rateLimit, expiresAt });
  return { ...made, oldEndsAt: endsAt };
}

const ended = (id: string): InvalidInput =>
  new InvalidInput(`The key ${id} has ended; create a new one instead`);

/** How long a key lives from when it was made [ms]; Infinity: it never expires. */
function lifetimeOf({ expiresAt, createdAt }: ApiKeyRecord): number {
  return expiresAt === null ? Infinity : expiresAt.getTime() - createdAt.getTime();
}

/**
 * A lifetime [ms] for what a caller makes; absent, the usual one or the caller's own if that is shorter. It is the length
 * that counts, not the end: a key must be able to make its successor. A client's token has no such bound, as a client
 * does not expire.
 * @throws InvalidInput for one that is longer than the caller's own
 */
async function lifetimeWithin(
  stores: Pick<Stores, 'keys'>,
  caller: Principal,
  askedMs: number | undefined,
): Promise<number> {
  const ownMs = await ownLifetime(stores, caller);
  if (askedMs === undefined) return Math.min(LIFETIME_DAYS * DAY_MS, ownMs);
  if (askedMs > ownMs + LIFETIME_SLACK_MS)
    throw new InvalidInput(
      `expires_in_days: expected no longer life than that of this key, ${inDays(ownMs)}; got ${inDays(askedMs)}`,
      { param: 'expires_in_days' },
    );
  return askedMs;
}

/** How long the caller's key lives [ms]; Infinity: for ever, as a client does. */
async function ownLifetime({ keys }: Pick<Stores, 'keys'>, { keyId }: Principal): Promise<number> {
  const own = isId('key', keyId) ? await keys.find(keyId) : undefined;
  return own === undefined ? Infinity : lifetimeOf(own);
}

const inDays = (ms: number): string => `${Number((ms / DAY_MS).toPrecision(3))} days`;

/** Ends a key now, as the operator. @throws NotFound */
export async function endApiKey(deps: Pick<KeyDeps, 'clock' | 'storage'>, id: string): Promise<void> {
  const key = isId('key', id) ? await deps.storage.keys.find(id) : undefined;
  if (key === undefined) throw new NotFound(`There is no key ${id}`);
  await deps.storage.keys.end(id, new Date(deps.clock.now()));
}

/** Ends a key of the caller's now. @throws NotFound */
export async function revokeApiKey(
  stores: Pick<Stores, 'keys'>,
  caller: Owner,
  id: string,
  nowMs: number,
): Promise<void> {
  await ownKey(stores, caller, id, nowMs);
  await stores.keys.end(id, new Date(nowMs));
}

/** A key of the caller's that is not revoked. @throws NotFound */
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

/** When a key ends, by age, replacement or revocation; null: never. */
export function endOfKey({ expiresAt, revokedAt }: ApiKeyRecord): Date | null {
  if (expiresAt === null || revokedAt === null) return expiresAt ?? revokedAt;
  return expiresAt < revokedAt ? expiresAt : revokedAt;
}

/** Refuses to give scopes that the caller does not hold. @throws Forbidden */
export function refuseMore(caller: Principal, scopes: readonly string[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.has(scope));
  if (missing.length > 0)
    throw new Forbidden(`This credential cannot give what it does not hold: ${missing.join(', ')}`, missing);
}

/** A limit for what a caller makes; absent, the usual one or the caller's own if that is lower. @throws InvalidInput */
export function limitWithin({ rateLimit }: Principal, asked: number | undefined): number {
  if (asked === undefined) return rateLimit === 0 ? RATE_LIMIT : Math.min(RATE_LIMIT, rateLimit);
  if (rateLimit !== 0 && (asked === 0 || asked > rateLimit))
    throw new InvalidInput(
      `limit: expected 1 to ${rateLimit} units a minute, the limit of this credential; got ${asked}`,
      { param: 'limit' },
    );
  return asked;
}
