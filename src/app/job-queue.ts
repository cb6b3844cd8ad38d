import type { Owner } from './owner.ts';

/** Work for the workers: done once, soon, and again after a crash; queued in the transaction of its cause. */
export interface JobStore {
  /** Brings the anomalies of one area up to date. */
  refreshAnomalies(job: Owner & { readonly aoiId: string }): Promise<void>;
  /** The same, unless it waits to be done already: that will see what this transaction changes. */
  refreshAnomaliesOnce(job: Owner & { readonly aoiId: string }): Promise<void>;
  /** Computes what follows from what was written at a collection's stations, unless that waits to be done already. */
  deriveSeries(job: { readonly collectionId: string }): Promise<void>;
  /** Looks for changes in one collection. */
  monitorCollection(job: { readonly collectionId: string }): Promise<void>;
}
