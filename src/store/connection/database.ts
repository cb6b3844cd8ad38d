import { Kysely } from 'kysely';
import { Pool, TypeOverrides, types, type ClientBase } from 'pg';

import { InvalidInput, UpstreamUnavailable } from '../../base/errors.ts';
import type { Owner } from '../../app/owner.ts';
import { rowSecurityProblem, RUNTIME_ROLE } from './row-security.ts';
import { boundHandles } from './bound-connections.ts';
import type { ServerLog } from '../server/embedded-postgres.ts';
import { DatabaseRoom } from './database-room.ts';
import { ServerDialect } from './dialect.ts';
import { errorCode } from './error-code.ts';
import type { EmbeddedConnection } from '../server/postgres-lease.ts';
import { preparingPool } from './prepared.ts';
import { querySpans } from './query-spans.ts';
import { SeverableSockets } from './severable-sockets.ts';
import { ASK_AFTER_MS, endSilently, workingOn } from './silent-server.ts';
import { probeOf, takeConnection } from './take-connection.ts';
import { isBehindPooler } from './transaction-pooler.ts';
import type { Database } from '../schema.ts';

/**
 * Schema of all our tables. It is the only one in the `search_path` of every connection, so unqualified names
 * never refer to other schemas or to tables of other programs.
 */
export const SCHEMA = 'groundwatch';
/** `server_version_num` of PostgreSQL 15, the oldest version that we test. */
const OLDEST_SERVER = 150_000;
/** Timeout for getting a connection from the pool [ms]. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Idle time after which a connection is closed [ms]. */
const IDLE_TIMEOUT_MS = 30_000;
/**
 * Connections of a pool that stay open. A busy machine needs longer to open one than a call may wait, while those that are
 * open work: then only calls beyond these are refused.
 */
const KEPT = 3;
/** Time after which the first probe of an idle connection is sent, so that firewalls and address translators keep it [ms]. */
const KEEP_ALIVE_MS = 60_000;
/** Default of {@link DatabaseOptions.statementTimeoutMs} [ms]. All our statements are much faster. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Idle time after which an open transaction is aborted [ms], since open transactions block vacuum. */
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
/** Default of {@link DatabaseOptions.poolSize}. A second pool of this size is for connections bound to an owner. */
const POOL_SIZE = 10;

/**
 * Returns the settings of every connection, and others, as statements: for a connection with `set`, for a transaction with
 * `set local`. Pages of solid-state disks cost nearly the same in any order. With the default of 4, the planner prefers to
 * read rows of other accounts in sequence to reading those of one account by their index.
 */
export function sessionSettings(set: 'set' | 'set local', others: readonly string[]): string {
  const ours = [`search_path = ${SCHEMA}`, 'datestyle = iso', "timezone = 'UTC'", 'random_page_cost = 1.1'];
  return [...ours, ...others].map((setting) => `${set} ${setting}`).join('; ');
}

/** Connection to the embedded server, or a `DATABASE_URL`, which may contain TLS options. */
export type DatabaseConnection = EmbeddedConnection | { readonly connectionString: string };

/** Options of {@link openDatabase}. */
export interface DatabaseOptions {
  readonly connection: DatabaseConnection;
  readonly log: ServerLog;
  /** Maximum number of connections in each of the two pools. */
  readonly poolSize?: number;
  /** Time limit of one statement [ms]; 0 is unlimited. */
  readonly statementTimeoutMs?: number;
  /** Time for which a statement waits for a lock [ms]; default: as long as the statement may take. */
  readonly lockTimeoutMs?: number;
  /** Whether it is a replica, which is only read. Default: it is a primary, and a standby is refused. */
  readonly isReplica?: boolean;
}

/** Connections of one pool. */
export interface PoolState {
  /** Whose rows its connections reach. */
  readonly reach: 'all accounts' | 'one account';
  /** Maximum number of connections. */
  readonly most: number;
  readonly open: number;
  readonly idle: number;
  /** Number of calls that wait for a connection. */
  readonly waiting: number;
}

