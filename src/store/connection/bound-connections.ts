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
 * Handles of which each reaches the rows of one owner, over connections whose role row-level security holds for. A
 * connection is bound as it is lent, at the cost of one more round trip when the last who had it was another owner's.
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
      client.release(true); // whom it is bound to now, nobody knows
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
