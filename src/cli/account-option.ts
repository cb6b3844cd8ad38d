import type { Storage } from '../app/storage.ts';
import { InvalidInput } from '../base/errors.ts';
import { type Given, text } from './command.ts';

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
