import { Client, type PoolClient, type QueryResult } from 'pg';

/** Setting that a server accepts at the start of a connection. Poolers refuse it, or do not pass it on. */
const PROBE = 'groundwatch.direct';

/**
 * Whether a pooler such as PgBouncer stands before the server of a database URL. Behind it, the statements of one connection may run on
 * several connections of the server, and settings of a connection would reach the statements of others.
 * @throws Error of pg when the server cannot be reached
 */
export async function isBehindPooler(connectionString: string): Promise<boolean> {
  const client = new Client({
    connectionString: withOption(connectionString, `-c ${PROBE}=on`),
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ direct: string | null }>(
      `select current_setting('${PROBE}', true) as direct`,
    );
    return rows[0]?.direct !== 'on';
  } catch (error) {
    if (/unsupported startup parameter/.test((error as Error).message)) return true;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Adds a command-line option of the server to the `options` of a database URL. */
function withOption(url: string, option: string): string {
  const added = encodeURIComponent(option);
  const there = /([?&]options=)([^&#]*)/;
  if (there.test(url)) return url.replace(there, `$1$2%20${added}`);
  return `${url}${url.includes('?') ? '&' : '?'}options=${added}`;
}

/** Runs one statement, with its values. */
export type RunStatement = (text: string, values?: readonly unknown[]) => Promise<QueryResult>;

/**
 * Makes a function that runs statements over a pooler that lends a connection of the server for one transaction: each
 * transaction begins with our settings, and a statement outside of a transaction gets one of its own.
 * @param settings statements that apply to one transaction only, as `set local`
 */
export function inSetTransactions(client: PoolClient, settings: string): RunStatement {
  let isOpen = false;
  /** Runs statements of which the first one begins a transaction; when one fails, the transaction ends. */
  const begin = async (text: string): Promise<QueryResult> => {
    try {
      const results = await client.query(`${text}; ${settings}`);
      return (results as unknown as readonly QueryResult[])[0]!;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  };
  return async (text, values = []) => {
    if (/^(?:begin|start transaction)\b/i.test(text)) {
      const begun = await begin(text);
      isOpen = true;
      return begun;
    }
    if (/^(?:commit|rollback)$/i.test(text)) isOpen = false;
    else if (!isOpen) {
      await begin('begin');
      return endAfter(client, client.query(text, [...values]));
    }
    return client.query(text, [...values]);
  };
}

async function endAfter(client: PoolClient, statement: Promise<QueryResult>): Promise<QueryResult> {
  try {
    const result = await statement;
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
