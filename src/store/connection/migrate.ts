import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { Migrator, type Migration, type MigrationResultSet } from 'kysely/migration';

import { UpstreamUnavailable } from '../../base/errors.ts';
import { checkReferences } from './check-references.ts';
import { setUpRowSecurity } from './row-security.ts';
import { openDatabase, SCHEMA, type DatabaseConnection, type OpenDatabase } from './database.ts';
import type { ServerLog } from '../server/embedded-postgres.ts';
import { errorCode } from './error-code.ts';
import { JOBS_SCHEMA } from '../jobs/boss-engine.ts';
import {
  migrations,
  OWN_TRANSACTIONS,
  PREPARED,
  RELEASE_FLOOR,
  renamedMigrations,
} from '../migrations/index.ts';
import { dropUnusedIndexes, prepareIndexes } from './prepared-index.ts';

/** Table of the applied migrations. Another program in the database may use kysely's default name, so we do not. */
const MIGRATION_TABLE = 'groundwatch_migration';
const LOCK_TABLE = 'groundwatch_migration_lock';

/** Key of the advisory lock of migrations: the one of kysely, which former releases take. */
const MIGRATION_LOCK = sql.raw('3853314791062309107');

/** Maximum time that a migration waits for a lock [ms]: calls on the table wait as long. Then it is tried again. */
const LOCK_MS = 2_000;
/** Mean pause between two attempts, and time after which no further attempt is made [ms]. */
const LOCK_PAUSE_MS = 2_000;
const UNLOCK_MS = 20 * 60_000;
/** Errors after which the same migrations are run again: PostgreSQL, appendix A. */
const LOCK_ERRORS: ReadonlySet<unknown> = new Set([
  '55P03', // lock_not_available
  '40P01', // deadlock_detected: with calls of the release before, which serves meanwhile
]);

/** Options of {@link migrate}. */
export interface MigrateOptions {
  readonly connection: DatabaseConnection;
  readonly log: ServerLog;
  /** Migrations by name, for tests and restores. Default: all migrations of this release. */
  readonly migrations?: Readonly<Record<string, Migration>>;
  /** Size from which the indexes of a table are built before its migration [bytes]; default: 8 MB. */
  readonly largeBytes?: number;
}

/**
 * Updates a database to the schema of this release: runs all missing migrations in order of name, under a
 * lock, so that only one process migrates at a time. They run in one transaction, but for those that begin one of their
 * own.
 *
 * @returns the names of the migrations that were run.
 * @throws UpstreamUnavailable when a migration fails (then its transaction changes nothing), the database was migrated
 * by a newer release with which this one cannot work, or the role may not create the schemas.
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const known = options.migrations ?? migrations;
  // Uses separate connections without a statement timeout, since building an index on a large table takes long.
  const database = await openDatabase({
    ...options,
    poolSize: 2,
    statementTimeoutMs: 0,
    lockTimeoutMs: LOCK_MS,
  });
  try {
    for (const schema of [SCHEMA, JOBS_SCHEMA]) await ensureSchema(database, schema);
    await adoptRenamed(database);
    if (await isNewer(database, known)) return [];
    const done: string[] = [];
    for (;;) {
      const next = await firstMissing(database.db, known);
      const needed = async () => PREPARED[(await firstMissing(database.db, known)) ?? ''] ?? [];
      await prepareIndexes(database, needed, options.log, options.largeBytes);
      const { error, results = [] } = await whenUnlocked(
        () => runMissing(database, known, next),
        options.log,
      );
      if (error !== undefined) throw failure(error, results, done);
      if (next === undefined) break;
      done.push(...results.map(({ migrationName }) => migrationName));
    }
    if (done.length > 0) options.log.info(`Database migrated: ${done.join(', ')}.`);
    if (options.migrations === undefined) await raiseFloor(database);
    if (options.migrations === undefined) await dropUnusedIndexes(database, options.log);
    await checkReferences(database, options.log);
    await setUpRowSecurity(database.db, { tables: SCHEMA, jobs: JOBS_SCHEMA });
    return done;
  } finally {
    await database.close();
  }
}

function failure(
  error: unknown,
  results: NonNullable<MigrationResultSet['results']>,
  done: readonly string[],
): UpstreamUnavailable {
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  return new UpstreamUnavailable(
    `${failed === undefined ? 'The database could not be migrated' : `Migration ${failed} failed`}: ` +
      `${(error as Error).message}. ` +
      (done.length === 0
        ? 'Nothing was changed.'
        : `Migrations that were run before it stay: ${done.join(', ')}.`),
    { cause: error },
  );
}

/**
 * Runs the next missing migrations, up to one that begins a transaction of its own, in one transaction, which also holds
 * the lock. A lock of the session would stay behind on a connection of a pooler.
 * @param first the first of them, for which all is prepared; when another process has run it meanwhile, none is run
 */
