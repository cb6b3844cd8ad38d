import { sql, type Kysely } from 'kysely';

/** Adds the digests of subscriptions, and when each was made last. Releases that do not know them send each event. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table subscriptions add column digest text, add column digested_at timestamptz`.execute(db);
  await sql`create index subscriptions_digest on subscriptions (digested_at) where digest is not null`.execute(
    db,
  );
}
