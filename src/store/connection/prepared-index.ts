import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type QueryExecutorProvider } from 'kysely';
import type { ServerLog } from '../server/embedded-postgres.ts';
import { type OpenDatabase, SCHEMA } from './database.ts';

/** Size from which the indexes of a table are built before its migration [bytes]: some 20,000 rows. */
const LARGE_BYTES = 8_000_000;
/** Time after which such an index is given up, because a transaction that began before does not end [ms]. */
const BUILD_MS = 20 * 60_000;
const LOOK_MS = 500; // interval between two looks whether another process has built an index

/** A unique index that a migration needs, and that can be built before it, while calls go on. */
export interface PreparedIndex {
  readonly table: string;
  readonly name: string;
  /** What follows the name of the table: columns, and what else there is to say. */
  readonly definition: string;
}

/**
 * Builds indexes of large tables while calls go on, so that the migration that needs them locks its tables for a moment
 * only. An index that could not be built is built by the migration.
 * @param largeBytes size of the tables for which this is done [bytes]
 */
export async function prepareIndexes(
  { db, pool, isPooled }: OpenDatabase,
  indexes: readonly PreparedIndex[],
  log: ServerLog,
  largeBytes = LARGE_BYTES,
): Promise<void> {
  // A pooler needs a transaction for our settings, and such an index cannot be built in one.
  if (isPooled) return;
  for (const index of await ofPartitions(db, indexes)) {
    if ((await sizeOf(db, index.table)) < largeBytes || (await stateOf(db, index.name)) === 'valid') continue;
    const client = await pool.connect();
    try {
      await client.query(`set lock_timeout = 0; set statement_timeout = ${BUILD_MS}`);
      while (await isBeingBuilt(db, index.name)) await sleep(LOOK_MS);
      // Left by a process that was killed.
      if ((await stateOf(db, index.name)) === 'invalid')
        await client.query(`drop index concurrently ${index.name}`);
      log.info(`Building ${index.name} for a migration, while calls go on.`);
      await client.query(
        `create unique index concurrently if not exists ${index.name} on ${index.table} ${index.definition}`,
      );
    } catch (error) {
      log.warn(`${index.name} could not be built before its migration: ${(error as Error).message}`);
    } finally {
      client.release(true);
    }
  }
}

/** Drops indexes that this process prepared when another had just run their migration. */
export async function dropUnusedIndexes({ db, isPooled }: OpenDatabase, log: ServerLog): Promise<void> {
  if (isPooled) return;
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'i' and relnamespace = ${SCHEMA}::regnamespace and relname like ${`%\\${NEXT}`}`.execute(
    db,
  );
  for (const { name } of rows)
    await sql`drop index concurrently if exists ${sql.id(name)}`
      .execute(db)
      .catch((error: unknown) => log.warn(`${name} could not be dropped: ${String(error)}`));
}

/** Whether an index was prepared. One that is only half built is dropped. The table must be locked. */
export async function isPrepared(db: QueryExecutorProvider, name: string): Promise<boolean> {
  const state = await stateOf(db, name);
  if (state === 'invalid') await sql`drop index ${sql.id(name)}`.execute(db);
  return state === 'valid';
}

/** End of the name of an index until it becomes that of a constraint. */
const NEXT = '_next';

/** Name of an index that becomes that of a constraint. */
export const nextKey = (constraint: string): string => constraint + NEXT;

/** Puts indexes of the partitions in the place of those of a partitioned table, which cannot be built so. */
async function ofPartitions(
  db: QueryExecutorProvider,
  indexes: readonly PreparedIndex[],
): Promise<readonly PreparedIndex[]> {
  const found: PreparedIndex[] = [];
  for (const index of indexes) {
    const partitions = await partitionsOf(db, index.table);
    if (partitions.length === 0) found.push(index);
    for (const table of partitions) found.push({ ...index, table, name: nextKey(`${table}_pkey`) });
  }
  return found;
}

/** Names of the partitions of a table. */
export async function partitionsOf(db: QueryExecutorProvider, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${table}) and relkind = 'r' order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

async function sizeOf(db: QueryExecutorProvider, table: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(pg_relation_size(to_regclass(${table})), 0) as bytes`.execute(db);
  return rows[0]!.bytes;
}

async function isBeingBuilt(db: QueryExecutorProvider, index: string): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_progress_create_index
    where index_relid = to_regclass(${index})`.execute(db);
  return rows.length > 0;
}

async function stateOf(db: QueryExecutorProvider, index: string): Promise<'valid' | 'invalid' | undefined> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${index})`.execute(db);
  return rows[0] === undefined ? undefined : rows[0].valid ? 'valid' : 'invalid';
}
