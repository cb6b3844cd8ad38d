import { sql, type Kysely } from 'kysely';

/**
 * A collection can have several metrics on one grid: one row for each, all with the same name. The oldest represents
 * all.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collections drop constraint collections_account_id_environment_name_key`.execute(db);
  await sql`alter table collections
    add constraint collections_name unique nulls not distinct (account_id, environment, name, metric)`.execute(
    db,
  );
}
