import type { ClientRecord } from './client-store.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { isId, newId } from '../../base/ids.ts';
import { limitWithin, refuseMore } from './manage-keys.ts';
import type { Principal } from './principal.ts';
import type { Environment } from '../owner.ts';
import type { Owner } from '../owner.ts';
import type { Storage, Stores } from '../storage.ts';

/** Makes the secret of a client. */
export type NewClientSecret = () => { readonly text: string; readonly hash: Buffer };

/** A client as it is shown, once. */
export interface ShownClient {
  readonly id: string;
  readonly secret: string;
  readonly scopes: readonly string[];
  readonly rateLimit: number;
}

async function make(
  newSecret: NewClientSecret,
  stores: Pick<Stores, 'clients'>,
  traits: Pick<ClientRecord, 'accountId' | 'environment' | 'name' | 'scopes' | 'rateLimit'>,
): Promise<ShownClient> {
  const id = newId('client');
  const { text, hash } = newSecret();
  await stores.clients.create({ ...traits, id, secretHash: hash });
  return { id, secret: text, scopes: traits.scopes, rateLimit: traits.rateLimit };
}

/** Makes a client for an account, as its operator. @throws InvalidInput for an unknown account */
export async function createClient(
  deps: { readonly storage: Storage; readonly newClientSecret: NewClientSecret },
  input: {
    readonly accountName: string;
    readonly environment: Environment;
    readonly scopes: readonly string[];
    readonly rateLimit: number;
  },
): Promise<ShownClient> {
  const { accountName, environment, scopes, rateLimit } = input;
  const account = await deps.storage.accounts.byName(accountName);
  if (account === undefined)
    throw new InvalidInput(
      `There is no account named ${accountName}; make it with: groundwatch accounts create ${accountName}`,
      { param: 'account' },
    );
  const traits = { accountId: account.id, environment, name: null, scopes, rateLimit };
  return make(deps.newClientSecret, deps.storage, traits);
}

/** Makes a client of the caller's account and environment. @throws Forbidden, InvalidInput for more than the caller holds */
export async function issueClient(
  newSecret: NewClientSecret,
  stores: Pick<Stores, 'clients'>,
  caller: Principal,
  asked: { readonly name?: string; readonly scopes: readonly string[]; readonly limit?: number },
): Promise<ShownClient> {
  const { accountId, environment } = caller;
  const rateLimit = limitWithin(caller, asked.limit);
  refuseMore(caller, asked.scopes);
  const traits = { accountId, environment, name: asked.name ?? null, scopes: asked.scopes, rateLimit };
  return make(newSecret, stores, traits);
}

/** Ends a client and all its tokens now, as the operator. @throws NotFound */
export async function endClient(stores: Pick<Stores, 'clients'>, id: string, nowMs: number): Promise<void> {
  const client = isId('client', id) ? await stores.clients.find(id) : undefined;
  if (client === undefined) throw new NotFound(`There is no client ${id}`);
  await stores.clients.revoke(id, new Date(nowMs));
}

/** Ends a client of the caller's and all its tokens now. @throws NotFound */
export async function revokeClient(
  stores: Pick<Stores, 'clients'>,
  caller: Owner,
  id: string,
  nowMs: number,
): Promise<void> {
  await ownClient(stores, caller, id);
  await stores.clients.revoke(id, new Date(nowMs));
}

/** A client of the caller's that is not revoked. @throws NotFound */
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
