import { sql, type Kysely } from 'kysely';
import type { AccountErasure } from '../../app/access/erase-account.ts';
import { sealEntries } from '../audit/audit-seal.ts';
import { eraseEntries } from '../audit/erased-entries.ts';
import { SCHEMA } from '../connection/database.ts';
import { retryDeadlocks } from '../connection/deadlock.ts';
import { JOBS_SCHEMA } from '../jobs/boss-engine.ts';
import { sessionStore } from '../people/session-store.ts';
import type { Database } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** Tables whose rows of an account an erasure keeps: the account itself to the end, and what the log becomes. */
const KEPT = new Set(['accounts', 'account_keys', 'audit_log', 'audit_pending']);

/** The steps of an erasure in the database. Each can be repeated. */
export function accountErasure(db: Kysely<Database>, sealing: Sealing): AccountErasure {
  const inSteps = <T>(work: (transaction: Kysely<Database>) => Promise<T>): Promise<T> =>
    retryDeadlocks(() =>
      db.transaction().execute(async (transaction) => {
        await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(
          transaction,
        );
        return work(transaction);
      }),
    );
  return {
    begin: (accountId, at) => inSteps((transaction) => begin(transaction, accountId, at)),
    async removeRows(accountId) {
      await noteFiles(db, accountId);
      // Table by table, so that no transaction holds more locks than it must.
      for (const table of await ownedTables(db))
        await inSteps((transaction) => removeFrom(transaction, table, accountId));
      await sealEntries(db, sealing);
      await inSteps(async (transaction) => {
        // Rows refer to their account, so nobody can add one until this transaction ends, and none after it.
        await sql`select from accounts where id = ${accountId} for update`.execute(transaction);
        await noteFiles(transaction, accountId);
        for (const table of await ownedTables(transaction)) await removeFrom(transaction, table, accountId);
        await removeJobs(transaction, accountId);
        await transaction.deleteFrom('accounts').where('id', '=', accountId).execute();
      });
      await sessionStore(db).endOrphaned();
      await eraseEntries(db, new Date(0));
      return (await leftFiles(db, accountId)) ?? [];
    },
    async end(accountId) {
      await db
        .updateTable('account_keys')
        .set({ left_files: null })
        .where('account_id', '=', accountId)
        .execute();
    },
  };
}

async function begin(db: Kysely<Database>, accountId: string, at: Date): ReturnType<AccountErasure['begin']> {
  const account = await db
    .selectFrom('accounts')
    .select('name')
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
  if (account !== undefined) {
    await db
      .updateTable('accounts')
      .set({ disabled_at: sql`coalesce(disabled_at, ${at})` })
      .where('id', '=', accountId)
      .execute();
    await sql`insert into account_keys as k (account_id, erased_at) values (${accountId}, ${at})
      on conflict (account_id) do update
      set wrapped = null, erased_at = coalesce(k.erased_at, excluded.erased_at)`.execute(db);
    await noteFiles(db, accountId);
  }
  const collections = await leftFiles(db, accountId);
  return collections && { name: account?.name, collections };
}

/** Notes the collections of the account, whose files are left when their rows are gone. */
async function noteFiles(db: Kysely<Database>, accountId: string): Promise<void> {
  await sql`update account_keys set left_files = array(
      select unnest(left_files) union select id from collections where account_id = ${accountId})
    where account_id = ${accountId}`.execute(db);
}

/** Collections of an account that is being erased; undefined when there is no erasure. */
async function leftFiles(db: Kysely<Database>, accountId: string): Promise<readonly string[] | undefined> {
  const row = await db
    .selectFrom('account_keys')
    .select('left_files')
    .where('account_id', '=', accountId)
    .where('erased_at', 'is not', null)
    .executeTakeFirst();
  return row && (row.left_files ?? []);
}

/** Tables with rows of accounts, those that refer to others first. */
async function ownedTables(db: Kysely<Database>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    with recursive owned as (
      select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = ${SCHEMA}::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attname = 'account_id' and not a.attisdropped
    ), deep as (
      select oid, 0 as depth from owned
      union all
      select k.confrelid, deep.depth + 1 from deep
        join pg_constraint k on k.conrelid = deep.oid and k.contype = 'f' and k.conrelid <> k.confrelid
        join owned on owned.oid = k.confrelid
    )
    select owned.relname as name from owned join deep using (oid) group by 1 order by max(depth), 1`.execute(
    db,
  );
  return rows.map(({ name }) => name).filter((name) => !KEPT.has(name));
}

async function removeFrom(db: Kysely<Database>, table: string, accountId: string): Promise<void> {
  await sql`delete from ${sql.id(SCHEMA, table)} where account_id = ${accountId}`.execute(db);
}

/** Removes jobs of the account. They have ids only, but those of failed jobs have messages too. */
async function removeJobs(db: Kysely<Database>, accountId: string): Promise<void> {
  const jobs = `${JOBS_SCHEMA}.job`;
  const { rows } = await sql<{ there: boolean }>`select to_regclass(${jobs}) is not null as there`.execute(
    db,
  );
  if (rows[0]?.there !== true) return;
  await sql`delete from ${sql.table(jobs)} where data ->> 'accountId' = ${accountId}
    or data ->> 'collectionId' in (
      select unnest(left_files) from account_keys where account_id = ${accountId})`.execute(db);
}
