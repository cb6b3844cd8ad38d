import { sql, type Kysely } from 'kysely';
import { secure } from '../../connection/row-policy.ts';

/**
 * Adds STAC catalogues that the service follows, and the progress for each area. They belong to the operator, so
 * connections that are bound to an account have no access to the two tables.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table standing_feeds (
    id text primary key,
    environment environment not null,
    account_id text references accounts,
    name text not null,
    url text not null,
    metrics text[],
    max_cloud_share double precision not null,
    starts_at timestamptz not null,
    every_s integer not null check (every_s > 0),
    created_at timestamptz not null default now(),
    next_at timestamptz not null default now(),
    holder text,
    held_until timestamptz,
    unique (environment, name)
  )`.execute(db);
  await sql`create table standing_feed_areas (
    feed_id text not null references standing_feeds on delete cascade,
    aoi_id text not null references aois on delete cascade,
    taken_to timestamptz,
    asked_at timestamptz not null,
    problem text,
    primary key (feed_id, aoi_id)
  )`.execute(db);
  for (const table of ['standing_feeds', 'standing_feed_areas']) await secure(db, table);
}
