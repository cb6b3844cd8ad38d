import type { Storage } from '../app/storage.ts';
import { InvalidInput } from '../base/errors.ts';
import { type Given, text } from './command.ts';

/** The identifier of an account by its name. @throws InvalidInput for an unknown account */
export async function accountId(storage: Storage, name: string): Promise<string> {
  const account = await storage.accounts.byName(name);
  if (account === undefined)
    throw new InvalidInput(`There is no account named ${name}`, { param: 'account' });
  return account.id;
}

/** The identifier of the account that `--account` names; null without the option. @throws InvalidInput */
export async function accountOption(storage: Storage, given: Given): Promise<string | null> {
  const name = text(given, 'account');
  return name === undefined ? null : accountId(storage, name);
}
