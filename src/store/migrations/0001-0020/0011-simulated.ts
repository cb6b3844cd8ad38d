import { sql, type Kysely } from 'kysely';

/**
 * Adds a column for whether a collection is simulated. Until now this followed from the name: the collections of the
 * simulated region belong to the environment `sandbox` and to no account, and their names begin with "simulated".
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table collections add column simulated boolean not null default false`,
    sql`update collections set simulated = true
      where environment = 'sandbox' and account_id is null and name ~ '^simulated(-|$)'`,
  ])
    await statement.execute(db);
}
