import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import { Client, type ClientConfig } from 'pg';

/** First half of the keys of the advisory locks of workers: "gwwk" in ASCII. */
const CLASS = 0x67_77_77_6b;
/** Pause before the session is opened again [ms]. */
const AGAIN_MS = 250;
const CONNECT_TIMEOUT_MS = 10_000;
/** The server looks after a silent machine in this time, three times [s]; a worker that lost its power is found so. */
const KEEPALIVE_S = 3;

/**
 * Tells all others that this worker lives: by an advisory lock of a session of the database, which ends with its process.
 * It does not work through a pooler, which keeps sessions of its own.
 */
export class WorkerPresence {
  readonly #options: ClientConfig;
  readonly #number = randomInt(1, 2 ** 31 - 1);
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #isHeld = false;

  constructor(options: ClientConfig) {
    this.#options = options;
  }

  /** The number of this worker while others can see that it lives; else null. */
  get number(): number | null {
    return this.#isHeld ? this.#number : null;
  }

  /** Begins. A database that is away is waited for. */
  start(): void {
    this.#running ??= this.#keep();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // The connections of the pool tell why the database is away.
      await this.#hold().catch(() => undefined);
      this.#isHeld = false;
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Holds the lock until the session ends. */
  async #hold(): Promise<void> {
    const { password } = this.#options; // a pool does not let it be copied with the others
    const client = new Client({
      ...this.#options,
      ...(password !== undefined && { password }),
      application_name: 'groundwatch worker',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
      client.once('error', () => resolve());
      this.#closing.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      for (const setting of ['idle', 'interval', 'count'])
        await client.query(`set tcp_keepalives_${setting} = ${KEEPALIVE_S}`);
      const { rows } = await client.query<{ taken: boolean }>(
        'select pg_try_advisory_lock($1, $2) as taken',
        [CLASS, this.#number],
      );
      this.#isHeld = rows[0]?.taken === true;
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Whether the worker with the number of a column lives, as far as the database knows. */
export function isPresent(column: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
    and classid = ${sql.lit(CLASS)}::oid and objid = ${column}::oid)`;
}
