import { sql, type Kysely } from 'kysely';

/**
 * Stores whether a collection is simulated. Until now its name said so: the collections of the simulated region
 * are those of the environment `sandbox` without an account whose names begin with "simulated".
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table collections add column simulated boolean not null default false`,
    sql`update collections set simulated = true
      where environment = 'sandbox' and account_id is null and name ~ '^simulated(-|$)'`,
  ])
    await statement.execute(db);
}
