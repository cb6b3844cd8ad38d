import { sql, type Kysely } from 'kysely';

/** Adds the state of the simulated region, which is a single row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table sandbox (
    is_only boolean primary key default true check (is_only),
    seed integer not null,
    day integer not null,
    progress double precision not null,
    ready_at timestamptz,
    paced_at timestamptz not null default now(),
    holder text,
    held_until timestamptz
  )`.execute(db);
}
