import { sql, type Kysely } from 'kysely';

/**
 * Adds the number of the worker that runs a unit of a search (see `store/jobs/worker-presence.ts`); null when others
 * cannot see whether it lives, and for workers of the release before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table search_units add column holder integer`.execute(db);
}
