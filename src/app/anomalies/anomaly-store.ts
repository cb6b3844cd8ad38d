import type { Owner, Page, PageRequest } from '../owner.ts';
import type { Station } from '../series/station-store.ts';
import type { Severity } from '../../contract/anomalies.ts';
import type { Peril } from '../../contract/fields.ts';

export interface AnomalyRecord extends Owner {
  readonly id: string;
  readonly aoiId: string;
  readonly collectionId: string;
  /** Where it was measured; null: over the area, by a grid. */
  readonly station: Station | null;
  readonly metric: string;
  readonly peril: Peril;
  readonly severity: Severity;
  readonly value: number;
  readonly expected: number;
  readonly residual: number;
  readonly startedAt: Date;
  readonly detectedAt: Date;
  readonly endedAt: Date | null;
  readonly provenance: Readonly<Record<string, unknown>>;
}

export interface AnomalyStore {
  list(
    owner: Owner,
    filter: { readonly since: Date | undefined; readonly publishedSince: Date | undefined },
    page: PageRequest,
  ): Promise<Page<AnomalyRecord>>;
  find(owner: Owner, id: string): Promise<AnomalyRecord | undefined>;
  /** Serialises the refreshing of one area over processes until the transaction ends. */
  lock(aoiId: string): Promise<void>;
  /** All of an area, by start, without what they rest on. */
  ofArea(aoiId: string): Promise<readonly Omit<AnomalyRecord, 'provenance'>[]>;
  /** Records anomalies; a known id takes the new values. */
  put(anomalies: readonly AnomalyRecord[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}
