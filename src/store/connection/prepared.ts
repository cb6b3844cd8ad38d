import { CompiledQuery, type Kysely, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { PoolClient } from 'pg';
import { errorCode } from './error-code.ts';
import type { Database } from '../schema.ts';

/** Names of prepared statements, by their text. */
const names = new Map<string, string>();

/** Asks a prepared statement over a handle. */
export type Ask<Row> = (db: Kysely<Database>, values: readonly unknown[]) => Promise<readonly Row[]>;

/**
 * A statement that each connection parses and plans once, and that is never put together: an eighth of what the same costs
 * otherwise (docs/decisions/0023). For what calls ask all the time, as every connection keeps its plan. It must name its
 * columns: what `*` stands for may change under a plan.
 * @param name no other statement's
 */
export function prepare<Row>(name: string, text: string): Ask<Row> {
  names.set(text, name);
  return async (db, values) => (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
}

/** A pool for kysely of connections that know prepared statements by their names. */
export function preparingPool(
  options: object,
  lend: () => Promise<PoolClient>,
  end: () => Promise<void> = () => Promise.resolve(),
): PostgresPool {
  // kysely knows a connection again by its object.
  const lent = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options,
    end,
    async connect() {
      const client = await lend();
      let known = lent.get(client);
      if (known === undefined) lent.set(client, (known = preparing(client)));
      return known;
    },
  };
}

/** SQLSTATE of a plan whose columns have changed their types since: feature_not_supported. */
const OUTDATED_PLAN = '0A000';

function preparing(client: PoolClient): PostgresPoolClient {
  let isOutdated = false;
  const query = (text: string, values: readonly unknown[]) => {
    const name = names.get(text);
    if (name === undefined) return client.query(text, values as unknown[]);
    return client.query({ name, text, values: values as unknown[] }).catch((error: unknown) => {
      isOutdated ||= errorCode(error) === OUTDATED_PLAN;
      throw error;
    });
  };
  return {
    query: query as unknown as PostgresPoolClient['query'], // whose other form is of cursors: we open none
    // A newer version may have changed a table meanwhile: one call fails, and the next has a fresh connection.
    release: (broken) => client.release(broken === true || isOutdated),
  };
}