async function runMissing(
  { db }: OpenDatabase,
  known: Readonly<Record<string, Migration>>,
  first: string | undefined,
): Promise<MigrationResultSet> {
  let done: MigrationResultSet = {};
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`select set_config('lock_timeout', '0', true), pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(
        transaction,
      );
      await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(transaction);
      if ((await firstMissing(transaction, known)) !== first) return;
      const next = upToOwnTransaction(known, await executed(transaction));
      const migrator = new Migrator({
        db: transaction,
        provider: { getMigrations: async () => next },
        migrationTableName: MIGRATION_TABLE,
        migrationLockTableName: LOCK_TABLE,
        migrationTableSchema: SCHEMA,
        // Between releases, a migration may come to the main branch after one of a later name. They are independent then.
        allowUnorderedMigrations: true,
      });
      done = await migrator.migrateToLatest();
      if (done.error !== undefined) throw done.error;
    });
    return done;
  } catch (error) {
    return { ...done, error };
  }
}

/** Those of the known migrations that are run, or that the next transaction runs. */
function upToOwnTransaction(
  known: Readonly<Record<string, Migration>>,
  run: readonly string[],
): Record<string, Migration> {
  const missing = Object.keys(known)
    .toSorted()
    .filter((name) => !run.includes(name));
  const end = OWN_TRANSACTIONS.find((name) => missing.includes(name) && name > missing[0]!);
  return Object.fromEntries(
    Object.entries(known).filter(([name]) => end === undefined || name < end || run.includes(name)),
  );
}

/** The next migration that was not run; undefined when all were. */
async function firstMissing(
  db: OpenDatabase['db'],
  known: Readonly<Record<string, Migration>>,
): Promise<string | undefined> {
  const run = await executed(db);
  return Object.keys(known)
    .toSorted()
    .find((name) => !run.includes(name));
}

/**
 * Creates a schema if it is missing. Does not use `create schema if not exists`, which requires the right to
 * create schemas even if the schema exists.
 */
async function ensureSchema({ db }: OpenDatabase, schema: string): Promise<void> {
  const found = await sql`select from pg_namespace where nspname = ${schema}`.execute(db);
  if (found.rows.length > 0) return;
  try {
    await sql`create schema ${sql.id(schema)}`.execute(db);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === '42P06' || code === '23505') return; // duplicate_schema, unique_violation: another process was faster
    if (code !== '42501') throw cause; // insufficient_privilege
    const role = await sql<{ name: string }>`select current_user as name`.execute(db);
    throw new UpstreamUnavailable(
      `The role of DATABASE_URL may not create the schema ${schema}. As an administrator of that database run: ` +
        `create schema ${schema} authorization ${JSON.stringify(role.rows[0]?.name)};`,
      { cause },
    );
  }
}

/** Updates the recorded names of migrations that were renamed. Safe when several processes do it at the same time. */
async function adoptRenamed({ db }: OpenDatabase): Promise<void> {
  if (!(await hasMigrationTable(db))) return;
  for (const [before, now] of Object.entries(renamedMigrations))
    await sql`update ${sql.table(MIGRATION_TABLE)} set name = ${now} where name = ${before}`.execute(db);
}

async function hasMigrationTable(db: OpenDatabase['db']): Promise<boolean> {
  const table = await sql<{ found: boolean }>`
    select to_regclass(${`${SCHEMA}.${MIGRATION_TABLE}`}) is not null as found`.execute(db);
  return table.rows[0]?.found === true;
}

/**
 * Whether the database was migrated by a newer release with which this one can work: its floor is a migration that is
 * known here. @throws UpstreamUnavailable when this release cannot work with it
 */
async function isNewer({ db }: OpenDatabase, known: Readonly<Record<string, Migration>>): Promise<boolean> {
  const names = await executed(db);
  const unknown = names.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return false;
  const lacksNone = Object.keys(known).every((name) => names.includes(name));
  if (lacksNone && Object.hasOwn(known, await floorOf(db))) return true;
  throw new UpstreamUnavailable(
    `The database was made by a newer release of this program: it has ${unknown.join(', ')}, which is unknown here. ` +
      'Run that release, or restore a backup made by this one.',
  );
}

/** Names of the migrations that were run, in order. */
async function executed(db: OpenDatabase['db']): Promise<readonly string[]> {
  if (!(await hasMigrationTable(db))) return [];
  const run = await sql<{
    name: string;
  }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(db);
  return run.rows.map(({ name }) => name);
}

/** The migration that a release must know; an empty text when the database does not say. */
async function floorOf(db: OpenDatabase['db']): Promise<string> {
  const table = await sql<{ there: boolean }>`
    select to_regclass(${`${SCHEMA}.release_floor`}) is not null as there`.execute(db);
  if (table.rows[0]?.there !== true) return '';
  return (await db.selectFrom('release_floor').select('oldest').executeTakeFirst())?.oldest ?? '';
}

async function raiseFloor({ db }: OpenDatabase): Promise<void> {
  await db
    .updateTable('release_floor')
    .set({ oldest: RELEASE_FLOOR })
    .where('oldest', '<', RELEASE_FLOOR)
    .execute();
}

/**
 * Runs migrations, and runs them again when a table was locked for too long or by a deadlock. While a statement waits for the lock of a
 * whole table, all calls that use the table wait behind it; so it waits only shortly.
 */
async function whenUnlocked(
  run: () => Promise<MigrationResultSet>,
  log: ServerLog,
): Promise<MigrationResultSet> {
  const end = performance.now() + UNLOCK_MS;
  for (let tries = 1; ; tries++) {
    const result = await run();
    if (!LOCK_ERRORS.has(errorCode(result.error)) || performance.now() > end) return result;
    if (tries === 1) log.info('The migration waits for tables that are in use.');
    await sleep(LOCK_PAUSE_MS * (0.5 + Math.random()));
  }
}
