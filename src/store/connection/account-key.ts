import { sql, type Kysely } from 'kysely';
import { isPrepared, nextKey, partitionsOf, type PreparedIndex } from './prepared-index.ts';

/** Shorter than `deadlock_timeout` (1 s): in a deadlock with calls this is ended and tried again, and no call is. */
const LOCK = sql.raw(`'500ms'`);

/** A foreign key: a column of `from` names a row of `to` of the same account. */
export interface AccountReference {
  readonly from: string;
  readonly column: string;
  readonly to: string;
}

/**
 * Locks tables until the transaction ends, before a migration does anything else. When one is in use for long, the
 * transaction ends at once, and is tried again (`migrate.ts`).
 * @param tables in the order in which calls and workers lock them
 */
export async function lockTables(db: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  // No call conflicts with this mode. A vacuum does, and PostgreSQL ends its own only after `deadlock_timeout`.
  await sql`set local lock_timeout = '3s'`.execute(db);
  for (const table of tables)
    await sql`lock table ${sql.id(table)} in share update exclusive mode`.execute(db);
  await sql`set local lock_timeout = ${LOCK}`.execute(db);
  for (const table of tables) await sql`lock table ${sql.id(table)} in access exclusive mode`.execute(db);
}

/** Drops foreign keys that consist of one column each. */
export async function dropReferences(
  db: Kysely<unknown>,
  references: readonly AccountReference[],
): Promise<void> {
  for (const { from, column } of references)
    await sql`alter table ${sql.id(from)} drop constraint ${sql.id(referenceName(from, column))}`.execute(db);
}

/**
 * Makes the primary key of a table out of columns and the account. No foreign key may need the former one. Rows are
 * still found by the first columns alone.
 */
export async function putAccountInKey(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const name = `${table}_pkey`;
  await sql`alter table ${sql.id(table)} drop constraint ${sql.id(name)}`.execute(db);
  for (const partition of await partitionsOf(db, table))
    if (await isPrepared(db, nextKey(`${partition}_pkey`)))
      await usePrepared(db, partition, `${partition}_pkey`);
  if (await isPrepared(db, nextKey(name))) await usePrepared(db, table, name);
  else
    await sql`alter table ${sql.id(table)} add constraint ${sql.id(name)}
      primary key (${sql.raw(keyWith(columns))})`.execute(db);
}

/** The index of {@link putAccountInKey}, to be built before. */
export function accountKey(table: string, columns: readonly string[]): PreparedIndex {
  return { table, name: nextKey(`${table}_pkey`), definition: `(${keyWith(columns)})` };
}

const keyWith = (columns: readonly string[]): string => [...columns, 'account_id'].join(', ');

async function usePrepared(db: Kysely<unknown>, table: string, name: string): Promise<void> {
  await sql`alter table ${sql.id(table)} add constraint ${sql.id(name)}
    primary key using index ${sql.id(nextKey(name))}`.execute(db);
}

/**
 * Adds foreign keys that contain the account, so that no row can refer to a row of another account. They hold for new
 * rows at once. `checkReferences` reads the rows that are there, without a lock that calls wait for.
 */
export async function addReferences(
  db: Kysely<unknown>,
  references: readonly AccountReference[],
): Promise<void> {
  for (const { from, column, to } of references)
    await sql`alter table ${sql.id(from)} add constraint ${sql.id(referenceName(from, column))}
      foreign key (${sql.id(column)}, account_id) references ${sql.id(to)} (id, account_id) on delete cascade
      not valid`.execute(db);
}

function referenceName(table: string, column: string): string {
  return `${table}_${column}_fkey`;
}
