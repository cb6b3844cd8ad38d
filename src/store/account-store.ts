import type { Kysely } from 'kysely';
import { InvalidInput } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Account, AccountStore } from '../app/access/account-store.ts';
import type { Database } from './schema.ts';

/** Returns the store of accounts in the database. */
export function accountStore(db: Kysely<Database>): AccountStore {
  const columns = ['id', 'name', 'created_at as createdAt', 'disabled_at as disabledAt'] as const;
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
      await db.updateTable('accounts').set({ disabled_at: at }).where('id', '=', id).execute();
    },
    list: () => db.selectFrom('accounts').select(columns).orderBy('name').execute(),
  };
}
