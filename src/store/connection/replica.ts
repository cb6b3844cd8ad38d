import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { sharedQuestion } from '../../base/shared-question.ts';
import type { Database } from '../schema.ts';
import type { OpenDatabase } from './database.ts';

/** Longest time for which a list waits until the replica has what was committed before it [ms]. */
const WAIT_MS = 50;
const LOOK_MS = 2; // pause between two looks at the replica
const AWAY_MS = 5_000; // time for which a replica that failed is not asked

/** How far a server is: its history, and the position in it [bytes]. */
interface Position {
  /** Identity of the cluster, and the timeline of its last checkpoint: it differs after a promotion. */
  readonly history: string;
  readonly bytes: bigint;
  readonly standby: boolean;
}

/** Options of {@link Replica}. */
export interface ReplicaOptions {
  readonly primary: Kysely<Database>;
  /** Opens the replica. It is called again after it failed. */
  readonly open: () => Promise<OpenDatabase>;
  /** Called when the replica becomes usable, and when it stops to be, with the reason. */
  readonly onChange: (problem: string | undefined) => void;
  /** Monotonic clock [ms]. */
  readonly now?: () => number;
}

/**
 * A streaming replica that may answer what only reads. It is used when it has replayed everything that the primary had
 * committed when it was asked, so an answer is never older than its call and a caller sees what they wrote, whichever
 * node wrote it. Both questions are shared by the calls of a moment: the primary answers one short statement for all.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #now: () => number;
  #opened: Promise<OpenDatabase> | undefined;
  #awayUntil = 0;
  /** Null until it was asked. */
  #problem: string | undefined | null = null;
  readonly #committed: () => Promise<Position>;
  readonly #replayed: () => Promise<Position>;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#committed = sharedQuestion(() => positionOf(options.primary));
    this.#replayed = sharedQuestion(async () => positionOf((await this.#open()).db));
  }

  /** Returns the replica if it has all that is committed now; otherwise the reason, and the primary has to answer. */
  async upToDate(): Promise<
    { readonly state: 'ready'; readonly database: OpenDatabase } | { readonly state: 'late' | 'away' }
  > {
    if (this.#now() < this.#awayUntil) return { state: 'away' };
    const wanted = await this.#committed().catch(() => undefined);
    // The call then fails at the primary, with the usual answer.
    if (wanted === undefined) return { state: 'away' };
    const end = this.#now() + WAIT_MS;
    try {
      for (;;) {
        const there = await this.#replayed();
        if (!there.standby) throw new Error('it is a primary: it was promoted, or is not a replica');
        if (there.history !== wanted.history)
          throw new Error('it belongs to another cluster, or to the time before a promotion');
        this.#tell(undefined);
        if (there.bytes >= wanted.bytes) return { state: 'ready', database: await this.#open() };
        if (this.#now() >= end) return { state: 'late' };
        await sleep(LOOK_MS);
      }
    } catch (error) {
      this.failed(error);
      return { state: 'away' };
    }
  }

  /** Tells that the replica failed. It is left alone for five seconds. */
  failed(error: unknown): void {
    this.#awayUntil = this.#now() + AWAY_MS;
    this.#tell((error as Error).message || String(error));
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    opened?.leaveSilentServer(() => undefined);
    await opened?.close();
  }

  #open(): Promise<OpenDatabase> {
    this.#opened ??= this.#options.open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  #tell(problem: string | undefined): void {
    const isNew = this.#problem === null || (problem === undefined) !== (this.#problem === undefined);
    if (isNew) this.#options.onChange(problem);
    this.#problem = problem;
  }
}

/** Asks a server how far it is: what it has committed, or as a standby what it has replayed. */
async function positionOf(db: Kysely<Database>): Promise<Position> {
  const { rows } = await sql<{ lsn: string | null; standby: boolean; history: string }>`
    select pg_is_in_recovery() as standby,
      case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end as lsn,
      (select system_identifier from pg_control_system()) || '/' ||
        (select timeline_id from pg_control_checkpoint()) as history`.execute(db);
  const [{ lsn, standby, history }] = rows as [(typeof rows)[number]];
  return { history, standby, bytes: bytesOf(lsn ?? '0/0') };
}

/** The number of a position in the write-ahead log, such as `16/B374D848`. */
export function bytesOf(lsn: string): bigint {
  const [high, low] = lsn.split('/') as [string, string];
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
