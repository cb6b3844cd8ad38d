import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** Keys of the installation in the database, as a key service wrapped them. Only that service can open them. */
export function wrappedKeyStore(db: Kysely<Database>) {
  return {
    list: () =>
      db
        .selectFrom('wrapped_keys')
        .select(['id', 'wrapped'])
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute(),
    async add(id: string, wrapped: string): Promise<void> {
      await db
        .insertInto('wrapped_keys')
        .values({ id, wrapped })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async remove(ids: readonly string[]): Promise<void> {
      if (ids.length > 0)
        await db
          .deleteFrom('wrapped_keys')
          .where('id', 'in', [...ids])
          .execute();
    },
  };
}
