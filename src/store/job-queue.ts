import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { JobStore } from '../app/job-queue.ts';
import { observe } from '../base/observed.ts';
import { traced } from '../base/trace.ts';
import { BossEngine } from './jobs/boss-engine.ts';
import type { JobData, JobEngine, JobKind, Received, Verdict } from './jobs/job-engine.ts';
import { JobRelay } from './jobs/job-relay.ts';
import { addJob, beginJob, endJob, failJob, hasBacklog, jobCounts } from './jobs/job-rows.ts';
import type { WorkerPresence } from './jobs/worker-presence.ts';
import { Pulse } from './pulse/pulse.ts';
import type { Database } from './schema.ts';

const START_AGAIN_MS = 2_000; // pause after an attempt to start that failed

/** One handler for each kind of job. A job is repeated when its handler throws, and after a crash. */
export type JobHandlers = { readonly [K in JobKind]: (data: JobData[K]) => Promise<void> };

/** Options of a {@link JobQueue}. */
export interface JobQueueOptions {
  /** What delivers jobs to workers. Default: pg-boss. */
  readonly engine?: JobEngine;
  /** Maximum number of jobs of an account, of one kind and priority, that are with workers; 0 or absent: no bound. */
  readonly perAccount?: number;
  /** Number of waiting jobs of an account from which ingests pause; 0 or absent: they never do. */
  readonly backlog?: number;
  /** Shows others that this worker lives. Default: its heartbeats at the engine only. */
  readonly presence?: WorkerPresence | undefined;
  /** Wakes the queue, and is started and stopped by its owner. Default: one of its own. */
  readonly pulse?: Pulse;
}

/**
 * Job queue of the installation. Jobs are rows of the database until they are done; see `jobs/job-relay.ts` for when they
 * are sent to workers. A process that only queues jobs starts nothing.
 */
export class JobQueue {
  readonly #db: Kysely<Database>;
  readonly #engine: JobEngine;
  readonly #relay: JobRelay;
  readonly #backlog: number;
  readonly #presence: WorkerPresence | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #ownPulse: Pulse | undefined;
  readonly #closing = new AbortController();
  /** Reason why the queue cannot work; undefined while it can, or was not asked to. */
  trouble: string | undefined;
  /** Sees the jobs that other processes queue. */
  readonly pulse: Pulse;

  constructor(db: Kysely<Database>, onError: (error: unknown) => void, options: JobQueueOptions = {}) {
    this.#db = db;
    this.#onError = onError;
    this.#engine = options.engine ?? new BossEngine(db, onError);
    this.#relay = new JobRelay(db, this.#engine, options.perAccount || Number.MAX_SAFE_INTEGER, onError);
    this.#backlog = options.backlog ?? 0;
    this.#presence = options.presence;
    this.#ownPulse = options.pulse === undefined ? new Pulse(db, onError) : undefined;
    this.pulse = options.pulse ?? this.#ownPulse!;
  }

  /** Number under which others see that this worker lives; null when they cannot. */
  get worker(): number | null {
    return this.#presence?.number ?? null;
  }

  /** Returns a store that queues jobs through a database handle. In a transaction, they are queued if it commits. */
  over(handle: Kysely<Database>): JobStore {
    return {
      refreshAnomalies: ({ accountId, environment, aoiId }) =>
        addJob(handle, {
          kind: 'refresh-anomalies',
          subject: aoiId,
          owner: { accountId, environment },
          priority: 'new',
          data: { accountId, environment, aoiId },
        }),
      deriveSeries: ({ collectionId, priority = 'new' }) =>
        addJob(handle, {
          kind: 'derive-feeds',
          subject: collectionId,
          owner: undefined,
          priority,
          data: { collectionId },
        }),
      monitorCollection: ({ collectionId, priority = 'new' }) =>
        addJob(handle, {
          kind: 'monitor-collection',
          subject: collectionId,
          owner: undefined,
          priority,
          data: { collectionId },
        }),
      helpSearch: async ({ helpers, ...data }) => {
        // One subject for each helper, because one job at a time runs for a subject.
        for (let n = 1; n <= helpers; n++)
          await addJob(handle, {
            kind: 'help-search',
            subject: `${data.search} ${n}`,
            owner: undefined,
            collectionId: data.collectionId,
            priority: 'new',
            data,
          });
      },
      withdrawHelp: async (search) => {
        await sql`delete from jobs where kind = 'help-search' and data ->> 'search' = ${search} and started_at is null`.execute(
          handle,
        );
      },
      isFull: async (accountId) => this.#backlog > 0 && (await hasBacklog(handle, accountId, this.#backlog)),
      counts: () => jobCounts(handle),
    };
  }

  /**
   * Sends jobs to workers and processes them, one of each kind at a time, until the queue is closed. A queue that cannot
   * start, because the database is away, is started again until it can.
   */
  async work(handlers: JobHandlers): Promise<void> {
    const { signal } = this.#closing;
    while (!(await this.#start())) {
      await sleep(START_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
    this.#presence?.start();
    this.#relay.start(this.pulse);
    this.#ownPulse?.start();
    await this.#engine.work((kind, received) => this.#take(kind, received, handlers), this.pulse);
  }

  /** Stops fetching jobs and waits at most 10 s for the running jobs to end. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ownPulse?.stop();
    await this.#relay.stop();
    await this.#engine.close();
    await this.#presence?.close();
  }

  async #start(): Promise<boolean> {
    try {
      await this.#engine.start();
      this.trouble = undefined;
      return true;
    } catch (error) {
      // The same trouble is reported once.
      if (this.trouble === undefined) this.#onError(error);
      this.trouble = `the job queue could not be started: ${(error as Error).message}`;
      return false;
    }
  }

  async #take(kind: JobKind, received: Received, handlers: JobHandlers): Promise<Verdict> {
    const handle = handlers[kind] as (data: object) => Promise<void>;
    const run = (data: object, parent: string | null): Promise<void> =>
      traced({ name: `job ${kind}`, kind: 'consumer', parent }, () => handle(data)).catch(
        (error: unknown) => {
          observe({ kind: 'failed-job', outcome: kind });
          throw error;
        },
      );
    if (!('ticket' in received)) {
      await run(received.data, null);
      return 'settled';
    }
    const { ticket } = received;
    const begun = await beginJob(this.#db, ticket, this.worker);
    if (begun.is !== 'run') return begun.is === 'early' ? 'again' : 'settled';
    try {
      await run(begun.data, begun.traceparent);
    } catch (error) {
      this.#onError(new Error(`${kind}: ${String(error)}`, { cause: error }));
      await failJob(this.#db, ticket, String(error));
      return 'settled';
    }
    await endJob(this.#db, ticket);
    this.#relay.wake();
    return 'settled';
  }
}
