import type { Pool, PoolClient } from 'pg';
import { Unavailable } from '../../base/errors.ts';
import { inWaitLimit } from '../../base/waiting/wait-limit.ts';

/**
 * Takes a connection from a pool. A call waits no longer for all of its connections than it may.
 * @throws Unavailable when it has waited so long; Error of the pool
 */
export function takeConnection(pool: Pool): Promise<PoolClient> {
  if (pool.idleCount > 0) return pool.connect();
  return inWaitLimit(
    () => pool.connect(),
    (client) => client.release(),
    () => new Unavailable(new Error('the call has waited too long for connections')),
  );
}

/** Makes a function that asks the server over a connection of each pool. Concurrent calls share one question. */
export function probeOf(pools: readonly Pool[]): () => Promise<void> {
  let underway: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    await Promise.all(pools.map((each) => each.query('select 1')));
  };
  return () => (underway ??= ask().finally(() => (underway = undefined)));
}
