import { sql, type Kysely } from 'kysely';

/** Adds indexes for the list of API keys, so that keys that have ended are not read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`create index api_keys_standing on api_keys (account_id, environment, id text_pattern_ops)
      where revoked_at is null`,
    sql`create index api_keys_ending on api_keys (account_id, environment, revoked_at) where revoked_at is not null`,
  ])
    await statement.execute(db);
}
