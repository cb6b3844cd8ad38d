import { sql, type Kysely } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import type { JobStore } from '../app/job-queue.ts';
import type { Owner } from '../app/owner.ts';
import type { Database } from './schema.ts';

/** Schema of the job queue's own tables. */
export const JOBS_SCHEMA = 'groundwatch_jobs';

const POLL_SECONDS = 0.5; // between looks at a queue: the shortest that pg-boss takes
const RETRY_LIMIT = 5; // after these a job is kept as failed
const RETRY_DELAY_SECONDS = 5; // doubled at each retry
const HEARTBEAT_SECONDS = 60; // of which a worker tells that it is at a job: one that was killed leaves it to others after that
const EXPIRE_SECONDS = 86_400; // a job that runs longer is given up: the longest that pg-boss takes

interface JobData {
  'refresh-anomalies': Owner & { readonly aoiId: string };
  'monitor-collection': { readonly collectionId: string };
  'derive-feeds': { readonly collectionId: string };
}

type JobName = keyof JobData;

const NAMES: readonly JobName[] = ['refresh-anomalies', 'monitor-collection', 'derive-feeds'];

/** What is done for each kind of job; done again when it throws, and after a crash. */
export type JobHandlers = { readonly [N in JobName]: (data: JobData[N]) => Promise<void> };

/** Jobs in the same database, by pg-boss; it starts when the first job is sent or worked. */
export class JobQueue {
  readonly #boss: PgBoss;
  #started: Promise<void> | undefined;
  /** Why no job can be done; undefined while all is well. */
  trouble: string | undefined;

  constructor(db: Kysely<Database>, onError: (error: unknown) => void) {
    this.#boss = new PgBoss({
      db: fromKysely(db),
      schema: JOBS_SCHEMA,
      createSchema: false, // by `migrate`: "if not exists" asks for the right to create even where it exists
      schedule: false,
      monitorVacuum: false,
    });
    // The queue tells of some failures with an object that is no Error.
    this.#boss.on('error', (told: unknown) =>
      onError(told instanceof Error ? told : new Error((told as { message?: string }).message)),
    );
  }

  /** Sends jobs through a database handle: within a transaction, they are there only if it commits. */
  over(handle: Kysely<Database>): JobStore {
    const send = async <N extends JobName>(name: N, data: JobData[N]): Promise<void> => {
      await this.#start();
      await this.#boss.send(name, data, { db: fromKysely(handle) });
    };
    /**
     * Unless one of the same name and key waits already. It is held until this transaction ends, so that it cannot begin
     * before what it is to see is there; one that is held by another is passed over, for it may be about to begin.
     */
    const sendOnce = async <N extends JobName>(name: N, key: string, data: JobData[N]): Promise<void> => {
      await this.#start();
      const table = sql.id(JOBS_SCHEMA, 'job');
      const { rows } = await sql`select from ${table} where name = ${name} and state = 'created'
        and singleton_key = ${key} limit 1 for update skip locked`.execute(handle);
      if (rows.length > 0) return;
      await this.#boss.send(name, data, { db: fromKysely(handle), singletonKey: key });
    };
    return {
      refreshAnomaliesOnce: ({ accountId, environment, aoiId }) =>
        sendOnce('refresh-anomalies', aoiId, { accountId, environment, aoiId }),
      deriveSeries: ({ collectionId }) => sendOnce('derive-feeds', collectionId, { collectionId }),
      refreshAnomalies: ({ accountId, environment, aoiId }) =>
        send('refresh-anomalies', { accountId, environment, aoiId }),
      monitorCollection: ({ collectionId }) => send('monitor-collection', { collectionId }),
    };
  }

  /** Works jobs, one of each kind at a time, until the queue is closed. */
  async work(handlers: JobHandlers): Promise<void> {
    await this.#start();
    for (const name of NAMES) {
      const handle = handlers[name] as (data: object) => Promise<void>;
      await this.#boss.work<object>(
        name,
        { pollingIntervalSeconds: POLL_SECONDS, batchSize: 1 },
        async (jobs) => {
          for (const job of jobs) await handle(job.data);
        },
      );
    }
  }

  /** Waits for the jobs under way, then stops looking for more. */
  async close(): Promise<void> {
    if (this.#started === undefined) return;
    await this.#started.catch(() => undefined);
    await this.#boss.stop({ graceful: true, timeout: 10_000 });
  }

  #start(): Promise<void> {
    return (this.#started ??= this.#open().catch((error: unknown) => {
      this.trouble = `the job queue could not be started: ${(error as Error).message}`;
      throw error;
    }));
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
    const known = await this.#boss.getQueues([...NAMES]);
    for (const name of NAMES) {
      const queue = known.find((one) => one.name === name);
      if (queue === undefined) await this.#boss.createQueue(name, options);
      else if (queue.heartbeatSeconds !== HEARTBEAT_SECONDS) await this.#boss.updateQueue(name, options);
    }
  }
}
