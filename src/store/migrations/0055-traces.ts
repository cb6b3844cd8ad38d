import { sql, type Kysely } from 'kysely';

/** Adds the header `traceparent` of what caused a job or an event; null when no traces were made. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column traceparent text`.execute(db);
  await sql`alter table events add column traceparent text`.execute(db);
}
