import type { ClientRecord, JwkSet } from './client-store.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { isId, newId } from '../../base/ids.ts';
import { HOUR_MS } from '../../base/time.ts';
import { claim, WITHOUT_LIMITS } from '../account-use.ts';
import { readClientKeys } from './client-keys.ts';
import { limitWithin, refuseExtraScopes } from './manage-keys.ts';
import type { Principal } from './principal.ts';
import type { Environment } from '../owner.ts';
import type { Owner } from '../owner.ts';
import type { Storage, Stores } from '../storage.ts';

/** Generates the secret of a client. */
export type NewClientSecret = () => { readonly text: string; readonly hash: Buffer };

/** A new client with its secret, which is shown only once, or with its public keys. */
export interface ShownClient {
  readonly id: string;
  /** Undefined for a client with public keys, which has no secret. */
  readonly secret: string | undefined;
  readonly scopes: readonly string[];
  readonly rateLimit: number;
}

async function storeNewClient(
  newSecret: NewClientSecret,
  stores: Pick<Stores, 'clients'>,
  traits: Pick<ClientRecord, 'accountId' | 'environment' | 'name' | 'scopes' | 'rateLimit' | 'jwks'>,
): Promise<ShownClient> {
  const id = newId('client');
  const { text, hash } = newSecret(); // with public keys nobody is told it, so it opens nothing
  await stores.clients.create({ ...traits, id, secretHash: hash });
  return {
    id,
    secret: traits.jwks === null ? text : undefined,
    scopes: traits.scopes,
    rateLimit: traits.rateLimit,
  };
}

/** Creates a client for an account (operator only). @throws InvalidInput for an unknown account */
export async function createClient(
  deps: { readonly storage: Storage; readonly newClientSecret: NewClientSecret },
  input: {
    readonly accountName: string;
    readonly environment: Environment;
    readonly scopes: readonly string[];
    readonly rateLimit: number;
    /** Keys that prove the client; absent: its secret does. */
    readonly jwks?: JwkSet;
  },
): Promise<ShownClient> {
  const { accountName, environment, scopes, rateLimit, jwks = null } = input;
  const account = await deps.storage.accounts.byName(accountName);
  if (account === undefined)
    throw new InvalidInput(
      `There is no account named ${accountName}; make it with: groundwatch accounts create ${accountName}`,
      { param: 'account' },
    );
  const traits = { accountId: account.id, environment, name: null, scopes, rateLimit, jwks };
  await claim(deps.storage, traits, 'clients', WITHOUT_LIMITS);
  return storeNewClient(deps.newClientSecret, deps.storage, traits);
}

/**
 * Creates a client in the caller's account and environment.
 * @throws Forbidden for scopes that the caller lacks; InvalidInput for a limit above the caller's own, or bad keys
 */
export async function issueClient(
  newSecret: NewClientSecret,
  stores: Pick<Stores, 'clients'>,
  caller: Principal,
  asked: {
    readonly name?: string;
    readonly scopes: readonly string[];
    readonly limit?: number;
    readonly jwks?: unknown;
  },
): Promise<ShownClient> {
  const { accountId, environment } = caller;
  const rateLimit = limitWithin(caller, asked.limit);
  refuseExtraScopes(caller, asked.scopes);
  const jwks = asked.jwks === undefined ? null : readClientKeys(asked.jwks, 'jwks');
  const traits = { accountId, environment, name: asked.name ?? null, scopes: asked.scopes, rateLimit, jwks };
  return storeNewClient(newSecret, stores, traits);
}

/** Revokes any client and all its tokens (operator only). @throws NotFound */
export async function endClient(stores: Pick<Stores, 'clients'>, id: string, nowMs: number): Promise<void> {
  const client = isId('client', id) ? await stores.clients.find(id) : undefined;
  if (client === undefined) throw new NotFound(`There is no client ${id}`);
  await stores.clients.revoke(id, new Date(nowMs));
}

/** Revokes a client of the caller and all its tokens. @throws NotFound */
export async function revokeClient(
  stores: Pick<Stores, 'clients'>,
  caller: Owner,
  id: string,
  nowMs: number,
): Promise<void> {
  await ownClient(stores, caller, id);
  await stores.clients.revoke(id, new Date(nowMs));
}

/**
 * Replaces the public keys of a client of the caller.
 * @param overlapHours how long assertions of the present keys are still accepted
 * @throws NotFound; InvalidInput for unfit keys, and for a client that proves itself by a secret
 */
export async function replaceClientKeys(
  stores: Pick<Stores, 'clients'>,
  caller: Owner,
  id: string,
  asked: { readonly jwks: unknown; readonly overlapHours: number },
  nowMs: number,
): Promise<ClientRecord> {
  return withKeys(stores, await ownClient(stores, caller, id), readClientKeys(asked.jwks, 'jwks'), {
    overlapHours: asked.overlapHours,
    nowMs,
  });
}

/** Replaces the public keys of any client (operator only). @throws as {@link replaceClientKeys} */
export async function replaceKeysOfClient(
  stores: Pick<Stores, 'clients'>,
  id: string,
  jwks: JwkSet,
  times: { readonly overlapHours: number; readonly nowMs: number },
): Promise<ClientRecord> {
  const client = isId('client', id) ? await stores.clients.find(id) : undefined;
  if (client === undefined || client.revokedAt !== null) throw new NotFound(`There is no client ${id}`);
  return withKeys(stores, client, jwks, times);
}

async function withKeys(
  stores: Pick<Stores, 'clients'>,
  client: ClientRecord,
  jwks: JwkSet,
  { overlapHours, nowMs }: { readonly overlapHours: number; readonly nowMs: number },
): Promise<ClientRecord> {
  if (client.jwks === null)
    throw new InvalidInput(
      `id: expected a client with public keys; ${client.id} proves itself by a secret: make a new client instead`,
      { param: 'id' },
    );
  const formerUntil = overlapHours === 0 ? null : new Date(nowMs + overlapHours * HOUR_MS);
  await stores.clients.replaceKeys(client.id, jwks, formerUntil);
  return { ...client, jwks, formerJwks: formerUntil && client.jwks, formerUntil };
}

/** Finds a client of the caller that is not revoked. @throws NotFound */
export async function ownClient(
  { clients }: Pick<Stores, 'clients'>,
  caller: Owner,
  id: string,
): Promise<ClientRecord> {
  const client = isId('client', id) ? await clients.find(id) : undefined;
  if (
    client === undefined ||
    client.accountId !== caller.accountId ||
    client.environment !== caller.environment ||
    client.revokedAt !== null
  )
    throw new NotFound(`There is no client ${id}`);
  return client;
}
