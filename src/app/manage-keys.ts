import { InvalidInput, NotFound } from './errors.ts';
import { isId } from './ids.ts';
import type { Clock, Environment } from './ports.ts';
import type { Storage } from './stores.ts';

const OVERLAP_MS = 86_400_000; // a replaced key works for another day

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
  readonly expiresAt: Date | null;
}

/** Makes a key for an account. @throws InvalidInput for an unknown account */
export async function createApiKey(
  deps: KeyDeps,
  input: {
    readonly accountName: string;
    readonly environment: Environment;
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
  const key = deps.newApiKey(input.environment);
  const expiresAt = input.lifetimeMs === null ? null : new Date(deps.clock.now() + input.lifetimeMs);
  await deps.storage.keys.create({
    id: key.id,
    accountId: account.id,
    environment: input.environment,
    secretHash: key.hash,
    scopes: input.scopes,
    rateLimit: input.rateLimit,
    expiresAt,
  });
  return { id: key.id, text: key.text, expiresAt };
}

/** Makes a key like another, which goes on for a day. @throws NotFound, or InvalidInput for one that has ended */
export async function replaceApiKey(
  deps: KeyDeps,
  id: string,
): Promise<ShownKey & { readonly oldEndsAt: Date }> {
  const now = deps.clock.now();
  const old = isId('key', id) ? await deps.storage.keys.find(id) : undefined;
  if (old === undefined) throw new NotFound(`There is no key ${id}`);
  const endsAtMs = Math.min(old.expiresAt?.getTime() ?? Infinity, old.revokedAt?.getTime() ?? Infinity);
  if (endsAtMs <= now) throw new InvalidInput(`The key ${id} has ended; create a new one instead`);
  const key = deps.newApiKey(old.environment);
  const lifetimeMs = old.expiresAt === null ? null : old.expiresAt.getTime() - old.createdAt.getTime();
  const expiresAt = lifetimeMs === null ? null : new Date(now + lifetimeMs);
  const oldEndsAt = new Date(Math.min(now + OVERLAP_MS, endsAtMs));
  await deps.storage.transaction(async (stores) => {
    await stores.keys.create({
      id: key.id,
      accountId: old.accountId,
      environment: old.environment,
      secretHash: key.hash,
      scopes: old.scopes,
      rateLimit: old.rateLimit,
      expiresAt,
    });
    await stores.keys.end(id, oldEndsAt);
  });
  return { id: key.id, text: key.text, expiresAt, oldEndsAt };
}

/** Ends a key now. @throws NotFound */
export async function endApiKey(deps: Pick<KeyDeps, 'clock' | 'storage'>, id: string): Promise<void> {
  const key = isId('key', id) ? await deps.storage.keys.find(id) : undefined;
  if (key === undefined) throw new NotFound(`There is no key ${id}`);
  await deps.storage.keys.end(id, new Date(deps.clock.now()));
}
