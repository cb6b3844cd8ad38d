import { sql, type Kysely } from 'kysely';
import { secure } from '../connection/row-policy.ts';

/**
 * Adds the keys of accounts, under which backups hold what belongs to an account, and the folders of backups, where
 * copies of these keys are. Both are in no backup. Only backups use them, so releases that do not know them may write
 * beside this one.
 *
 * `wrapped` is sealed under the key of backups; null once the account is erased. `left_files` has the ids of
 * collections whose files an erasure has still to delete; null when the erasure is complete.
 *
 * An erasure takes from entries of the audit log what they say about the account, so the trigger lets it pass. The
 * chain still shows every other alteration. The index is for the deletion of areas, which looks for their
 * subscriptions.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`create table account_keys (
      account_id text collate "C" primary key,
      wrapped bytea,
      erased_at timestamptz,
      left_files text[],
      check ((wrapped is null) = (erased_at is not null))
    )`,
    sql`create table backup_places (folder text primary key)`,
    sql`create or replace function refuse_audit_change() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' and current_setting('groundwatch.erasing', true) = 'on' then return null; end if;
        raise exception 'the audit log is append-only';
      end $$`,
    sql`create index subscriptions_aoi on subscriptions (aoi_id)`,
  ])
    await statement.execute(db);
  for (const table of ['account_keys', 'backup_places']) await secure(db, table);
}
