import type { Kysely } from 'kysely';
import type { SearchHelp } from '../../app/job-queue.ts';
import type { Owner } from '../../app/owner.ts';
import type { Pulse } from '../pulse/pulse.ts';
import type { Database } from '../schema.ts';

/** Data of each kind of job, as its handler gets it. */
export interface JobData {
  'refresh-anomalies': Owner & { readonly aoiId: string };
  'monitor-collection': { readonly collectionId: string };
  'derive-feeds': { readonly collectionId: string };
  'help-search': SearchHelp;
}

export type JobKind = keyof JobData;

export const JOB_KINDS: readonly JobKind[] = [
  'refresh-anomalies',
  'monitor-collection',
  'derive-feeds',
  'help-search',
];

/** What a message says: its job, and the number of the sending. */
export interface JobTicket {
  readonly id: string;
  readonly sends: number;
}

/** A job for which a message is to be sent. */
export interface SendableJob extends JobTicket {
  readonly kind: JobKind;
  /** 0 runs first. */
  readonly priority: number;
  readonly data: object;
}

/** A job for which a message was sent. */
export interface SentJob extends JobTicket {
  readonly kind: JobKind;
  /** What {@link JobEngine.send} returned. */
  readonly message: string;
}

/** What a worker got: a ticket, or the data of a job that a release before 1.4 queued. */
export type Received = { readonly ticket: JobTicket } | { readonly data: object };

/** What becomes of a message: it is settled, or it is delivered again shortly. */
export type Verdict = 'settled' | 'again';

/**
 * Delivers messages to workers: each to one worker at a time, and within 15 s to another when that worker is lost. The
 * jobs themselves are in the database.
 */
export interface JobEngine {
  /** Recorded with each job that was sent by it. */
  readonly name: string;
  start(): Promise<void>;
  /**
   * Sends one message for each job. A message that was sent before is not doubled.
   * @param transaction in which the jobs are marked as sent; it may be rolled back after this
   * @returns the identity of each message, in the order of the jobs
   */
  send(transaction: Kysely<Database>, jobs: readonly SendableJob[]): Promise<readonly string[]>;
  /** Tells the workers of this process that messages of these kinds were sent, so that they look at once. */
  sent?(kinds: Iterable<JobKind>): void;
  /** Returns the ids of those jobs whose message is not there any more. */
  missing(jobs: readonly SentJob[]): Promise<readonly string[]>;
  /**
   * Calls a function with messages, one of each kind at a time. A message whose call throws is delivered again.
   * @param pulse wakes an engine whose messages are in the database
   */
  work(take: (kind: JobKind, received: Received) => Promise<Verdict>, pulse: Pulse): Promise<void>;
  /** Takes no more messages, and waits at most 10 s for the calls that run. */
  close(): Promise<void>;
}
