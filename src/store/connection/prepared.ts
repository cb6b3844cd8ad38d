import { CompiledQuery, type Kysely, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { PoolClient } from 'pg';
import type { DatabaseRoom } from './database-room.ts';
import { errorCode } from './error-code.ts';
import { lost } from './lost-connection.ts';
import type { Database } from '../schema.ts';
import { inSetTransactions } from './transaction-pooler.ts';

/** Names of the prepared statements, by the text of the statement. */
const names = new Map<string, string>();

/** Function that runs a prepared statement with the given values through a handle. */
export type Ask<Row> = (db: Kysely<Database>, values: readonly unknown[]) => Promise<readonly Row[]>;

/**
 * Registers a statement with fixed text, which each connection parses and plans only once. A call then takes an eighth
 * of the usual time (docs/decisions/0023). For frequent queries only, since every connection keeps the plan. The
 * statement must list its columns, since the meaning of `*` may change while a plan is kept.
 * @param name unique name of the statement
 */
export function prepare<Row>(name: string, text: string): Ask<Row> {
  names.set(text, name);
  return async (db, values) => (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
}

/** Parts of {@link preparingPool}. */
export interface PreparingParts {
  readonly options: object;
  readonly lend: () => Promise<PoolClient>;
  readonly end?: () => Promise<void>;
  /** Behind a pooler: settings of each transaction, as {@link inSetTransactions} takes them. */
  readonly settings?: string | undefined;
  /** Is notified of statements and connections that failed because the server had no room. */
  readonly room?: DatabaseRoom | undefined;
}

/**
 * Makes a pool for kysely whose connections send prepared statements by name. Behind a pooler nothing is prepared, since
 * the next transaction may run on another connection of the server.
 */
export function preparingPool({
  options,
  lend,
  end = () => Promise.resolve(),
  settings,
  room,
}: PreparingParts): PostgresPool {
  // kysely identifies a connection by its object, so each client gets the same wrapper.
  const lent = new WeakMap<PoolClient, PostgresPoolClient>();
  const told = (error: unknown): unknown => lost(room?.noticed(error) ?? error);
  return {
    options,
    end,
    async connect() {
      const client = await lend().catch((error: unknown) => {
        throw told(error);
      });
      let known = lent.get(client);
      known ??= noticing(settings === undefined ? preparing(client) : pooled(client, settings), told);
      lent.set(client, known);
      return known;
    },
  };
}

/** @param told returns the error of a statement as it is thrown */
function noticing(client: PostgresPoolClient, told: (error: unknown) => unknown): PostgresPoolClient {
  const run = client.query as unknown as (text: string, values: readonly unknown[]) => Promise<unknown>;
  const noticed = (text: string, values: readonly unknown[]) =>
    run(text, values).catch((error: unknown) => {
      throw told(error);
    });
  return {
    query: noticed as unknown as PostgresPoolClient['query'],
    release: (broken) => client.release(broken),
  };
}

function pooled(client: PoolClient, settings: string): PostgresPoolClient {
  return {
    query: inSetTransactions(client, settings) as unknown as PostgresPoolClient['query'],
    release: (broken) => client.release(broken),
  };
}

/** SQLSTATE feature_not_supported: the types of a plan's columns have changed since it was made. */
const OUTDATED_PLAN = '0A000';

/** A text that begins a transaction of its own, as pg-boss sends them: `begin; ...; commit`. */
const BEGINS = /^\s*begin\b/i;

function preparing(client: PoolClient): PostgresPoolClient {
  let isUnfit = false;
  const query = (text: string, values: readonly unknown[]) => {
    const name = names.get(text);
    const asked =
      name === undefined
        ? client.query(text, values as unknown[])
        : client.query({ name, text, values: values as unknown[] });
    return asked.catch((error: unknown) => {
      isUnfit ||= errorCode(error) === OUTDATED_PLAN || BEGINS.test(text);
      throw error;
    });
  };
  return {
    query: query as unknown as PostgresPoolClient['query'], // the other overload is for cursors, which we do not use
    // A plan is outdated when a newer release has changed a table. The call that used it fails, and its connection is
    // closed, so that later calls use a new connection. So is one whose transaction was left open by a failure within it:
    // every statement of the next user would fail.
    release: (broken) => client.release(broken === true || isUnfit),
  };
}
