import { Client } from 'pg';

import { errorCode } from '../connection/error-code.ts';

/** Connection options of `pg` for a database of an embedded server. */
export interface EmbeddedConnection {
  /** Folder of the server's socket; on Windows a loopback address. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl: false;
}

/** Name of the database that the service uses. */
export const SERVICE_DATABASE = 'groundwatch';
/** Name of the database to which leases connect. Every cluster has this database. */
const LEASE_DATABASE = 'postgres';
/** Key of the lease's advisory lock: "groundwa" in ASCII. */
const LEASE_KEY = '7454142883405526881';
/** Timeout of one connection attempt [ms]. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Why no lease could be taken: the server is starting or stopping (`not ready`), or no server listens (`silent`). */
export type NoLease = 'not ready' | 'silent';

/**
 * Takes a lease on a running server: a separate connection with an advisory lock that all users of the server share.
 * When the process ends in any way, the server closes the connection and the lease ends.
 *
 * @throws the error of `pg` when a retry is useless, such as for a wrong password.
 */
export async function takeLease(connection: EmbeddedConnection): Promise<Client | NoLease> {
  const client = new Client({
    ...connection,
    database: LEASE_DATABASE,
    application_name: 'groundwatch lease',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // the same error is also reported by the call that fails, or by the event 'end'
  try {
    await client.connect();
    // If the last user is stopping the server, this statement waits and then fails when the server has ended.
    await client.query('select pg_advisory_lock_shared($1::int8)', [LEASE_KEY]);
    await ensureDatabase(client);
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'silent';
    // 57P03: cannot_connect_now. 53300: too_many_connections.
    if (isServerGone(error) || code === '57P03' || code === '53300') return 'not ready';
    throw error;
  }
}

/**
 * Gives back a lease. If it was the last lease, the caller must stop the server. No other process can take a lease
 * before this connection is closed.
 * @returns whether it was the last lease. If the last leases are given back at the same time, one call returns true
 */
export async function returnLease(lease: Client): Promise<boolean> {
  try {
    await lease.query('select pg_advisory_unlock_shared($1::int8)', [LEASE_KEY]);
    const { rows } = await lease.query<{ last: boolean }>('select pg_try_advisory_lock($1::int8) as last', [
      LEASE_KEY,
    ]);
    return rows[0]?.last === true;
  } catch (error) {
    if (isServerGone(error)) return false;
    throw error;
  }
}

async function ensureDatabase(client: Client): Promise<void> {
  const found = await client.query('select from pg_database where datname = $1', [SERVICE_DATABASE]);
  if (found.rowCount !== 0) return;
  try {
    await client.query(`create database ${SERVICE_DATABASE}`);
  } catch (error) {
    const code = errorCode(error);
    // duplicate_database, unique_violation: another process was faster
    if (code !== '42P04' && code !== '23505') throw error;
  }
}

/** Whether the server closed the connection. 57P01: admin_shutdown. 57P02: crash_shutdown. */
function isServerGone(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== undefined) return /^(ECONNRESET|EPIPE|57P0[12])$/.test(code);
  return /^Connection terminated|timeout expired|not queryable/.test((error as Error).message); // errors of pg itself have no code
}
