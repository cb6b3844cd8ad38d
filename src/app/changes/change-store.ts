import type { Aoi } from '../areas/aoi-store.ts';
import type { Environment, Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Picked, PickSize } from '../picked.ts';
import type { ChangeStatus, ChangeVersion, Provenance } from '../../contract/changes.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';

/**
 * The last state of a change that events told: `suspected`, `withdrawn` when that suspicion was rejected, or
 * `confirmed`.
 */
export type ToldAs = 'suspected' | 'withdrawn' | 'confirmed';

/** A change as recorded; days are `YYYY-MM-DD`. */
export interface ChangeRecord {
  readonly id: string;
  readonly environment: Environment;
  readonly collectionId: string;
  readonly modelVersion: string;
  /** Hash of the earliest flagged pixel and its first anomaly date. It identifies the same change in a later run. */
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
  /** What events told about the change, or about the one that it is a part of; null before the first event. */
  readonly toldAs: ToldAs | null;
  /** What each version of the model and software stated last, oldest first. The last one is the present statement. */
  readonly versions: readonly ChangeVersion[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewChange = Omit<ChangeRecord, 'createdAt' | 'updatedAt'>;

/** A change as one run states it, without its history. */
export type StatedChange = Omit<NewChange, 'toldAs' | 'versions'>;

/** What a publication needs of each recorded change of a collection: without the rest of its provenance. */
export type ChangeOutline = Pick<
  ChangeRecord,
  | 'id'
  | 'collectionId'
  | 'modelVersion'
  | 'objectKey'
  | 'type'
  | 'status'
  | 'confidence'
  | 'metric'
  | 'magnitude'
  | 'firstAnomalyAt'
  | 'digest'
  | 'toldAs'
> & { readonly provenance: Pick<Provenance, 'pixels'> };

/** A change as an area shows it. The digest covers the geometry. */
export type ChangeMark = Pick<ChangeRecord, 'id' | 'digest' | 'status' | 'detectedAt'>;

/** A change as shown in a list. */
export interface ChangeListItem extends Omit<ChangeRecord, 'provenance' | 'digest' | 'toldAs' | 'versions'> {
  readonly aoiIds: readonly string[];
}

export interface ChangeFilter {
  readonly aoiId: string;
  readonly status: ChangeStatus | 'all';
  /** Earliest day of detection, YYYY-MM-DD. */
  readonly since: string | undefined;
  readonly publishedSince: Date | undefined;
}

/** Filter of the changes of all areas. A property that is undefined does not restrict the list. */
export interface PlacedFilter {
  readonly status: ChangeStatus;
  /** Box that the bounds of the change overlap. */
  readonly bounds?: Bbox | undefined;
  /** First and last day of detection, YYYY-MM-DD. */
  readonly firstDay?: string | undefined;
  readonly lastDay?: string | undefined;
}

/** Filter of the changes that a raster shows. */
export interface PaintedFilter {
  readonly collectionId: string;
  /** Box that the bounds of the change overlap. */
  readonly bounds: Bbox;
  /** Day on which the change was confirmed and had not recovered, YYYY-MM-DD. */
  readonly day: string;
}

/** A change as a raster shows it. */
export interface PaintedChange extends Pick<ChangeRecord, 'firstAnomalyAt' | 'confidence' | 'magnitude'> {
  /** Start and length of each run of its pixels on the grid of its collection. */
  readonly runs: readonly number[];
}

/** What came of the claims of one kind: the changes that events told as confirmed. */
export interface ClaimFates {
  readonly collection: { readonly id: string; readonly name: string; readonly metric: string };
  readonly type: string;
  /** Kind of the baseline, as in the provenance. */
  readonly baseline: string;
  /** Sum of the four numbers below. Changes whose ground counts as part of another change are left out. */
  readonly claims: number;
  /** Still confirmed, a year or more before the last scene of the collection. */
  readonly stood: number;
  readonly passed: number;
  readonly takenBack: number;
  /** Confirmed less than a year before the last scene, or suspected again. */
  readonly young: number;
}

/** A change of a list without its geometry and most of its fields. */
export type BriefChange = Pick<ChangeRecord, 'id' | 'collectionId' | 'type' | 'confidence'>;

/** A change of a list, with its geometry as JSON text. */
export interface DrawnChange extends Omit<ChangeListItem, 'geometry'> {
  readonly geometryText: string;
}

export interface ChangeStore {
  /** Lists changes without reading their geometries. */
  list(owner: Owner, filter: ChangeFilter, page: PageRequest): Promise<Page<BriefChange>>;
  /** Lists the same changes. A page ends early when its geometries are large: see `PAGE_BYTES`. */
  listDrawn(owner: Owner, filter: ChangeFilter, page: PageRequest): Promise<Page<DrawnChange>>;
  /**
   * Lists the changes that any area of the owner shows, the last recorded first. A page may have fewer items than its
   * limit although more follow, see `boundedPage`.
   */
  listPlaced(owner: Owner, filter: PlacedFilter, page: PageRequest): Promise<Page<DrawnChange>>;
  /** Picks the largest of them. Those after a megabyte of geometries are left out too. */
  pickPlaced(owner: Owner, filter: PlacedFilter, size: PickSize): Promise<Picked<DrawnChange>>;
  /** The changes that any area of the owner shows and that were confirmed on a day, at most the `most` largest. */
  painted(owner: Owner, filter: PaintedFilter, most: number): Promise<readonly PaintedChange[]>;
  /** Counts the changes that `list` gives on all pages. Stops at `most`, so the work is limited. */
  count(owner: Owner, filter: ChangeFilter, most: number): Promise<number>;
  /**
   * Finds a change that is visible through one of the owner's areas, or through an area that the owner deleted in the
   * last `DELETED_AREA_DAYS`.
   */
  find(owner: Owner, id: string): Promise<{ change: ChangeRecord; aoiIds: readonly string[] } | undefined>;
  /**
   * Counts the fates of the claims that are visible through the owner's areas, by collection, type and baseline.
   * @param most the number of changes that are looked at, newest first; changes that were never confirmed count too
   */
  fates(owner: Owner, most: number): Promise<readonly ClaimFates[]>;
  /** Finds a change by id without an access check: only for the operator's command line. */
  locate(id: string): Promise<ChangeRecord | undefined>;
  /** All changes of a collection, whichever model found them, oldest first. For collections that fit in memory. */
  ofCollection(collectionId: string): Promise<readonly ChangeRecord[]>;
  /** All changes of a collection in order of their ids, some hundred at a time. */
  outlines(collectionId: string): AsyncIterable<readonly ChangeOutline[]>;
  /** Number of the changes of a collection, and of those that are confirmed. */
  countOf(collectionId: string): Promise<{ readonly all: number; readonly confirmed: number }>;
  /** Changes by their ids. Unknown ids are left out. */
  byIds(ids: readonly string[]): Promise<ReadonlyMap<string, ChangeRecord>>;
  /** Changes that the owner may see whose bounds overlap a box. */
  overlapping(owner: Owner, bounds: Bbox): Promise<readonly ChangeMark[]>;
  /** Like the method above, for several boxes. Boxes without changes are left out; the keys are indices of boxes. */
  overlappingEach(owner: Owner, boxes: readonly Bbox[]): Promise<ReadonlyMap<number, readonly ChangeMark[]>>;
  /** Geometries of changes that the owner may see, by their ids. Unknown ids are left out. */
  geometries(owner: Owner, ids: readonly string[]): Promise<ReadonlyMap<string, AreaGeometry>>;
  insert(change: NewChange): Promise<void>;
  update(change: NewChange): Promise<void>;
  /**
   * Makes a change visible through the given areas. Links from the change to other areas are removed, except links to
   * deleted areas.
   */
  link(
    change: Pick<ChangeRecord, 'id' | 'status' | 'detectedAt'>,
    aois: readonly Pick<Aoi, 'id' | 'accountId' | 'environment'>[],
  ): Promise<void>;
  /** Makes changes visible through one more area. */
  reveal(changes: readonly ChangeMark[], aoi: Pick<Aoi, 'id' | 'accountId' | 'environment'>): Promise<void>;
  /**
   * Locks the ground under some boxes until the transaction ends, so that no area is created there while changes are
   * published. Otherwise neither transaction would see the other's rows, and a change would not be linked to the new
   * area.
   * @throws Contended when another transaction holds the ground for more than some seconds
   */
  lockGround(environment: Environment, boxes: readonly Bbox[], act: 'publish' | 'create area'): Promise<void>;
}
