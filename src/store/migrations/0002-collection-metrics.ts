import { sql, type Kysely } from 'kysely';

/** A collection may hold several metrics of one grid: a row each, of one name, of which the first made stands for all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collections drop constraint collections_account_id_environment_name_key`.execute(db);
  await sql`alter table collections
    add constraint collections_name unique nulls not distinct (account_id, environment, name, metric)`.execute(
    db,
  );
}
