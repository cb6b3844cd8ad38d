import { sql, type Kysely } from 'kysely';

/**
 * Whether a collection was simulated is stored with it. Before, its name said so: the collections of the sandbox's region
 * are those of the sandbox, of no account, whose names begin with "simulated".
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table collections add column simulated boolean not null default false`,
    sql`update collections set simulated = true
      where environment = 'sandbox' and account_id is null and name ~ '^simulated(-|$)'`,
  ])
    await statement.execute(db);
}
