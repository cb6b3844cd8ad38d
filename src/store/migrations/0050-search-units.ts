import { sql, type Kysely } from 'kysely';
import { secure } from '../connection/row-policy.ts';

/**
 * Adds the turns of the units of searches: which process runs which unit. The results are beside the cube; a row that is
 * lost only lets a unit run twice.
 *
 * - `search`: digest of what the search depends on; `unit`: its phase and block
 * - `beat_at`: when the process last said that it runs the unit
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table search_units (
    search text not null,
    unit text not null,
    worker uuid not null,
    beat_at timestamptz not null default now(),
    primary key (search, unit)
  )`.execute(db);
  await sql`create index search_units_worker on search_units (worker)`.execute(db);
  await secure(db, 'search_units');
}
