import type { Storage } from '../app/storage.ts';
import { InvalidInput } from '../base/errors.ts';
import { environment, type Given, type Option, text } from './command.ts';

/** Option of the commands that ingest: the account whose data it is. */
export const PRIVATE_TO: Option = {
  value: 'NAME',
  meaning: 'account that the collection is private to',
  fallback: 'all accounts of the environment can read it',
};

/** Option of the commands about a collection that exists: whose it is. */
export const COLLECTION_OF: Option = {
  value: 'NAME',
  meaning: 'account that the collection is private to',
  fallback: 'the one that all accounts of the environment can read',
};

/** A sentence on who can read what an ingest wrote. */
export function readersOf(given: Given): string {
  const name = text(given, 'account');
  return name === undefined
    ? `All accounts of ${environment(given)} can read it; --account NAME keeps it to one.`
    : `Only the account ${name} can read it.`;
}

/** Returns the identifier of the account with the given name. @throws InvalidInput when there is no such account */
export async function accountId(storage: Storage, name: string): Promise<string> {
  const account = await storage.accounts.byName(name);
  if (account === undefined)
    throw new InvalidInput(`There is no account named ${name}`, { param: 'account' });
  return account.id;
}

/** Returns the identifier of the account that `--account` names; null when it is not given. @throws InvalidInput */
export async function accountOption(storage: Storage, given: Given): Promise<string | null> {
  const name = text(given, 'account');
  return name === undefined ? null : accountId(storage, name);
}
