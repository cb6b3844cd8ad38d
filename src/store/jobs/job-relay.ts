import { sql, type Kysely } from 'kysely';
import { Bell } from '../../base/waiting/bell.ts';
import { apart } from '../../base/waiting/woken-loop.ts';
import { type Pulse, UNWOKEN_MS } from '../pulse/pulse.ts';
import type { Database } from '../schema.ts';
import type { JobEngine, JobKind, SendableJob } from './job-engine.ts';
import { JOBS_SENT, jobsWithoutWorker, sendAnew } from './job-rows.ts';

/** Whether jobs are due, or were sent and may lose their worker or their message, for the pulse. */
const JOBS_WAIT = `coalesce(${JOBS_SENT},
    (select true from jobs where state = 'waiting' and run_at <= now() limit 1))`;
const CHECK_MS = 10_000; // interval between two looks for jobs whose message was lost
const WORKERS_MS = 500; // interval between two looks for jobs whose worker was lost
/**
 * Time for which a worker must have been away [ms]: when the database comes back, workers are seen again one by one.
 */
const AWAY_MS = 1_500;
const SENT_S = 30; // age from which a message that was sent is looked for
const MOST_CHECKED = 200; // messages that are looked for at once
/**
 * Messages that no worker has begun with: of an account for each kind and priority, and of all accounts for each kind.
 * A message cannot be overtaken, so few of them are sent ahead.
 */
const READY_PER_ACCOUNT = 4;
const READY = 32;
/** Key of the advisory lock of the process that sends: "gw-jobs" in ASCII. */
const SEND_LOCK = sql.raw(`x'67772d6a6f6273'::bigint`);

/** Sends the jobs that wait to an engine. Any number of processes may do so; one at a time does. */
export class JobRelay {
  readonly #db: Kysely<Database>;
  readonly #engine: JobEngine;
  readonly #perAccount: number;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  readonly #bell = new Bell();
  #unwatch = (): void => undefined;
  /** Since when workers with jobs are away, by their number. */
  #away = new Map<number, number>();

  /** @param perAccount maximum number of jobs of an account, of one kind and priority, that are sent and not done */
  constructor(
    db: Kysely<Database>,
    engine: JobEngine,
    perAccount: number,
    onError: (error: unknown) => void,
  ) {
    this.#db = db;
    this.#engine = engine;
    this.#perAccount = perAccount;
    this.#onError = onError;
  }

