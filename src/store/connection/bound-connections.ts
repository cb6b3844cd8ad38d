import { Kysely, PostgresDialect } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Owner } from '../../app/owner.ts';
import { preparingPool } from './prepared.ts';
import type { Database } from '../schema.ts';

const BIND = {
  name: 'bind',
  text: "select set_config('groundwatch.account', $1, false), set_config('groundwatch.environment', $2, false)",
};

/**
 * Makes handles that reach only the rows of one owner, over connections whose role is subject to row-level security. A
 * connection is bound to the owner when it is taken from the pool. This costs one round trip if the connection was
 * bound to another owner before.
 */
export function boundHandles(pool: Pool): (owner: Owner) => Kysely<Database> {
  const bound = new WeakMap<PoolClient, string>();
  const lend = async ({ accountId, environment }: Owner): Promise<PoolClient> => {
    const client = await pool.connect();
    const wanted = `${environment} ${accountId}`;
    if (bound.get(client) === wanted) return client;
    try {
      await client.query({ ...BIND, values: [accountId, environment] });
    } catch (error) {
      client.release(true); // destroys the connection, since it is unknown which owner it is bound to now
      throw error;
    }
    bound.set(client, wanted);
    return client;
  };
  return (owner) =>
    new Kysely<Database>({
      dialect: new PostgresDialect({ pool: preparingPool(pool.options, () => lend(owner)) }),
    });
}
