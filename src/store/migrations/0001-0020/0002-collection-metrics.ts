import { sql, type Kysely } from 'kysely';

/**
 * Allows several metrics on one grid in a collection: each metric is a row, and all rows have the same name. The oldest
 * row represents the collection.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collections drop constraint collections_account_id_environment_name_key`.execute(db);
  await sql`alter table collections
    add constraint collections_name unique nulls not distinct (account_id, environment, name, metric)`.execute(
    db,
  );
}
