import { sql, type Kysely } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import { wokenLoop } from '../../base/waiting/woken-loop.ts';
import type { Pulse } from '../pulse/pulse.ts';
import type { Database } from '../schema.ts';
import {
  JOB_KINDS,
  type JobEngine,
  type JobKind,
  type JobTicket,
  type Received,
  type SendableJob,
  type SentJob,
  type Verdict,
} from './job-engine.ts';
import { JOBS_SENT, RETRY_LIMIT } from './job-rows.ts';

/** Schema of the tables of pg-boss. */
export const JOBS_SCHEMA = 'groundwatch_jobs';

/**
 * Polling interval of a queue. The pulse sees messages sooner, and workers of the process that sends one are woken at
 * once: this is for what both have missed.
 */
const POLL_SECONDS = 60;
/**
 * Time without a heartbeat after which a message goes to another worker: the minimum of pg-boss. With the interval of
 * the looks and the delay, another worker has the job within 15 s of the death of the first.
 */
const HEARTBEAT_SECONDS = 10;
/** Interval between two looks for messages without a heartbeat, while jobs are with workers. */
const SUPERVISE_SECONDS = 2;
/** Interval between two looks at rest: for old messages, of which pg-boss removes some once a day. */
const REST_SECONDS = 60;
const EXPIRE_SECONDS = 86_400; // maximum duration of a job: the largest value that pg-boss accepts
const RETRY_DELAY_SECONDS = 1; // delay before a message is delivered again

/**
 * The kinds of which messages may be fetched, for the pulse. Each is looked for in the index of pg-boss for that, since
 * messages that are done stay in the table for days.
 */
const MESSAGES_WAIT = `array_remove(array[${JOB_KINDS.map(
  (kind) => `
    (select name from ${JOBS_SCHEMA}.job where name = '${kind}' and state < 'active' and not blocked
      and start_after <= now() order by priority desc, created_on limit 1)`,
).join(',')}], null)`;

/** Messages in the service's database, with pg-boss. */
export class BossEngine implements JobEngine {
  readonly name = 'pg-boss';
  readonly #boss: PgBoss;
  readonly #db: Kysely<Database>;
  /** Ids of the workers of this process. */
  readonly #workers = new Map<JobKind, string>();
  #started: Promise<void> | undefined;
  /** End what `work` began. */
  readonly #ends: (() => unknown)[] = [];
  readonly #onError: (error: unknown) => void;

  constructor(db: Kysely<Database>, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
    this.#boss = new PgBoss({
      db: fromKysely(db),
      schema: JOBS_SCHEMA,
      // `migrate` creates the schema. pg-boss would need the right to create schemas even if the schema exists.
      createSchema: false,
      schedule: false,
      monitorVacuum: false,
      supervise: false, // it would ask six times in two seconds, work or not: see `work`
      monitorIntervalSeconds: SUPERVISE_SECONDS,
    });
    // pg-boss reports some failures as an object that is not an Error.
    this.#boss.on('error', (told: unknown) =>
      onError(told instanceof Error ? told : new Error((told as { message?: string }).message)),
    );
  }

  start(): Promise<void> {
    return (this.#started ??= this.#open().catch(async (error: unknown) => {
      this.#started = undefined; // it may be started again
      await this.#boss.stop({ graceful: false }).catch(() => undefined);
      throw error;
    }));
  }

  /** Sends in the transaction, so nothing is sent when it is rolled back. */
  async send(transaction: Kysely<Database>, jobs: readonly SendableJob[]): Promise<readonly string[]> {
    const db = fromKysely(transaction);
    const messages: string[] = [];
    for (const { kind, id, sends, priority, data } of jobs) {
      // Workers of a release before 1.4 take the data and ignore the ticket.
      const message = await this.#boss.send(
        kind,
        { ...data, ticket: { id, sends } },
        { db, priority: -priority },
      );
      if (message === null) throw new Error(`pg-boss did not take the job ${id}`);
      messages.push(message);
    }
    return messages;
  }

  sent(kinds: Iterable<JobKind>): void {
    for (const kind of kinds) {
      const worker = this.#workers.get(kind);
      if (worker !== undefined) this.#boss.notifyWorker(worker);
    }
  }

  async missing(jobs: readonly SentJob[]): Promise<readonly string[]> {
    const { rows } = await sql<{ id: string }>`select id from ${sql.id(JOBS_SCHEMA, 'job')}
      where id = any(${jobs.map(({ message }) => message)}::uuid[]) and state <= 'active'`.execute(this.#db);
    const there = new Set(rows.map(({ id }) => id));
    return jobs.filter(({ message }) => !there.has(message)).map(({ id }) => id);
  }

  async work(take: (kind: JobKind, received: Received) => Promise<Verdict>, pulse: Pulse): Promise<void> {
    for (const [i, kind] of JOB_KINDS.entries()) {
      const worker = await this.#boss.work<{ ticket?: JobTicket }>(
        kind,
        // Not all at once, which would open a connection for each.
        { pollingIntervalSeconds: POLL_SECONDS + 3 * i, batchSize: 1 },
        async (messages) => {
          for (const { data } of messages) {
            const { ticket } = data;
            const verdict = await take(kind, ticket === undefined ? { data } : { ticket });
            if (verdict === 'again') throw new Error('the job is not marked as sent yet');
          }
          // There may be more: without this, a worker would do two jobs of a kind in a second.
          this.sent([kind]);
        },
      );
      this.#workers.set(kind, worker);
    }
    const supervising = wokenLoop({
      work: () => this.#boss.supervise(),
      onError: this.#onError,
      paceMs: SUPERVISE_SECONDS * 1000,
      restMs: REST_SECONDS * 1000,
    });
    this.#ends.push(
      pulse.watch({
        name: 'messages',
        waits: MESSAGES_WAIT,
        look: (kinds) => this.sent((kinds as readonly JobKind[] | undefined) ?? JOB_KINDS),
      }),
      pulse.watch({ name: 'messages with workers', waits: JOBS_SENT, look: supervising.wake }),
      supervising.stop,
    );
  }

  async close(): Promise<void> {
    if (this.#started === undefined) return;
    await this.#started.catch(() => undefined);
    await Promise.all(this.#ends.splice(0).map((end) => end()));
    await this.#boss.stop({ graceful: true, timeout: 10_000 });
  }

  async #open(): Promise<void> {
    await this.#boss.start();
    const options = {
      retryLimit: RETRY_LIMIT,
      retryDelay: RETRY_DELAY_SECONDS,
      retryBackoff: true,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: EXPIRE_SECONDS,
    };
    const known = await this.#boss.getQueues([...JOB_KINDS]);
    for (const kind of JOB_KINDS) {
      const queue = known.find((one) => one.name === kind);
      if (queue === undefined) await this.#boss.createQueue(kind, options);
      else if (queue.heartbeatSeconds !== HEARTBEAT_SECONDS) await this.#boss.updateQueue(kind, options);
    }
  }
}
