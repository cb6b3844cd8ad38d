import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { JobCounts, JobPriority } from '../../app/job-queue.ts';
import type { Owner } from '../../app/owner.ts';
import { currentTrace } from '../../base/trace.ts';
import type { Database } from '../schema.ts';
import { isPresent } from './worker-presence.ts';
import { JOB_KINDS, type JobData, type JobKind, type JobTicket } from './job-engine.ts';

/** Whether jobs are with workers, for the pulse. */
export const JOBS_SENT = `(select true from jobs where state = 'sent' order by subject limit 1)`;

/** Maximum number of retries, after failures and lost workers together. After that the job is kept as failed. */
export const RETRY_LIMIT = 8;
const RETRY_DELAY_S = 1; // delay before the first retry; doubled for each further retry: four minutes in all

const PRIORITIES: Readonly<Record<JobPriority, number>> = { new: 0, backfill: 1 };

/** A job that is queued. */
export interface NewJob<K extends JobKind = JobKind> {
  readonly kind: K;
  /** Collection or area that it is about. */
  readonly subject: string;
  /** Undefined: the owner of the collection. */
  readonly owner: Owner | undefined;
  /** Collection whose owner the job has; undefined: `subject`. */
  readonly collectionId?: string;
  readonly priority: JobPriority;
  readonly data: JobData[K];
}

/**
 * Adds a job unless one of its kind and subject is waiting that has not failed. The waiting job is locked until this
 * transaction ends, so that it does not start before the data of this transaction is committed. A waiting job that
 * another transaction has locked is ignored, since it may be starting already.
 */
export async function addJob(db: Kysely<Database>, job: NewJob): Promise<void> {
  const { kind, subject, owner, data, collectionId = subject } = job;
  const priority = PRIORITIES[job.priority];
  const { rows } = await sql<{ id: string; priority: number }>`select id, priority from jobs
    where kind = ${kind} and subject = ${subject} and state = 'waiting' and failures = 0
    order by priority limit 1 for update skip locked`.execute(db);
  const [waiting] = rows;
  if (waiting !== undefined) {
    if (waiting.priority > priority)
      await db.updateTable('jobs').set({ priority }).where('id', '=', waiting.id).execute();
    return;
  }
  const account = owner
    ? sql`${owner.accountId}, ${owner.environment}::environment`
    : sql`(select account_id from collections where id = ${collectionId}),
        (select environment from collections where id = ${collectionId})`;
  await sql`insert into jobs (id, kind, subject, priority, data, traceparent, account_id, environment)
    values (${randomUUID()}, ${kind}, ${subject}, ${priority}, ${JSON.stringify(data)}, ${currentTrace()}, ${account})`.execute(
    db,
  );
}