/** An open database. */
export interface OpenDatabase {
  /** Handle that reaches rows of all accounts, for workers, the command line and other code that needs them. */
  readonly db: Kysely<Database>;
  /** Makes a handle whose queries reach only the rows of one owner, which row-level security enforces. */
  readonly boundTo: (owner: Owner) => Kysely<Database>;
  /** Whether a pooler such as PgBouncer stands before the server, see `transaction-pooler.ts`. */
  readonly isPooled: boolean;
  /** Reason why row-level security is not set up; undefined when it is. When it is not, `boundTo` returns `db`. */
  readonly rowSecurityProblem: string | undefined;
  /** The pool of `db`, for statements that kysely does not support. */
  readonly pool: Pool;
  /** Returns the state of each pool. */
  readonly connections: () => readonly PoolState[];
  /**
   * Asks the server over a connection of each pool. Concurrent calls share one question.
   * @throws Error of the first pool that has no connection in time, or whose server does not answer
   */
  probe(): Promise<void>;
  /** Whether the server has room for what is written. */
  readonly room: DatabaseRoom;
  /**
   * Watches the server from now on. Once it answers no new connection for 5 s, ends all connections, so that nothing waits
   * for it: statements fail, now and later. For a service that stops.
   */
  leaveSilentServer(onLeft: (error: Error) => void): void;
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>;
}

/**
 * Opens a database and checks that we can use it.
 *
 * Column types: `int8` is read as a number (throws beyond 2^53), `date` as `YYYY-MM-DD`, `timestamptz` as Date,
 * `numeric` as text.
 *
 * @throws InvalidInput when DATABASE_URL is malformed, or the server is too old, read-only or not in UTF-8.
 * @throws UpstreamUnavailable when the server does not respond.
 */
