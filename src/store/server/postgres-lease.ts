import { Client } from 'pg';

import { errorCode } from '../connection/error-code.ts';

/** How to reach a database of an embedded server, for `pg`. */
export interface EmbeddedConnection {
  /** Folder of the server's socket, or a loopback address on Windows. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl: false;
}

/** The database that the service uses. */
export const SERVICE_DATABASE = 'groundwatch';
/** The database in which leases are held: every cluster has it, and nobody drops it. */
const LEASE_DATABASE = 'postgres';
/** Key of the lease's advisory lock: "groundwa" in ASCII. */
const LEASE_KEY = '7454142883405526881';
/** Longest wait for one attempt to connect [ms]. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Why there is no lease yet: the server is starting or stopping, or nothing listens at its address. */
export type NoLease = 'not ready' | 'silent';

/**
 * Takes a lease on a running server: a connection of its own which holds an advisory lock, shared among all users of
 * the server. However its process ends, the server sees the connection close and the lease is over.
 *
 * @throws the error of `pg` when trying again makes no sense, such as a wrong password.
 */
export async function takeLease(connection: EmbeddedConnection): Promise<Client | NoLease> {
  const client = new Client({
    ...connection,
    database: LEASE_DATABASE,
    application_name: 'groundwatch lease',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // told again by the call that fails, or by 'end'
  try {
    await client.connect();
    // Waits while the last user of the server stops it, and then fails as the server ends.
    await client.query('select pg_advisory_lock_shared($1::int8)', [LEASE_KEY]);
    await ensureDatabase(client);
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'silent';
    if (isServerGone(error) || code === '57P03' || code === '53300') return 'not ready'; // not yet up; connections all taken
    throw error;
  }
}

/**
 * Gives a lease back, and tells whether it was the last. Then the server is ours to stop, and nobody else can take a
 * lease on it before the connection is closed. One of several who give back at once is told so.
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
    if (code !== '42P04' && code !== '23505') throw error; // duplicate_database, unique_violation: another was faster
  }
}

/** Whether the server closed the connection: 57P01 and 57P02 are PostgreSQL's shutdown and crash. */
function isServerGone(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== undefined) return /^(ECONNRESET|EPIPE|57P0[12])$/.test(code);
  return /^Connection terminated|timeout expired|not queryable/.test((error as Error).message); // pg's own, without code
}
