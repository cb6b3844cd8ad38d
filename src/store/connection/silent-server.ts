import type { Socket } from 'node:net';
import { Client, DatabaseError, type ClientBase, type ClientConfig } from 'pg';
import { Unavailable } from '../../base/errors.ts';
import { within } from '../../base/within.ts';

const TOO_MANY = '53300'; // too_many_connections: PostgreSQL, appendix A
/** Time in which a server must answer a new connection [ms]. */
const ANSWER_MS = 10_000;

/**
 * Time without an answer to a statement after which the server is asked whether it still works on it [ms]: for a call; for
 * other work, and the look-ups of credentials; and for statements without a time limit.
 */
export const ASK_AFTER_MS = { call: 15_000, other: 20_000, unlimited: 70_000 };

/** Parts of a client of pg that its types do not have. */
interface Inside {
  readonly connection: { readonly stream: Socket };
  /** Whether the last statement was answered. */
  readonly readyForQuery: boolean;
  readonly processID: number | null;
}

/**
 * Returns on which processes a server works, or a reason why it does not. `every`: what it works on is not known.
 */
export type Working = () => Promise<ReadonlySet<number> | 'every' | Error>;

/**
 * Makes a function that asks a server over a new connection on what it works. Concurrent calls share one question.
 * @param isPooled whether a pooler stands before the server, which gives its clients process ids of its own
 */
export function workingOn(connection: ClientConfig, isPooled: boolean): Working {
  let underway: ReturnType<Working> | undefined;
  const late = new Error(`the database has not answered a new connection for ${ANSWER_MS / 1000} s`);
  return () =>
    (underway ??= within(ANSWER_MS, ask(connection, isPooled, ANSWER_MS), late).finally(
      () => (underway = undefined),
    ));
}

async function ask(connection: ClientConfig, isPooled: boolean, timeoutMs: number): ReturnType<Working> {
  const client = new Client({
    ...connection,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'groundwatch asks',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      isPooled
        ? 'select 1 as pid'
        : "select pid from pg_stat_activity where state <> 'idle' and datname = current_database()",
    );
    return isPooled ? 'every' : new Set(rows.map(({ pid }) => pid));
  } catch (error) {
    // A server that has too many connections may still work on others.
    return error instanceof DatabaseError && error.code === TOO_MANY ? 'every' : (error as Error);
  } finally {
    (client as unknown as Inside).connection.stream.destroy();
  }
}

/**
 * Ends a connection whose statement is not answered any more: the server does not answer a new connection either, or does
 * not work on the statement, as after a failover. Without this a statement would wait until the operating system gives up,
 * which takes a quarter of an hour.
 * @param afterMs time without an answer after which the server is asked, each time [ms]
 */
export function endSilently(client: ClientBase, afterMs: number, working: Working): void {
  const inside = client as unknown as Inside;
  const { stream } = inside.connection;
  const decide = async (): Promise<void> => {
    const bytes = stream.bytesRead;
    const found = await working();
    if (inside.readyForQuery || stream.bytesRead !== bytes) return;
    if (found instanceof Error) stream.destroy(new Unavailable(found));
    else if (found !== 'every' && !found.has(inside.processID ?? 0))
      stream.destroy(new Unavailable(new Error('it does not work on the statement any more')));
    else stream.setTimeout(afterMs);
  };
  stream.setTimeout(afterMs).on('timeout', () => {
    if (!inside.readyForQuery) void decide();
  });
}
