import type { Aoi } from '../areas/aoi-store.ts';
import type { Environment, Owner, Page, PageRequest } from '../owner.ts';
import type { ChangeStatus, Provenance } from '../../contract/changes.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';

/** A change as recorded; days are `YYYY-MM-DD`. */
export interface ChangeRecord {
  readonly id: string;
  readonly environment: Environment;
  readonly collectionId: string;
  readonly modelVersion: string;
  /** Hash of the earliest flagged pixel and its first anomaly date: the same change again has the same key. */
  readonly objectKey: string;
  readonly type: string;
  readonly status: ChangeStatus;
  readonly confidence: number;
  readonly metric: string;
  readonly magnitude: number;
  readonly areaM2: number;
  readonly geometry: AreaGeometry;
  readonly bounds: Bbox;
  readonly firstAnomalyAt: string;
  readonly detectedAt: string;
  readonly confirmedAt: string | null;
  readonly recoveredAt: string | null;
  readonly digest: string;
  readonly provenance: Provenance;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewChange = Omit<ChangeRecord, 'createdAt' | 'updatedAt'>;

/** What a list needs of a change. */
export interface ChangeListItem extends Omit<ChangeRecord, 'provenance' | 'digest'> {
  readonly aoiIds: readonly string[];
}

export interface ChangeFilter {
  readonly aoiId: string;
  readonly status: ChangeStatus | 'all';
  /** YYYY-MM-DD. */
  readonly since: string | undefined;
  readonly publishedSince: Date | undefined;
}

export interface ChangeStore {
  list(owner: Owner, filter: ChangeFilter, page: PageRequest): Promise<Page<ChangeListItem>>;
  /** Visible through one of the owner's areas, or through one deleted in the last 30 days. */
  find(owner: Owner, id: string): Promise<{ change: ChangeRecord; aoiIds: readonly string[] } | undefined>;
  /** By id, whoever may see it: only for the operator's command line. */
  locate(id: string): Promise<ChangeRecord | undefined>;
  ofCollection(collectionId: string, modelVersion: string): Promise<readonly ChangeRecord[]>;
  overlapping(
    owner: Owner,
    bounds: Bbox,
  ): Promise<readonly Pick<ChangeRecord, 'id' | 'geometry' | 'status' | 'detectedAt'>[]>;
  insert(change: NewChange): Promise<void>;
  update(change: NewChange): Promise<void>;
  /** Makes a change visible through areas; those it is visible through already are left. Stale ones are unlinked, but not deleted areas. */
  link(
    change: Pick<ChangeRecord, 'id' | 'status' | 'detectedAt'>,
    aois: readonly Pick<Aoi, 'id' | 'accountId' | 'environment'>[],
  ): Promise<void>;
  /** Makes a change visible through one more area. */
  reveal(
    change: Pick<ChangeRecord, 'id' | 'status' | 'detectedAt'>,
    aoi: Pick<Aoi, 'id' | 'accountId' | 'environment'>,
  ): Promise<void>;
  /** Keeps an area from being made while changes are published, and the other way round: one sees the other, always. */
  lockPublishing(environment: Environment, mode: 'publish' | 'create area'): Promise<void>;
}
