import { sql, type Kysely } from 'kysely';

/**
 * Adds the number of the worker that runs a job (see `store/jobs/worker-presence.ts`); null when others cannot see
 * whether it lives, and for workers of the release before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column worker integer`.execute(db);
}
