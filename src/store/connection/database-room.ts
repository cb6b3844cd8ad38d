import type { Pool } from 'pg';
import { NoRoom } from '../../base/errors.ts';
import { errorCode } from './error-code.ts';

const DISK_FULL = '53100'; // disk_full: PostgreSQL, appendix A
const PAUSE_MS = 1_000; // least time between two trials
/**
 * Takes and gives back about a megabyte: a table that no other connection sees, and that goes with its transaction. A
 * small update may find its place in a page that is there, and so succeed on a full disk.
 */
const TRIAL =
  'create temp table groundwatch_room on commit drop as select i, md5(i::text) from generate_series(1, 16384) as i';

/** Notices that the server of a database has no room for what is written, and when it has again. */
export class DatabaseRoom {
  #isLacking = false;
  #triedMs = -Infinity;
  #trial: Promise<void> | undefined;

  /** Returns the error of a statement, or of a connection, as it is thrown: {@link NoRoom} when the server had no room. */
  noticed(error: unknown): unknown {
    if (errorCode(error) !== DISK_FULL) return error;
    this.#isLacking = true;
    return new NoRoom(error);
  }

  /**
   * Whether a write failed for want of room, and would still fail. Without such a failure nothing is asked of the server.
   * Concurrent calls share one trial, and calls within a second its result.
   */
  async isLacking(pool: Pick<Pool, 'connect'>): Promise<boolean> {
    if (this.#isLacking && performance.now() - this.#triedMs >= PAUSE_MS)
      await (this.#trial ??= this.#try(pool).finally(() => (this.#trial = undefined)));
    return this.#isLacking;
  }

  async #try(pool: Pick<Pool, 'connect'>): Promise<void> {
    const client = await pool.connect().catch((error: unknown) => {
      if (errorCode(error) !== DISK_FULL) throw error;
    });
    // A server without room refuses new connections, which write a file each.
    if (client === undefined) {
      this.#triedMs = performance.now();
      return;
    }
    try {
      await client.query('begin');
      await client.query(TRIAL);
      this.#isLacking = false;
    } catch (error) {
      // Another failure, such as a role that may make no such table, says nothing: the next write tells.
      this.#isLacking = errorCode(error) === DISK_FULL;
    } finally {
      this.#triedMs = performance.now();
      await client.query('rollback').then(
        () => client.release(),
        () => client.release(true),
      );
    }
  }
}
