/**
 * Which process publishes a search of a collection. A publication takes several transactions, and the process must
 * renew its hold in each. After a crash another process can take the collection when the hold has ended.
 */
export interface PublicationStore {
  /** Takes a collection. Returns false while another process holds it. */
  take(collectionId: string, holder: string): Promise<boolean>;
  /**
   * Renews the hold of a process, and locks the collection until the transaction ends. Limits how long this transaction
   * waits for locks and stays idle.
   * @param monitoredAs state of the last search when the collection was taken
   * @returns false if another process has taken or published the collection since
   */
  renew(collectionId: string, holder: string, monitoredAs: string | null): Promise<boolean>;
  /** Gives a collection back. Does nothing if another process holds it. */
  release(collectionId: string, holder: string): Promise<void>;
}
