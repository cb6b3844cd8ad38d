import type { Owner } from './owner.ts';

/**
 * Queues background jobs. A job is queued in the same transaction as the change that causes it. A worker runs each
 * job once. If the worker crashes, the job is run again.
 */
export interface JobStore {
  /** Updates the anomalies of one area. */
  refreshAnomalies(job: Owner & { readonly aoiId: string }): Promise<void>;
  /**
   * Like `refreshAnomalies`, but queues nothing when such a job is already waiting, because the waiting job will see
   * the changes of this transaction.
   */
  refreshAnomaliesOnce(job: Owner & { readonly aoiId: string }): Promise<void>;
  /** Computes derived series from new observations of a point collection. Queues nothing if such a job is waiting. */
  deriveSeries(job: { readonly collectionId: string }): Promise<void>;
  /** Searches one collection for changes. */
  monitorCollection(job: { readonly collectionId: string }): Promise<void>;
}
