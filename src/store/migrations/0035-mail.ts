import { sql, type Kysely } from 'kysely';
import { secure } from '../connection/row-policy.ts';

/**
 * Adds e-mail addresses as endpoints. The address and the secrets of its links are sealed in `secrets`; the columns hold
 * hashes of them. Releases that do not know such endpoints see them as webhooks without an address that they can call.
 *
 * `mail_counts` counts mails of a day, `mail_refusals` has who wants no mail at all. Both hold keyed hashes only, and
 * belong to no account: a bound on mails to one address has to hold for all accounts together.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table webhooks
      add column kind text not null default 'webhook',
      add column confirm_hash bytea,
      add column confirm_until timestamptz,
      add column confirmed_at timestamptz,
      add column stop_hash bytea`,
    sql`create unique index webhooks_confirm on webhooks (confirm_hash) where confirm_hash is not null`,
    sql`create unique index webhooks_stop on webhooks (stop_hash) where stop_hash is not null`,
    sql`create table mail_counts (
      hash bytea not null,
      day date not null,
      count integer not null,
      primary key (hash, day)
    )`,
    sql`create table mail_refusals (hash bytea primary key, refused_at timestamptz not null)`,
  ])
    await statement.execute(db);
  for (const table of ['mail_counts', 'mail_refusals']) await secure(db, table);
}
