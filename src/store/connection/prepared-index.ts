import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type QueryExecutorProvider } from 'kysely';
import type { ClientBase } from 'pg';
import type { ServerLog } from '../server/embedded-postgres.ts';
import { type OpenDatabase, SCHEMA } from './database.ts';
import { errorCode } from './error-code.ts';

/** Size from which the indexes of a table are built before its migration [bytes]: some 20,000 rows. */
const LARGE_BYTES = 8_000_000;
/** Time after which such an index is given up, because a transaction that began before does not end [ms]. */
const BUILD_MS = 20 * 60_000;
/** Interval between two looks whether another process still builds [ms]; it is waited for as long as for a transaction. */
const LOOK_MS = 500;
/** Key of the advisory lock of the process that builds or drops such indexes. */
const PREPARE_LOCK = '5127733092841077';
const QUERY_CANCELED = '57014'; // by the time limit (PostgreSQL, appendix A)

/** A unique index that a migration needs, and that can be built before it, while calls go on. */
export interface PreparedIndex {
  readonly table: string;
  readonly name: string;
  /** What follows the name of the table: columns, and what else there is to say. */
  readonly definition: string;
}

/**
 * Builds indexes of large tables while calls go on, so that the migration that needs them locks its tables for a moment
 * only. One process at a time does it: two such builds of one table would wait for each other until PostgreSQL ends one
 * of them. An index that could not be built is built by the migration.
 * @param needed returns the indexes of the next migration: the same list as long as it is the same migration
 * @param largeBytes size of the tables for which this is done [bytes]
 */
export async function prepareIndexes(
  { db, pool, isPooled }: OpenDatabase,
  needed: () => Promise<readonly PreparedIndex[]>,
  log: ServerLog,
  largeBytes = LARGE_BYTES,
): Promise<void> {
  // A pooler needs a transaction for our settings, and such an index cannot be built in one.
  if (isPooled || (await needed()).length === 0) return;
  const client = await pool.connect();
  try {
    // A call that waits for the lock would have a snapshot, and a build waits for all snapshots. So it is tried instead.
    const end = performance.now() + BUILD_MS;
    while (!(await isAlone(client))) {
      if (performance.now() > end) return;
      await sleep(LOOK_MS);
    }
    await client.query(`set lock_timeout = 0; set statement_timeout = ${BUILD_MS}`);
    const wanted = await needed();
    for (const index of await ofPartitions(db, wanted)) {
      if ((await sizeOf(client, index.table)) < largeBytes) continue;
      const state = await stateOf(db, index.name);
      if (state === 'valid') continue;
      if ((await needed()) !== wanted) return; // another process has just run the migration, which took the index
      const error = await build(client, index, state, log);
      if (error === undefined) continue;
      log.warn(`${index.name} could not be built before its migration: ${error.message}`);
      // The next index would wait as long for the same transaction.
      if (errorCode(error) === QUERY_CANCELED) return;
    }
  } finally {
    client.release(true); // with its settings and its lock
  }
}

/** Whether no other process prepares indexes; none begins until the connection ends. */
async function isAlone(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1::int8) as alone', [
    PREPARE_LOCK,
  ]);
  return rows[0]?.alone === true;
}

/** @returns the error that ended it */
async function build(
  client: ClientBase,
  { name, table, definition }: PreparedIndex,
  state: IndexState,
  log: ServerLog,
): Promise<Error | undefined> {
  log.info(`Building ${name} for a migration, while calls go on.`);
  try {
    // Left by a process that was killed.
    if (state === 'invalid') await client.query(`drop index concurrently ${name}`);
    await client.query(`create unique index concurrently ${name} on ${table} ${definition}`);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Drops indexes that were prepared and that no migration took. */
export async function dropUnusedIndexes({ db, pool, isPooled }: OpenDatabase, log: ServerLog): Promise<void> {
  if (isPooled) return;
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'i' and relnamespace = ${SCHEMA}::regnamespace and relname like ${`%\\${NEXT}`}`.execute(
    db,
  );
  if (rows.length === 0) return;
  const client = await pool.connect();
  try {
    if (!(await isAlone(client))) return; // of a newer release, which has still to migrate
    for (const { name } of rows)
      await client
        .query(`drop index concurrently if exists ${name}`)
        .catch((error: unknown) => log.warn(`${name} could not be dropped: ${String(error)}`));
  } finally {
    client.release(true);
  }
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

/** Waits while a migration has locked the table. */
async function sizeOf(client: ClientBase, table: string): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    'select coalesce(pg_relation_size(to_regclass($1)), 0)::float8 as bytes',
    [table],
  );
  return rows[0]!.bytes;
}

type IndexState = 'valid' | 'invalid' | undefined;

async function stateOf(db: QueryExecutorProvider, index: string): Promise<IndexState> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${index})`.execute(db);
  return rows[0] === undefined ? undefined : rows[0].valid ? 'valid' : 'invalid';
}
