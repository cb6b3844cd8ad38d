import { sql, type Kysely } from 'kysely';

/**
 * Creates the first tables. Identifiers are text in the C collation, so that they sort by creation time. Boxes are
 * `(east, north), (west, south)` with west in [-180, 180). East is beyond 180 if the box crosses the antimeridian. A
 * search by place also tries its box shifted by 360 degrees in both directions.
 * Long function: a list of SQL statements, one per table and index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create type environment as enum ('sandbox', 'staging', 'production')`,
    // One row per environment. Locks on this row prevent an area from being created while changes are published (see
    // change-store.ts).
    sql`create table environments (name environment primary key)`,
    sql`insert into environments values ('sandbox'), ('staging'), ('production')`,

    sql`create table accounts (
      id text collate "C" primary key,
      name text not null unique,
      created_at timestamptz not null default now()
    )`,
    sql`create table api_keys (
      account_id text collate "C" not null references accounts,
      id text collate "C" primary key,
      environment environment not null,
      secret_hash bytea not null,
      scopes text[] not null,
      rate_limit integer not null check (rate_limit >= 0),
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz
    )`,
    sql`create index api_keys_account on api_keys (account_id, environment)`,

    sql`create table aois (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      id text collate "C" primary key,
      name text not null,
      geometry jsonb not null,
      bounds box not null,
      area_m2 double precision not null,
      created_at timestamptz not null default now(),
      deleted_at timestamptz
    )`,
    sql`create index aois_owner on aois (account_id, environment, id desc) where deleted_at is null`,
    sql`create index aois_bounds on aois using gist (bounds) where deleted_at is null`,

    // account_id is null if the collection serves all accounts of its environment.
    sql`create table collections (
      account_id text collate "C" references accounts,
      environment environment not null,
      id text collate "C" primary key,
      name text not null,
      metric text not null,
      unit text not null,
      scale double precision not null,
      value_offset double precision not null,
      sample_type text not null,
      grid jsonb not null,
      pixel_area_m2 double precision not null,
      bounds box not null,
      monitored_as text,
      created_at timestamptz not null default now(),
      unique nulls not distinct (account_id, environment, name)
    )`,
    sql`create index collections_metric on collections (environment, metric)`,
    sql`create index collections_bounds on collections using gist (bounds)`,
    sql`create table scenes (
      collection_id text collate "C" not null references collections on delete cascade,
      id text collate "C" not null unique,
      key text not null,
      href text not null,
      observed_at timestamptz not null,
      sha256 text not null,
      clear_fraction double precision not null,
      ingested_at timestamptz not null default now(),
      primary key (collection_id, key)
    )`,

    sql`create table changes (
      environment environment not null,
      collection_id text collate "C" not null references collections on delete cascade,
      id text collate "C" primary key,
      model_version text not null,
      object_key text not null,
      type text not null,
      status text not null,
      confidence double precision not null,
      metric text not null,
      magnitude double precision not null,
      area_m2 double precision not null,
      geometry jsonb not null,
      bounds box not null,
      first_anomaly_at date not null,
      detected_at date not null,
      confirmed_at date,
      recovered_at date,
      digest text not null,
      provenance jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (collection_id, model_version, object_key)
    )`,
    sql`create index changes_bounds on changes using gist (bounds)`,
    // Areas in which each change is visible. The changes of one area are then a single range of an index.
    sql`create table aoi_changes (
      account_id text collate "C" not null,
      environment environment not null,
      aoi_id text collate "C" not null references aois on delete cascade,
      change_id text collate "C" not null references changes on delete cascade,
      status text not null,
      detected_at date not null,
      published_at timestamptz not null default now(),
      primary key (aoi_id, change_id)
    )`,
    sql`create index aoi_changes_list on aoi_changes (aoi_id, status, detected_at desc, change_id desc)`,
    sql`create index aoi_changes_list_all on aoi_changes (aoi_id, detected_at desc, change_id desc)`,
    sql`create index aoi_changes_change on aoi_changes (change_id)`,

    sql`create table subscriptions (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      id text collate "C" primary key,
      aoi_id text collate "C" not null references aois on delete cascade,
      perils text[] not null,
      status text not null,
      created_at timestamptz not null default now()
    )`,
    sql`create unique index subscriptions_same on subscriptions (aoi_id, perils) where status <> 'cancelled'`,
    sql`create index subscriptions_owner on subscriptions (account_id, environment, id desc)`,
    sql`create table anomalies (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      id text collate "C" primary key,
      aoi_id text collate "C" not null references aois on delete cascade,
      collection_id text collate "C" not null references collections on delete cascade,
      metric text not null,
      peril text not null,
      severity text not null,
      value double precision not null,
      expected double precision not null,
      residual double precision not null,
      started_at timestamptz not null,
      detected_at timestamptz not null,
      ended_at timestamptz,
      provenance jsonb not null,
      published_at timestamptz not null default now(),
      unique (aoi_id, collection_id, peril, started_at)
    )`,
    sql`create index anomalies_list on anomalies (account_id, environment, detected_at desc, id desc)`,

    sql`create table webhooks (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      id text collate "C" primary key,
      url text not null,
      events text[] not null,
      secrets jsonb not null,
      status text not null,
      disabled_reason text,
      failing_since timestamptz,
      created_at timestamptz not null default now()
    )`,
    sql`create index webhooks_owner on webhooks (account_id, environment, id desc)`,
    // Events are read in order of (xid, id), and only those with an xid below pg_snapshot_xmin(pg_current_snapshot()).
    sql`create table events (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      id text collate "C" primary key,
      type text not null,
      body text not null,
      xid xid8 not null default pg_current_xact_id(),
      created_at timestamptz not null default now()
    )`,
    sql`create index events_feed on events (account_id, environment, xid, id)`,
    sql`create table deliveries (
      account_id text collate "C" not null references accounts,
      id text collate "C" primary key,
      event_id text collate "C" not null references events on delete cascade,
      webhook_id text collate "C" not null references webhooks on delete cascade,
      status text not null default 'pending',
      attempts integer not null default 0,
      next_attempt_at timestamptz not null default now(),
      lease text,
      leased_until timestamptz,
      last_attempt jsonb,
      created_at timestamptz not null default now()
    )`,
    sql`create index deliveries_due on deliveries (webhook_id, next_attempt_at) where status = 'pending'`,
    sql`create index deliveries_webhook on deliveries (webhook_id, id desc)`,
    sql`create index deliveries_event on deliveries (event_id)`,
    sql`create table delivery_attempts (
      account_id text collate "C" not null,
      delivery_id text collate "C" not null references deliveries on delete cascade,
      attempt integer not null,
      attempted_at timestamptz not null,
      duration_ms integer not null,
      status integer,
      answer text,
      error text,
      primary key (delivery_id, attempt)
    )`,

    sql`create table idempotency_keys (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      key text not null,
      operation text not null,
      request_hash bytea not null,
      answer bytea,
      created_at timestamptz not null default now(),
      primary key (account_id, environment, key)
    )`,
    sql`create index idempotency_keys_age on idempotency_keys (created_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
