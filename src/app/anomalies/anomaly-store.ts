import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Picked, PickSize } from '../picked.ts';
import type { Station } from '../series/station-store.ts';
import type { Severity } from '../../contract/anomalies.ts';
import type { Peril } from '../../contract/fields.ts';
import type { Bbox } from '../../geo/bbox.ts';

export interface AnomalyRecord extends Owner {
  readonly id: string;
  readonly aoiId: string;
  readonly collectionId: string;
  /** Station that measured `value`; null if `value` is the mean of a grid over the area. */
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

/** An anomaly as shown in a list. */
export type AnomalyListItem = Omit<AnomalyRecord, 'provenance'>;

/** Filter of a list of anomalies. A property that is undefined does not restrict the list. */
export interface AnomalyFilter {
  /** First moment of detection. */
  readonly since: Date | undefined;
  readonly publishedSince: Date | undefined;
  /** Last moment of detection. */
  readonly until?: Date | undefined;
  /** Box that the bounds of the area overlap. */
  readonly bounds?: Bbox | undefined;
}

export interface AnomalyStore {
  /** A page may have fewer items than its limit although more follow, see `boundedPage`. */
  list(owner: Owner, filter: AnomalyFilter, page: PageRequest): Promise<Page<AnomalyListItem>>;
  /** Picks the most severe of them. */
  pick(owner: Owner, filter: AnomalyFilter, size: PickSize): Promise<Picked<AnomalyListItem>>;
  find(owner: Owner, id: string): Promise<AnomalyRecord | undefined>;
  /** Locks the anomalies of one area until the transaction ends, so that processes refresh them one at a time. */
  lock(aoiId: string): Promise<void>;
  /** All anomalies of an area, by start, without provenance. */
  ofArea(aoiId: string): Promise<readonly AnomalyListItem[]>;
  /** Inserts anomalies. An anomaly whose id exists already is updated. */
  put(anomalies: readonly AnomalyRecord[], past?: readonly string[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}
