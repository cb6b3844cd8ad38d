import { sql, type Kysely } from 'kysely';

/** Adds how the samples of a scene were read: nodata and mask. It is unknown for the scenes ingested until now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table scenes add column reading jsonb`.execute(db);
}
