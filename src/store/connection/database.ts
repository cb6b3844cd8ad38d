import { Kysely, PostgresDialect } from 'kysely';
import { Pool, TypeOverrides, types, type ClientBase } from 'pg';

import { InvalidInput, UpstreamUnavailable } from '../../base/errors.ts';
import type { Owner } from '../../app/owner.ts';
import { missingWall, RUNTIME_ROLE } from './account-wall.ts';
import { boundHandles } from './bound-connections.ts';
import type { ServerLog } from '../server/embedded-postgres.ts';
import { errorCode } from './error-code.ts';
import type { EmbeddedConnection } from '../server/postgres-lease.ts';
import { preparingPool } from './prepared.ts';
import type { Database } from '../schema.ts';

/**
 * Schema of all our tables. Every connection is bound to it alone, so neither a `search_path` set for the role or the
 * database nor another program's tables beside ours can catch an unqualified name.
 */
export const SCHEMA = 'groundwatch';
/** `server_version_num` of PostgreSQL 15, the oldest that we test on. */
const OLDEST_SERVER = 150_000;
/** Longest wait for a connection, free or new [ms]. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long an unused connection is kept [ms]. */
const IDLE_TIMEOUT_MS = 30_000;
/** Default of {@link DatabaseOptions.statementTimeoutMs} [ms]: far above any statement of ours, so it only ends runaways. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** An open transaction that does nothing for this long [ms] is ended, as it keeps vacuum from the tables. */
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
/** Default of {@link DatabaseOptions.poolSize}; as many again are bound to one owner or another. */
const POOL_SIZE = 10;

/** How to reach a database: the embedded server's, or a `DATABASE_URL`, which also carries the TLS options. */
export type DatabaseConnection = EmbeddedConnection | { readonly connectionString: string };

/** What {@link openDatabase} needs to know. */
export interface DatabaseOptions {
  readonly connection: DatabaseConnection;
  readonly log: ServerLog;
  /** Most connections at once. */
  readonly poolSize?: number;
  /** Longest that one statement may take [ms]; 0 is unlimited. */
  readonly statementTimeoutMs?: number;
}

/** An open database. */
export interface OpenDatabase {
  /** Rows of all accounts: for workers, the command line and the little else that rightly works across accounts. */
  readonly db: Kysely<Database>;
  /** The rows of one owner and none besides, whatever a query asks for, by row-level security. */
  readonly boundTo: (owner: Owner) => Kysely<Database>;
  /** Why `boundTo` binds nothing here, and gives `db`; undefined while it does. */
  readonly missingWall: string | undefined;
  /** The pool under `db`, for what kysely cannot say and for the job queue. */
  readonly pool: Pool;
  /** Waits for the statements under way, then closes every connection. */
  close(): Promise<void>;
}

/**
 * Opens a database and proves that it is one we can use.
 *
 * `int8` comes as a number (and fails beyond 2^53), `date` as `YYYY-MM-DD`, `timestamptz` as Date, `numeric` as text.
 *
 * @throws InvalidInput when DATABASE_URL is malformed or names a server too old, read-only or not in UTF-8.
 * @throws UpstreamUnavailable when it does not answer.
 */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { connection, log } = options;
  checkUrl(connection);
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const openPool = (settings: string): Pool => {
    const prepare: (client: ClientBase) => unknown = async (client) => {
      // While one is lent out the pool does not listen, and a server that goes away would end the process; its statement fails.
      client.on('error', () => undefined);
      await client.query(
        `set search_path = ${SCHEMA}; set datestyle = iso; set timezone = 'UTC'; ` +
          `set statement_timeout = ${statementTimeoutMs}; ` +
          `set idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIMEOUT_MS}${settings}`,
      );
    };
    const pool = new Pool({
      ...connection,
      application_name: 'groundwatch',
      max: options.poolSize ?? POOL_SIZE,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      types: columnTypes(),
      onConnect: prepare, // the pool waits for its promise, which its declared type does not tell
    });
    // Of idle connections: the pool has dropped the broken one, and the next statement opens another.
    pool.on('error', (error) => log.warn(`A database connection was lost: ${error.message}`));
    return pool;
  };
  const pool = openPool('');
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({
      pool: preparingPool(
        pool.options,
        () => pool.connect(),
        () => pool.end(),
      ),
    }),
  });
  const bound = openPool(`; set role ${RUNTIME_ROLE}`);
  const close = async (): Promise<void> => {
    await db.destroy();
    // kysely leaves a pool open that no query of its own has used.
    for (const each of [pool, bound]) if (!each.ending) await each.end();
  };
  try {
    await checkServer(pool, connection);
    const missing = await missingWall(db, SCHEMA);
    const boundTo = missing === undefined ? boundHandles(bound) : () => db;
    return { db, pool, boundTo, missingWall: missing, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function checkUrl(connection: DatabaseConnection): void {
  if (!('connectionString' in connection)) return;
  const url = connection.connectionString;
  if (
    /^postgres(ql)?:\/\//.test(url) &&
    (URL.canParse(url) || URL.canParse(url.replace('@/', '@localhost/')))
  )
    return;
  throw new InvalidInput(
    'DATABASE_URL must have the form postgres://user:password@host:port/database?sslmode=verify-full.',
    { param: 'DATABASE_URL' },
  );
}

async function checkServer(pool: Pool, connection: DatabaseConnection): Promise<void> {
  let row: { version: number; name: string; encoding: string; standby: boolean } | undefined;
  try {
    const result = await pool.query<NonNullable<typeof row>>(
      `select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
              current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby`,
    );
    row = result.rows[0];
  } catch (cause) {
    const reason = (cause as Error).message || errorCode(cause) || String(cause); // refused on every address: no message
    throw new UpstreamUnavailable(`The database ${addressOf(connection)} cannot be used: ${reason}`, {
      cause,
    });
  }
  if (row === undefined) return;
  if (row.version < OLDEST_SERVER) {
    throw unusable(`is PostgreSQL ${row.name}; version 15 or newer is needed`, connection);
  }
  if (row.encoding !== 'UTF8') {
    throw unusable(`is encoded in ${row.encoding}; create one with encoding UTF8`, connection);
  }
  if (row.standby) {
    throw unusable('is a read-only standby; name the primary server', connection);
  }
}

function unusable(what: string, connection: DatabaseConnection): InvalidInput {
  return new InvalidInput(`The database ${addressOf(connection)} ${what}.`, { param: 'DATABASE_URL' });
}

/** The database's address for messages: never with its password. */
function addressOf(connection: DatabaseConnection): string {
  if (!('connectionString' in connection)) return `${connection.database} at ${connection.host}`;
  const url = URL.parse(connection.connectionString);
  return url === null
    ? 'of DATABASE_URL'
    : `${url.pathname.slice(1)} at ${url.searchParams.get('host') ?? url.host}`;
}

function columnTypes(): TypeOverrides {
  const columns = new TypeOverrides();
  columns.setTypeParser(types.builtins.INT8, parseInt8);
  columns.setTypeParser(types.builtins.DATE, (text) => text); // pg's own makes it midnight of the machine's time zone
  return columns;
}

/** @throws RangeError for a number that a double does not hold exactly */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`The database holds ${text}, which a number cannot hold exactly`);
  }
  return value;
}