/** Whether an account (null: shared data) has at least the given number of waiting jobs, apart from calls for help. */
export async function hasBacklog(
  db: Kysely<Database>,
  accountId: string | null,
  bound: number,
): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from
    (select from jobs where state = 'waiting' and kind <> 'help-search' and tenant = ${accountId ?? ''} limit ${bound}) as first`.execute(
    db,
  );
  return (rows[0]?.count ?? 0) >= bound;
}

/**
 * What a worker does with a message: `run` the job, drop the message because the job is `done` or was sent anew, or
 * wait because it came before the transaction that sent it (`early`).
 */
export type Beginning =
  | { readonly is: 'run'; readonly data: object; readonly traceparent: string | null }
  | { readonly is: 'done' }
  | { readonly is: 'early' };

/**
 * Begins with the job of a message. A job whose workers were lost too often is given up.
 * @param worker number of this worker; null when others cannot see whether it lives
 */
export async function beginJob(
  db: Kysely<Database>,
  { id, sends }: JobTicket,
  worker: number | null,
): Promise<Beginning> {
  return await db.transaction().execute(async (transaction) => {
    // The lock waits for the transaction that sends the message, if that has not ended yet.
    const row = await transaction
      .selectFrom('jobs')
      .select(['sends', 'state', 'starts', 'failures', 'data', 'traceparent'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (row?.state === 'waiting' && row.sends < sends) return { is: 'early' };
    if (row?.state !== 'sent' || row.sends !== sends) return { is: 'done' };
    if (row.failures + row.starts > RETRY_LIMIT) {
      await giveUp(transaction, { id, sends });
      return { is: 'done' };
    }
    await transaction
      .updateTable('jobs')
      .set({ starts: row.starts + 1, started_at: sql`now()`, worker })
      .where('id', '=', id)
      .execute();
    return { is: 'run', data: row.data, traceparent: row.traceparent };
  });
}

/** Removes a job that is done. */
export async function endJob(db: Kysely<Database>, { id, sends }: JobTicket): Promise<void> {
  await db.deleteFrom('jobs').where('id', '=', id).where('sends', '=', sends).execute();
}

/** Lets a job that failed wait for its retry, or gives it up after too many. */
export async function failJob(
  db: Kysely<Database>,
  { id, sends }: JobTicket,
  problem: string,
): Promise<void> {
  await sql`update jobs set started_at = null, failures = failures + starts, starts = 0, problem = ${problem},
      state = case when failures + starts > ${RETRY_LIMIT} then 'failed' else 'waiting' end,
      failed_at = case when failures + starts > ${RETRY_LIMIT} then now() end,
      run_at = now() + make_interval(secs => ${RETRY_DELAY_S} * power(2, least(failures + starts - 1, 10)))
    where id = ${id} and sends = ${sends} and state = 'sent'`.execute(db);
}

/** A job whose worker, or whose message, was lost. */
export interface LostJob extends JobTicket {
  readonly worker: number | null;
  /** How often it failed or lost its worker. */
  readonly lost: number;
}

/** Finds the jobs that run on workers whose lock is gone. */
export async function jobsWithoutWorker(db: Kysely<Database>): Promise<readonly LostJob[]> {
  const { rows } = await sql<LostJob>`select id, sends, worker, failures + starts as lost from jobs
    where state = 'sent' and worker is not null and started_at is not null and not ${isPresent(sql`jobs.worker`)}`.execute(
    db,
  );
  return rows;
}

/** Lets a job wait again whose worker or message was lost, or gives it up after too many. Its message has no effect now. */
export async function sendAnew(
  db: Kysely<Database>,
  { id, sends, lost }: Omit<LostJob, 'worker'>,
): Promise<void> {
  if (lost > RETRY_LIMIT) await giveUp(db, { id, sends });
  else
    await sql`update jobs set state = 'waiting', started_at = null, failures = failures + starts, starts = 0
      where id = ${id} and sends = ${sends} and state = 'sent'`.execute(db);
}

/** Keeps a job as failed whose workers were lost too often. */
export async function giveUp(db: Kysely<Database>, { id, sends }: JobTicket): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ state: 'failed', problem: 'its workers were lost', failed_at: sql`now()`, started_at: null })
    .where('id', '=', id)
    .where('sends', '=', sends)
    .execute();
}

/** Counts the jobs of all workers, by kind. Calls for help with a search are never overdue: nobody has to answer one. */
export async function jobCounts(db: Kysely<Database>): Promise<readonly JobCounts[]> {
  const { rows } = await sql<JobCounts>`
    select kind as name, count(*) filter (where state <> 'failed' and started_at is null) as waiting,
      count(*) filter (where started_at is not null) as running, count(*) filter (where state = 'failed') as failed,
      coalesce(greatest(0, extract(epoch from now() - min(run_at)
        filter (where state <> 'failed' and started_at is null and kind <> 'help-search'))), 0)::float8 as "overdueS"
    from jobs group by kind`.execute(db);
  return JOB_KINDS.map(
    (name) =>
      rows.find((row) => row.name === name) ?? { name, waiting: 0, running: 0, failed: 0, overdueS: 0 },
  );
}
