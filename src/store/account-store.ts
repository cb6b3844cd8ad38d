import type { Kysely } from 'kysely';
import { InvalidInput } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Account, AccountStore } from '../app/access/account-store.ts';
import type { Database } from './schema.ts';

/** Returns the store of accounts in the database. */
export function accountStore(db: Kysely<Database>): AccountStore {
  const columns = ['id', 'name', 'created_at as createdAt', 'disabled_at as disabledAt'] as const;
  /** Accounts whose erasure has begun. */
  const erasing = async (): Promise<ReadonlySet<string>> => {
    const rows = await db
      .selectFrom('account_keys')
      .select('account_id')
      .where('erased_at', 'is not', null)
      .execute();
    return new Set(rows.map(({ account_id }) => account_id));
  };
  return {
    async create(name): Promise<Account> {
      const made = await db
        .insertInto('accounts')
        .values({ id: newId('account'), name })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .returning(columns)
        .executeTakeFirst();
      if (made === undefined)
        throw new InvalidInput(`There is an account named ${name} already`, { param: 'name' });
      return made;
    },
    find: (id) => db.selectFrom('accounts').select(columns).where('id', '=', id).executeTakeFirst(),
    byName: (name) => db.selectFrom('accounts').select(columns).where('name', '=', name).executeTakeFirst(),
    async setDisabled(id, at) {
      if (at === null && (await erasing()).has(id))
        throw new InvalidInput(
          `The account ${id} is being erased: groundwatch accounts erase ${id} --confirm`,
        );
      await db.updateTable('accounts').set({ disabled_at: at }).where('id', '=', id).execute();
    },
    async list() {
      const accounts = await db.selectFrom('accounts').select(columns).orderBy('name').execute();
      const half = await erasing();
      return accounts.map((account) => ({ ...account, isBeingErased: half.has(account.id) }));
    },
  };
}