  /** Begins to send jobs, and to look for messages that were lost, whenever the pulse says that there may be any. */
  start(pulse: Pulse): void {
    if (this.#running !== undefined) return;
    this.#unwatch = pulse.watch({ name: 'jobs', waits: JOBS_WAIT, look: () => this.wake() });
    this.#running = this.#run();
  }

  /** Looks at once, because a job ended and another may be sent in its place. */
  wake(): void {
    this.#bell.ring();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unwatch();
    this.#bell.ring();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let [checkedAt, lookedAt] = [performance.now(), performance.now()];
    let failing: string | undefined;
    while (!signal.aborted) {
      try {
        await this.#send();
        if (performance.now() - lookedAt > WORKERS_MS) {
          lookedAt = performance.now();
          await this.#lookForWorkers();
        }
        if (performance.now() - checkedAt > CHECK_MS) {
          checkedAt = performance.now();
          await this.#check();
        }
        failing = undefined;
      } catch (error) {
        // The same trouble in each look is reported once.
        if (String(error) !== failing) this.#onError(error);
        failing = String(error);
      }
      if (!signal.aborted) await this.#bell.wait(apart(UNWOKEN_MS));
    }
  }

  /** Sends what may be sent now. The jobs are marked as sent when their messages are stored, in one transaction. */
  async #send(): Promise<void> {
    // Mostly there is none. Without a transaction the look takes one query instead of three.
    if (!(await anyIsDue(this.#db))) return;
    const kinds = new Set<JobKind>();
    await this.#alone(async (transaction) => {
      const ids = await nextJobs(transaction, this.#perAccount);
      if (ids.length === 0) return;
      const { rows } = await sql<SendableJob>`
        update jobs set state = 'sent', sends = sends + 1, starts = 0, engine = ${this.#engine.name}, sent_at = now()
        where id in (select id from jobs where id = any(${ids}::uuid[]) and state = 'waiting'
          for update skip locked)
        returning id, sends, kind, priority, data, seq`.execute(transaction);
      const jobs = rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
      const messages = await this.#engine.send(transaction, jobs);
      await sql`update jobs set message = sent.message
        from unnest(${jobs.map(({ id }) => id)}::uuid[], ${messages}::text[]) as sent (id, message)
        where jobs.id = sent.id`.execute(transaction);
      for (const { kind } of jobs) kinds.add(kind);
    });
    this.#engine.sent?.(kinds);
  }

  /** Lets jobs wait again whose worker is gone. */
  async #lookForWorkers(): Promise<void> {
    const lost = await jobsWithoutWorker(this.#db);
    const now = performance.now();
    this.#away = new Map(lost.map(({ worker }) => [worker!, this.#away.get(worker!) ?? now]));
    for (const job of lost) if (now - this.#away.get(job.worker!)! > AWAY_MS) await sendAnew(this.#db, job);
  }

  /** Lets jobs wait again whose message is not there any more. */
  async #check(): Promise<void> {
    const { name } = this.#engine;
    const { rows } = await sql<{
      id: string;
      sends: number;
      kind: JobKind;
      message: string;
      engine: string;
      lost: number;
    }>`
      select id, sends, kind, message, engine, failures + starts as lost from jobs
      where state = 'sent' and sent_at < now() - make_interval(secs => ${SENT_S})
      order by sent_at limit ${MOST_CHECKED}`.execute(this.#db);
    const missing = new Set(await this.#engine.missing(rows.filter(({ engine }) => engine === name)));
    for (const { id, sends, lost, engine } of rows) {
      if (engine === name && !missing.has(id)) continue;
      await sendAnew(this.#db, { id, sends, lost });
    }
    // What was looked at goes to the end, so that the next look finds others.
    await sql`update jobs set sent_at = now() where state = 'sent' and id = any(${rows.map(({ id }) => id)}::uuid[])`.execute(
      this.#db,
    );
  }

  /** Works in a transaction, unless another process is doing so. */
  async #alone(work: (transaction: Kysely<Database>) => Promise<void>): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ alone: boolean }>`
        select pg_try_advisory_xact_lock(${SEND_LOCK}) as alone`.execute(transaction);
      if (rows[0]?.alone === true) await work(transaction);
    });
  }
}

async function anyIsDue(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`
    select from jobs where state = 'waiting' and run_at <= now() limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Chooses the jobs that are sent next, in their order: new ones before backfills, then those of accounts of which few
 * are under way, then the oldest. For a collection or an area, one job is under way at a time.
 */
async function nextJobs(db: Kysely<Database>, perAccount: number): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string; kind: string; subject: string; ready: number }>`
    with sent as (
      select kind, priority, tenant, subject, started_at is null as ready from jobs where state = 'sent'
    ), held as (
      select kind, priority, tenant, count(*) as n, count(*) filter (where ready) as ready from sent group by 1, 2, 3
    ), chosen as (
      select g.kind, g.priority, j.id, j.subject, j.seq, j.rank + coalesce(held.n, 0) as place
      from (select distinct kind, priority, tenant from jobs where state = 'waiting') g
      left join held using (kind, priority, tenant)
      cross join lateral (
        select id, subject, seq, row_number() over (order by seq) as rank from jobs w
        where w.state = 'waiting' and w.run_at <= now()
          and w.kind = g.kind and w.priority = g.priority and w.tenant = g.tenant
          and not exists (select from sent where sent.subject = w.subject)
        order by seq
        limit greatest(0, least(${perAccount}::bigint - coalesce(held.n, 0), ${READY_PER_ACCOUNT} - coalesce(held.ready, 0)))
      ) j
    )
    select id, kind, subject, (select count(*) from sent where sent.kind = chosen.kind and sent.ready)::int as ready
    from chosen order by priority, place, seq`.execute(db);
  const subjects = new Set<string>();
  const room = new Map<string, number>();
  return rows.flatMap(({ id, kind, subject, ready }) => {
    const left = room.get(kind) ?? READY - ready;
    if (left <= 0 || subjects.has(subject)) return [];
    subjects.add(subject);
    room.set(kind, left - 1);
    return [id];
  });
}
