import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 50;

/** A job as it is in the database at one moment. */
interface JobNow {
  readonly id: string;
  readonly failures: number;
  /** Why it failed last. */
  readonly problem: string | null;
  readonly state: 'waiting' | 'sent' | 'failed';
  /** When a worker last began with it [ms]; null while none has. */
  readonly startedMs: number | null;
}

/** Sums over jobs [s]. Only `sent`, `running`, `again` and `lost` of one job exclude each other. */
export interface JobTimes {
  /** Until it was sent to a worker, and until a worker began with it. */
  waiting: number;
  sent: number;
  /** Of runs that ended. */
  running: number;
  /** Of runs that were cut off or failed: until then, and from then until a worker began again. */
  again: number;
  lost: number;
  failed: number;
  /** Number of runs that were cut off by the death of a worker, and that failed. */
  losses: number;
  failures: number;
  /** From deaths until the jobs could be given to others, a part of `lost`. */
  noticed: number;
  /** The longest wait after a death. */
  longestLost: number;
}

/** Looks at the jobs of an installation while it works, and sums where their time goes. */
export class JobWatch {
  readonly #url: string;
  readonly #over = new AbortController();
  readonly #times: JobTimes = {
    waiting: 0,
    sent: 0,
    running: 0,
    again: 0,
    lost: 0,
    failed: 0,
    losses: 0,
    failures: 0,
    noticed: 0,
    longestLost: 0,
  };
  readonly #jobs = new Map<string, JobNow & { readonly seenMs: number; readonly failedMs?: number }>();
  /** When workers were killed [ms]. */
  readonly #deaths: number[] = [];
  readonly #looking: Promise<void>;

  constructor(url: string) {
    this.#url = url;
    this.#looking = this.#look();
  }

  /** A worker was killed just now. */
  workerDied(): void {
    this.#deaths.push(Date.now());
  }

  async end(): Promise<JobTimes> {
    this.#over.abort();
    await this.#looking;
    return this.#times;
  }

  async #look(): Promise<void> {
    let client: Client | undefined;
    while (!this.#over.signal.aborted) {
      try {
        if (client === undefined) {
          client = new Client({ connectionString: this.#url, options: '-c search_path=groundwatch' });
          client.on('error', () => (client = undefined)); // the server was killed
          await client.connect();
        }
        const { rows } = await client.query<JobNow>(
          `select id, failures, problem, state, (extract(epoch from started_at) * 1000)::float8 as "startedMs" from jobs
             where kind <> 'help-search'`,
        );
        this.#see(rows, Date.now());
      } catch {
        client = undefined;
      }
      await sleep(LOOK_MS);
    }
    await client?.end();
  }

  #see(rows: readonly JobNow[], nowMs: number): void {
    const times = this.#times;
    const there = new Set(rows.map(({ id }) => id));
    for (const [id, { startedMs }] of this.#jobs) {
      if (there.has(id)) continue;
      if (startedMs !== null) times.running += (nowMs - startedMs) / 1000;
      this.#jobs.delete(id);
    }
    for (const row of rows) {
      const before = this.#jobs.get(row.id);
      const spent = (nowMs - (before?.seenMs ?? nowMs)) / 1000;
      const isFailure = row.failures > (before?.failures ?? 0) && row.problem !== null;
      if (row.startedMs === null && before?.startedMs == null && before?.failedMs === undefined)
        times[row.state === 'sent' ? 'sent' : 'waiting'] += spent;
      let failedMs = before?.failedMs;
      if (before?.startedMs != null && row.startedMs !== before.startedMs) {
        // The run ended: its worker died, or it failed.
        const diedMs = isFailure
          ? undefined
          : this.#deaths.findLast((ms) => ms > before.startedMs! - LOOK_MS);
        failedMs = diedMs ?? nowMs;
        times.again += (failedMs - before.startedMs) / 1000;
        if (diedMs !== undefined) times.noticed += ((row.startedMs ?? nowMs) - diedMs) / 1000;
        if (isFailure) times.failures++;
        else times.losses++;
      }
      if (failedMs !== undefined && row.startedMs !== null) {
        const waited = (row.startedMs - failedMs) / 1000;
        if (this.#deaths.includes(failedMs)) {
          times.lost += waited;
          times.longestLost = Math.max(times.longestLost, waited);
        } else times.failed += waited;
        failedMs = undefined;
      }
      this.#jobs.set(row.id, { ...row, seenMs: nowMs, ...(failedMs !== undefined && { failedMs }) });
    }
  }
}

/** One line of where the time of jobs went. */
export function jobTimesLine(times: JobTimes): string {
  const s = (seconds: number): string => seconds.toFixed(1);
  return (
    `jobs: ${s(times.waiting)} s until sent, ${s(times.sent)} s until begun, ${s(times.running)} s in runs that ended; ` +
    `${times.losses} runs cut off after ${s(times.again)} s (failed ones too), free for others after ${s(times.noticed)} s, ` +
    `begun again after ${s(times.lost)} s, at most ${s(times.longestLost)} s; ${times.failures} failed, begun again after ${s(times.failed)} s`
  );
}
