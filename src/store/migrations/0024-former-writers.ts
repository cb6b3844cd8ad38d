import { sql, type Kysely } from 'kysely';
import { secure } from '../connection/row-policy.ts';

/**
 * Lets the release before write beside this one, and later releases tell this one that it may.
 *
 * - A change that release 1.3.0 inserts has no versions (migration 0012 demands them). Readers complete them.
 * - `release_floor` has the name of a migration. Releases that know it can use the database, though they do not know
 *   all later ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table changes alter column versions set default '[]'`,
    sql`create table release_floor (
      one boolean primary key default true check (one),
      oldest text not null
    )`,
    sql`insert into release_floor (oldest) values ('0024-former-writers')`,
  ])
    await statement.execute(db);
  await secure(db, 'release_floor');
}
