import { sql, type Kysely } from 'kysely';
import { secure } from '../connection/row-policy.ts';

/** The processes that serve, each with the time of its last report. Bound connections reach none of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table nodes (
    id uuid primary key,
    roles text[] not null,
    host text not null,
    version text not null,
    started_at timestamptz not null,
    seen_at timestamptz not null,
    clock_offset_s float8 not null,
    load float8 not null
  )`.execute(db);
  await secure(db, 'nodes');
}
