import { sql, type Kysely } from 'kysely';
import { secure } from '../connection/row-policy.ts';

/**
 * Adds stations that the service fetches on a schedule. They belong to the operator, so connections that are bound to
 * an account have no access.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table station_feeds (
    id text primary key,
    environment environment not null,
    account_id text references accounts,
    name text not null,
    provider text not null,
    base text,
    metric text not null,
    stations jsonb not null,
    starts_at timestamptz not null,
    every_s integer not null check (every_s > 0),
    created_at timestamptz not null default now(),
    next_at timestamptz not null default now(),
    asked_at timestamptz,
    problem text,
    holder text,
    held_until timestamptz,
    unique (environment, name)
  )`.execute(db);
  await secure(db, 'station_feeds');
}
