import { sql, type Kysely } from 'kysely';

/** Adds the quiet hours of subscriptions: `zone`, `from` and `to`. Releases that do not know them send at once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table subscriptions add column quiet_hours jsonb`.execute(db);
}
