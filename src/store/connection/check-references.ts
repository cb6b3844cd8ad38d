import { sql } from 'kysely';
import type { ServerLog } from '../server/embedded-postgres.ts';
import { type OpenDatabase, SCHEMA } from './database.ts';
import { errorCode } from './error-code.ts';

/** Errors after which a later start checks again: PostgreSQL, appendix A. */
const LATER: ReadonlySet<unknown> = new Set([
  '55P03', // lock_not_available: another process checks
  '40P01', // deadlock_detected
  '42704', // undefined_object: a later migration took it away
]);
const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Checks the rows that were there before a foreign key was added `not valid`. Calls go on meanwhile. A row that
 * contradicts a foreign key stays, and the log tells of it at each start.
 */
export async function checkReferences({ db }: OpenDatabase, log: ServerLog): Promise<void> {
  const { rows } = await sql<{ table: string; name: string }>`
    select relname as "table", conname as name from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and not convalidated and connamespace = ${SCHEMA}::regnamespace order by 1, 2`.execute(
    db,
  );
  for (const { table, name } of rows)
    try {
      await sql`alter table ${sql.id(table)} validate constraint ${sql.id(name)}`.execute(db);
    } catch (error) {
      if (errorCode(error) === FOREIGN_KEY_VIOLATION) {
        const { detail, message } = error as { readonly detail?: string; readonly message: string };
        log.warn(
          `A row of ${table} refers to a row that its account does not have: ${detail ?? message}. Delete it: a backup with it cannot be restored`,
        );
      } else if (!LATER.has(errorCode(error))) throw error;
    }
}
