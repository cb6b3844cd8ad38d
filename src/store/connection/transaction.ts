import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Runs work in the transaction of the handle, or in a new one if the handle has none. */
export function inTransaction<T>(
  db: Kysely<Database>,
  work: (transaction: Kysely<Database>) => Promise<T>,
): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
