import { sql, type Kysely } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import type { JobStore } from '../app/job-queue.ts';
import { observe } from '../base/observed.ts';
import type { Owner } from '../app/owner.ts';
import type { Database } from './schema.ts';

/** Schema of the tables of the job queue. */
export const JOBS_SCHEMA = 'groundwatch_jobs';

const POLL_SECONDS = 0.5; // polling interval of a queue: the minimum of pg-boss
const RETRY_LIMIT = 8; // maximum number of retries; after that the job is kept as failed
const RETRY_DELAY_SECONDS = 1; // delay before the first retry; doubled for each further retry: four minutes in all
/**
 * Time without a heartbeat after which a job goes to another worker: the minimum of pg-boss. With the interval of the
 * looks and the delay, another worker has the job within 15 s of the death of the first.
 */
const HEARTBEAT_SECONDS = 10;
const SUPERVISE_SECONDS = 2; // interval between two looks for jobs without a heartbeat
const EXPIRE_SECONDS = 86_400; // maximum duration of a job: the largest value that pg-boss accepts

interface JobData {
  'refresh-anomalies': Owner & { readonly aoiId: string };
  'monitor-collection': { readonly collectionId: string };
  'derive-feeds': { readonly collectionId: string };
}

type JobName = keyof JobData;

const NAMES: readonly JobName[] = ['refresh-anomalies', 'monitor-collection', 'derive-feeds'];

/** One handler for each kind of job. A job is repeated when its handler throws, and after a crash. */
export type JobHandlers = { readonly [N in JobName]: (data: JobData[N]) => Promise<void> };

/** Job queue in the service's database, with pg-boss. It starts when the first job is sent or `work` is called. */
export class JobQueue {
  readonly #boss: PgBoss;
  #started: Promise<void> | undefined;
  /** Reason why the queue is currently not working; undefined while it is working. */
  trouble: string | undefined;

  constructor(db: Kysely<Database>, onError: (error: unknown) => void) {
    this.#boss = new PgBoss({
      db: fromKysely(db),
      schema: JOBS_SCHEMA,
      // `migrate` creates the schema. pg-boss would need the right to create schemas even if the schema exists.
      createSchema: false,
      schedule: false,
      monitorVacuum: false,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      monitorIntervalSeconds: SUPERVISE_SECONDS,
    });
    // pg-boss reports some failures as an object that is not an Error.
    this.#boss.on('error', (told: unknown) =>
      onError(told instanceof Error ? told : new Error((told as { message?: string }).message)),
    );
  }

  /** Returns a store that sends jobs through a database handle. In a transaction, jobs are sent only if it commits. */
  over(handle: Kysely<Database>): JobStore {
    const send = async <N extends JobName>(name: N, data: JobData[N]): Promise<void> => {
      await this.#start();
      await this.#boss.send(name, data, { db: fromKysely(handle) });
    };
    /**
     * Sends a job unless a job with the same name and key is waiting. The waiting job is locked until this transaction
     * ends, so that it does not start before the data of this transaction is committed. A waiting job that another
     * transaction has locked is ignored, since it may be starting already.
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

  /** Processes jobs, one of each kind at a time, until the queue is closed. */
  async work(handlers: JobHandlers): Promise<void> {
    await this.#start();
    for (const name of NAMES) {
      const handle = handlers[name] as (data: object) => Promise<void>;
      await this.#boss.work<object>(
        name,
        { pollingIntervalSeconds: POLL_SECONDS, batchSize: 1 },
        async (jobs) => {
          for (const job of jobs)
            await handle(job.data).catch((error: unknown) => {
              observe({ kind: 'failed-job', outcome: name });
              throw error;
            });
        },
      );
    }
  }

  /** Stops fetching jobs and waits at most 10 s for the running jobs to end. */
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

/** Jobs of one kind of all workers. */
export interface JobCounts {
  readonly name: string;
  readonly waiting: number;
  readonly running: number;
  /** Number of jobs that were given up and are still kept. */
  readonly failed: number;
  /** Time for which the oldest waiting job has been due [s]; 0 when none is. */
  readonly overdueS: number;
}

/** Counts the jobs of all workers, by name; none before the queue was used. */
export async function jobCounts(db: Kysely<Database>): Promise<readonly JobCounts[]> {
  const table = await sql<{ there: boolean }>`
    select to_regclass(${`${JOBS_SCHEMA}.job`}) is not null as there`.execute(db);
  if (table.rows[0]?.there !== true) return [];
  const { rows } = await sql<JobCounts>`
    select name, count(*) filter (where state in ('created', 'retry')) as waiting,
      count(*) filter (where state = 'active') as running, count(*) filter (where state = 'failed') as failed,
      greatest(0, extract(epoch from now() - min(start_after) filter (where state in ('created', 'retry'))))::float8
        as "overdueS"
    from ${sql.id(JOBS_SCHEMA, 'job')} where name = any(${NAMES}) and (state <= 'active' or state = 'failed')
    group by name order by name`.execute(db);
  return NAMES.map((name) => {
    const row = rows.find((one) => one.name === name);
    return row ?? { name, waiting: 0, running: 0, failed: 0, overdueS: 0 };
  });
}
