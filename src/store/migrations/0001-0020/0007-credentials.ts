import { sql, type Kysely } from 'kysely';

/**
 * Adds OAuth clients, grants (one for each authentication of a client, with the scopes that were granted) and refresh
 * tokens (each replaces the previous token of its grant). Also adds sealed signing keys of access tokens and other
 * sealed secrets of the installation, the units spent by each credential on each day, and the audit log. The audit log
 * is a hash chain. Its newest entry is also recorded in `audit_head`, and a lock on that row serializes new entries.
 * Long function: a list of SQL statements, one per table and index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table accounts add column disabled_at timestamptz`,
    sql`alter table api_keys add column name text`,

    sql`create table oauth_clients (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      id text collate "C" primary key,
      name text,
      secret_hash bytea not null,
      scopes text[] not null,
      rate_limit integer not null check (rate_limit >= 0),
      created_at timestamptz not null default now(),
      revoked_at timestamptz,
      last_used_at timestamptz
    )`,
    sql`create index oauth_clients_account on oauth_clients (account_id, environment, id desc)`,
    sql`create table oauth_grants (
      account_id text collate "C" not null references accounts,
      id text collate "C" primary key,
      client_id text collate "C" not null references oauth_clients on delete cascade,
      scopes text[] not null,
      expires_at timestamptz not null,
      revoked_at timestamptz
    )`,
    sql`create index oauth_grants_expiry on oauth_grants (expires_at)`,
    sql`create table refresh_tokens (
      account_id text collate "C" not null references accounts,
      token_hash bytea primary key,
      grant_id text collate "C" not null references oauth_grants on delete cascade,
      expires_at timestamptz not null,
      used_at timestamptz
    )`,
    sql`create index refresh_tokens_grant on refresh_tokens (grant_id)`,

    sql`create table signing_keys (
      id text collate "C" primary key,
      private_box bytea not null,
      public_key jsonb not null,
      created_at timestamptz not null
    )`,
    sql`create table sealed_secrets (name text primary key, box bytea not null)`,

    sql`create table usage_days (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      credential_id text collate "C" not null,
      day date not null,
      units bigint not null,
      primary key (account_id, environment, day, credential_id)
    )`,

    // There is no foreign key to accounts, since entries are kept when an account is deleted.
    sql`create table audit_log (
      seq bigint primary key,
      at timestamptz not null,
      account_id text collate "C",
      environment text,
      actor text not null,
      action text not null,
      target text,
      address text,
      request_id text,
      result text not null,
      count integer not null,
      hash bytea not null
    )`,
    sql`create index audit_log_time on audit_log (at)`,
    sql`create table audit_head (
      one boolean primary key default true check (one),
      seq bigint not null,
      hash bytea not null
    )`,
    sql`insert into audit_head (seq, hash) values (0, '')`,
    sql`create function refuse_audit_change() returns trigger language plpgsql as $$
      begin raise exception 'the audit log is append-only'; end $$`,
    sql`create trigger audit_log_append_only before update or delete or truncate on audit_log
      for each statement execute function refuse_audit_change()`,
  ];
  for (const statement of statements) await statement.execute(db);
}
