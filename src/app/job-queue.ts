import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from './owner.ts';

/**
 * Which jobs run first. `new`: somebody waits for the result, as for the newest scene. `backfill`: work on what has been
 * there for long, as after a restore or the ingest of an archive; it runs when no other job of its kind waits.
 */
export type JobPriority = 'new' | 'backfill';

/**
 * Queues background jobs. A job is queued in the same transaction as the change that causes it. When a job of the same
 * kind for the same collection or area is waiting, nothing is added, because that job will see the changes of this
 * transaction; it does not start before this transaction ends. A worker runs each job once. If the worker crashes or
 * the job fails, it is run again.
 */
export interface JobStore {
  /** Updates the anomalies of one area. */
  refreshAnomalies(job: Owner & { readonly aoiId: string }): Promise<void>;
  /** Computes derived series from new observations of a point collection. */
  deriveSeries(job: { readonly collectionId: string; readonly priority?: JobPriority }): Promise<void>;
  /** Searches one collection for changes. */
  monitorCollection(job: { readonly collectionId: string; readonly priority?: JobPriority }): Promise<void>;
  /**
   * Asks other workers to run units of a search that goes block by block. A worker that finds nothing to do ends at once.
   * @param helpers number of workers that are asked
   */
  helpSearch(job: SearchHelp & { readonly helpers: number }): Promise<void>;
  /** Removes the calls for help with a search that no worker has begun with. */
  withdrawHelp(search: string): Promise<void>;
  /**
   * Whether the backlog of an account is full, so that its ingests have to pause.
   * @param accountId account; null: what all accounts share
   */
  isFull(accountId: string | null): Promise<boolean>;
  /** Counts the jobs of all workers, by kind. */
  counts(): Promise<readonly JobCounts[]>;
}

/** A search that several workers may share. */
export interface SearchHelp {
  readonly collectionId: string;
  /** Cube beside which the results of units are kept. */
  readonly cubeId: string;
  /** Name of the search. */
  readonly search: string;
  /** Digest of the software: only the same software finds the same. */
  readonly software: string;
}

/** Jobs of one kind of all workers. */
export interface JobCounts {
  readonly name: string;
  readonly waiting: number;
  readonly running: number;
  /** Number of jobs that were given up and are still kept. */
  readonly failed: number;
  /** Time for which the oldest waiting job has been due [s]; 0 when none is. Calls for help are never due: they may stay unanswered. */
  readonly overdueS: number;
}

const MOST_NEW = 10; // number of new scenes up to which an ingest is not an archive

/** Priority of the search after an ingest of some new scenes: an archive is a backfill. */
export const priorityOf = (added: number): JobPriority => (added > MOST_NEW ? 'backfill' : 'new');

const LOOK_AGAIN_MS = 5_000;

/**
 * Waits while too many jobs of an account wait. An ingest of stations and a feed call this before each part that they add, other ingests before they begin, so that workers keep
 * up with it.
 * @param onWait called once if it has to wait
 * @throws the reason of the signal when that is aborted
 */
export async function waitForRoom(
  jobs: Pick<JobStore, 'isFull'>,
  accountId: string | null,
  {
    signal,
    onWait = () => undefined,
    lookMs = LOOK_AGAIN_MS,
  }: { readonly signal?: AbortSignal; readonly onWait?: () => void; readonly lookMs?: number } = {},
): Promise<void> {
  for (let looks = 0; await jobs.isFull(accountId); looks++) {
    if (looks === 0) onWait();
    await sleep(lookMs, undefined, { signal });
  }
}
