import { sql, type Kysely } from 'kysely';
import { secure } from '../connection/row-policy.ts';

/** Adds the keys of the installation that a key service wrapped. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table wrapped_keys (
    id text primary key,
    wrapped text not null,
    created_at timestamptz not null default clock_timestamp()
  )`.execute(db);
  await secure(db, 'wrapped_keys');
}
