import { Kysely } from 'kysely';
import { escapeLiteral, type Pool, type PoolClient } from 'pg';
import type { Owner } from '../../app/owner.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { ServerDialect } from './dialect.ts';
import { preparingPool } from './prepared.ts';
import type { DatabaseRoom } from './database-room.ts';
import { querySpans } from './query-spans.ts';
import { takeConnection } from './take-connection.ts';
import type { Database } from '../schema.ts';

const BIND = {
  name: 'bind',
  text: "select set_config('groundwatch.account', $1, false), set_config('groundwatch.environment', $2, false)",
};

/** Binds one transaction to an owner, for statements that cannot take values. */
const bindingOf = ({ accountId, environment }: Owner): string =>
  `select set_config('groundwatch.account', ${escapeLiteral(accountId)}, true), ` +
  `set_config('groundwatch.environment', ${escapeLiteral(environment)}, true)`;

/** Maximum time for which an account waits for a connection [ms]. */
const WAIT_MS = 5_000;

/** Handles that each reach only the rows of one owner. */
export interface BoundHandles {
  readonly boundTo: (owner: Owner) => Kysely<Database>;
  /** Returns the number of calls that wait for a connection. */
  readonly waiting: () => number;
}

/**
 * Makes handles that reach only the rows of one owner, over connections whose role is subject to row-level security. A
 * connection is bound to the owner when it is taken from the pool. This costs one round trip if the connection was
 * bound to another owner before. Behind a pooler each transaction is bound instead. Accounts share the connections: see
 * {@link FairQueue}.
 * @param room is notified of statements that failed because the server had no room
 * @param settings behind a pooler: settings of each transaction, among them the role
 */
export function boundHandles(pool: Pool, room: DatabaseRoom, settings?: string): BoundHandles {
  const places = new FairQueue(pool.options.max, 'database connections of this account', WAIT_MS);
  const holders = new WeakMap<PoolClient, string>();
  pool.on('release', (_error, client) => {
    const holder = holders.get(client);
    holders.delete(client);
    if (holder !== undefined) places.leave(holder);
  });
  const bound = new WeakMap<PoolClient, string>();
  const bind = async (client: PoolClient, { accountId, environment }: Owner): Promise<void> => {
    const wanted = `${environment} ${accountId}`;
    if (settings !== undefined || bound.get(client) === wanted) return;
    try {
      await client.query({ ...BIND, values: [accountId, environment] });
    } catch (error) {
      client.release(true); // destroys the connection, since it is unknown which owner it is bound to now
      throw error;
    }
    bound.set(client, wanted);
  };
  const lend = async (owner: Owner): Promise<PoolClient> => {
    const { accountId } = owner;
    if (!places.enter(accountId)) await places.wait(accountId);
    try {
      const client = await takeConnection(pool);
      await bind(client, owner);
      holders.set(client, accountId);
      return client;
    } catch (error) {
      places.leave(accountId);
      throw error;
    }
  };
  const spans = querySpans();
  return {
    boundTo: (owner) =>
      new Kysely<Database>({
        ...(spans !== undefined && { log: spans }),
        dialect: new ServerDialect({
          pool: preparingPool({
            options: pool.options,
            lend: () => lend(owner),
            room,
            settings: settings && `${settings}; ${bindingOf(owner)}`,
          }),
        }),
      }),
    waiting: () => places.waiting,
  };
}