// Long function: the pools share their settings, and all that is closed with them.
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { connection, log } = options;
  checkUrl(connection);
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const limits = [
    `statement_timeout = ${statementTimeoutMs}`,
    `lock_timeout = ${options.lockTimeoutMs ?? 0}`,
    `idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIMEOUT_MS}`,
  ];
  const isPooled =
    'connectionString' in connection &&
    (await isBehindPooler(connection.connectionString).catch((error: unknown) => {
      throw unreachable(connection, error);
    }));
  const ofTransaction = isPooled ? sessionSettings('set local', limits) : undefined;
  const asRuntime = `role = ${RUNTIME_ROLE}`;
  const sockets = new SeverableSockets();
  const working = workingOn(connection, isPooled);
  const openPool = (role: string, askAfterMs: number): Pool => {
    const prepare: (client: ClientBase) => unknown = async (client) => {
      // The pool handles errors of idle clients only. Without this listener, a lost connection would end the process.
      // With it, only the current statement fails.
      client.on('error', () => undefined);
      endSilently(client, askAfterMs, working);
      // Behind a pooler a setting of the connection would reach the statements of others.
      if (!isPooled) await client.query(sessionSettings('set', [...limits, role]));
    };
    const pool = new Pool({
      ...connection,
      application_name: 'groundwatch',
      max: options.poolSize ?? POOL_SIZE,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      min: KEPT,
      types: columnTypes(),
      stream: sockets.open,
      onConnect: prepare, // the pool awaits the promise, although its type does not say so
    });
    // Logs errors of idle connections. The pool removes the broken connection and opens another when needed.
    pool.on('error', (error) => log.warn(`A database connection was lost: ${error.message}`));
    return pool;
  };
  const pool = openPool('role = none', statementTimeoutMs > 0 ? ASK_AFTER_MS.other : ASK_AFTER_MS.unlimited);
  const room = new DatabaseRoom();
  const spans = querySpans();
  const db = new Kysely<Database>({
    ...(spans !== undefined && { log: spans }),
    dialect: new ServerDialect({
      pool: preparingPool({
        options: pool.options,
        lend: () => takeConnection(pool),
        end: () => pool.end(),
        settings: ofTransaction,
        room,
      }),
    }),
  });
  const bound = openPool(asRuntime, ASK_AFTER_MS.call);
  const close = async (): Promise<void> => {
    await db.destroy();
    // `db.destroy` does not close a pool that kysely has never used for a query.
    for (const each of [pool, bound]) if (!each.ending) await each.end();
    sockets.leave();
  };
  try {
    await checkServer(pool, connection, options.isReplica === true);
    const missing = await rowSecurityProblem(db, SCHEMA);
    const handles =
      missing === undefined
        ? boundHandles(
            bound,
            room,
            isPooled ? sessionSettings('set local', [...limits, asRuntime]) : undefined,
          )
        : undefined;
    const boundTo = handles?.boundTo ?? (() => db);
    const connections = (): readonly PoolState[] => [
      stateOf('all accounts', pool, 0),
      ...(handles === undefined ? [] : [stateOf('one account', bound, handles.waiting())]),
    ];
    const probe = probeOf(missing === undefined ? [pool, bound] : [pool]);
    const leaveSilentServer: OpenDatabase['leaveSilentServer'] = (onLeft) =>
      void sockets.severWhenSilent(connection, onLeft);
    const problem = { rowSecurityProblem: missing };
    return { db, pool, boundTo, isPooled, ...problem, connections, probe, room, leaveSilentServer, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function stateOf(reach: PoolState['reach'], pool: Pool, waiting: number): PoolState {
  const { totalCount: open, idleCount: idle, waitingCount } = pool;
  const most = pool.options.max;
  // A call counts as waiting for a moment before it gets a connection that is there.
  return { reach, most, open, idle, waiting: Math.max(0, waitingCount - idle - (most - open)) + waiting };
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

async function checkServer(pool: Pool, connection: DatabaseConnection, isReplica: boolean): Promise<void> {
  let row: { version: number; name: string; encoding: string; standby: boolean } | undefined;
  try {
    const result = await pool.query<NonNullable<typeof row>>(
      `select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
              current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby`,
    );
    row = result.rows[0];
  } catch (cause) {
    throw unreachable(connection, cause);
  }
  if (row === undefined) return;
  if (row.version < OLDEST_SERVER) {
    throw unusable(`is PostgreSQL ${row.name}; version 15 or newer is needed`, connection);
  }
  if (row.encoding !== 'UTF8') {
    throw unusable(`is encoded in ${row.encoding}; create one with encoding UTF8`, connection);
  }
  if (row.standby && !isReplica) {
    throw unusable('is a read-only standby; name the primary server', connection);
  }
}

function unreachable(connection: DatabaseConnection, cause: unknown): UpstreamUnavailable {
  // When every address refused the connection, the error has no message.
  const reason = (cause as Error).message || errorCode(cause) || String(cause);
  return new UpstreamUnavailable(`The database ${addressOf(connection)} cannot be used: ${reason}`, {
    cause,
  });
}

function unusable(what: string, connection: DatabaseConnection): InvalidInput {
  return new InvalidInput(`The database ${addressOf(connection)} ${what}.`, { param: 'DATABASE_URL' });
}

/** The database's address for messages, without the password. */
function addressOf(connection: DatabaseConnection): string {
  if (!('connectionString' in connection)) return `${connection.database} at ${connection.host}`;
  const url = URL.parse(connection.connectionString);
  return url === null
    ? 'of DATABASE_URL'
    : `${url.pathname.slice(1)} at ${url.searchParams.get('host') ?? url.host}`;
}

/** Parsers of the column types that {@link openDatabase} describes. */
export function columnTypes(): TypeOverrides {
  const columns = new TypeOverrides();
  columns.setTypeParser(types.builtins.INT8, parseInt8);
  columns.setTypeParser(types.builtins.DATE, (text) => text); // pg's own parser returns midnight in the local time zone
  return columns;
}

/** Parses an `int8`. @throws RangeError for a number that a double cannot represent exactly */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`The database holds ${text}, which a number cannot hold exactly`);
  }
  return value;
}
