import { sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';

import { UpstreamUnavailable } from '../../base/errors.ts';
import { setUpRowSecurity } from './row-security.ts';
import { openDatabase, SCHEMA, type DatabaseConnection, type OpenDatabase } from './database.ts';
import type { ServerLog } from '../server/embedded-postgres.ts';
import { errorCode } from './error-code.ts';
import { JOBS_SCHEMA } from '../job-queue.ts';
import { migrations, renamedMigrations } from '../migrations/index.ts';

/** Table of the applied migrations. Another program in the database may use kysely's default name, so we do not. */
const MIGRATION_TABLE = 'groundwatch_migration';
const LOCK_TABLE = 'groundwatch_migration_lock';

/** Options of {@link migrate}. */
export interface MigrateOptions {
  readonly connection: DatabaseConnection;
  readonly log: ServerLog;
  /** Migrations by name, for tests. Default: all migrations of this release. */
  readonly migrations?: Readonly<Record<string, Migration>>;
}

/**
 * Updates a database to the schema of this release: runs all missing migrations in order of name, in one
 * transaction and under a lock, so that only one process migrates at a time.
 *
 * @returns the names of the migrations that were run.
 * @throws UpstreamUnavailable when a migration fails (then nothing is changed), the database was migrated by a
 * newer release, or the role may not create the schemas.
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const known = options.migrations ?? migrations;
  // Uses separate connections without a statement timeout, since building an index on a large table takes long.
  const database = await openDatabase({ ...options, poolSize: 2, statementTimeoutMs: 0 });
  try {
    for (const schema of [SCHEMA, JOBS_SCHEMA]) await ensureSchema(database, schema);
    await adoptRenamed(database);
    await refuseNewer(database, known);
    const migrator = new Migrator({
      db: database.db,
      provider: { getMigrations: async () => ({ ...known }) },
      migrationTableName: MIGRATION_TABLE,
      migrationLockTableName: LOCK_TABLE,
      migrationTableSchema: SCHEMA,
    });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error !== undefined) {
      const failed = results.find(({ status }) => status === 'Error')?.migrationName;
      throw new UpstreamUnavailable(
        `${failed === undefined ? 'The database could not be migrated' : `Migration ${failed} failed`}: ` +
          `${(error as Error).message}. Nothing was changed.`,
        { cause: error },
      );
    }
    const done = results.map(({ migrationName }) => migrationName);
    if (done.length > 0) options.log.info(`Database migrated: ${done.join(', ')}.`);
    await setUpRowSecurity(database.db, { tables: SCHEMA, jobs: JOBS_SCHEMA });
    return done;
  } finally {
    await database.close();
  }
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

async function refuseNewer({ db }: OpenDatabase, known: Readonly<Record<string, Migration>>): Promise<void> {
  if (!(await hasMigrationTable(db))) return;
  const run = await sql<{
    name: string;
  }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(db);
  const unknown = run.rows.map(({ name }) => name).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) {
    throw new UpstreamUnavailable(
      `The database was made by a newer release of this program: it has ${unknown.join(', ')}, which is unknown here. ` +
        'Run that release, or restore a backup made by this one.',
    );
  }
}
