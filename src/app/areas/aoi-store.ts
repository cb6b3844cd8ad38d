import type { Environment, Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Picked, PickSize } from '../picked.ts';
import type { PlaceAndTime } from '../place-and-time.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';

export interface Aoi extends Owner {
  readonly id: string;
  readonly name: string;
  readonly geometry: AreaGeometry;
  readonly bounds: Bbox;
  readonly areaM2: number;
  readonly createdAt: Date;
}

/** An area of a list, with its geometry as JSON text. */
export interface DrawnAoi extends Pick<Aoi, 'id' | 'name' | 'areaM2' | 'createdAt'> {
  readonly geometryText: string;
}

export interface AoiStore {
  create(aoi: Omit<Aoi, 'createdAt'>): Promise<Aoi>;
  /** Creates several areas, and returns them in the same order. */
  createAll(aois: readonly Omit<Aoi, 'createdAt'>[]): Promise<readonly Aoi[]>;
  find(owner: Owner, id: string): Promise<Aoi | undefined>;
  /** Finds an area of any account. Only for the operator's command line. */
  locate(id: string): Promise<Aoi | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<Aoi>>;
  /** Lists areas for an answer. A page ends early when its geometries are large: see `PAGE_BYTES`. */
  listDrawn(owner: Owner, page: PageRequest): Promise<Page<DrawnAoi>>;
  /** Lists those of a place and time of creation in the same way. A page may have fewer items than its limit. */
  listPlaced(owner: Owner, filter: PlaceAndTime, page: PageRequest): Promise<Page<DrawnAoi>>;
  /** Picks the largest of a place. Those after a megabyte of geometries are left out too. */
  pickPlaced(owner: Owner, filter: PlaceAndTime, size: PickSize): Promise<Picked<DrawnAoi>>;
  /** Geometries of areas as JSON text, by id. */
  geometryTexts(owner: Owner, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  rename(owner: Owner, id: string, name: string): Promise<Aoi | undefined>;
  /**
   * Marks an area as deleted, cancels its subscriptions and removes its risk watches. Returns false if there is no
   * such area.
   */
  remove(owner: Owner, id: string): Promise<boolean>;
  /**
   * Cancels subscriptions and removes risk watches that were created while their area was being deleted. Does
   * nothing for an area that is not deleted.
   */
  cancelDependants(id: string): Promise<void>;
  /** Areas of one account (null: of all accounts) whose bounds overlap a box, in order of their ids. */
  overlapping(
    environment: Environment,
    accountId: string | null,
    bounds: Bbox,
  ): Promise<readonly Pick<Aoi, 'id' | 'accountId' | 'environment'>[]>;
  /** Geometries of areas by their ids. Ids that are unknown or of deleted areas are left out. */
  geometries(ids: readonly string[]): Promise<ReadonlyMap<string, AreaGeometry>>;
}

/** Summary of the scenes of one metric of a collection. */
export interface Imagery {
  readonly collection: string;
  /** Whether the scenes come from the sandbox's simulated region. */
  readonly simulated: boolean;
  readonly metric: string;
  readonly scenes: number;
  /** Acquisition times of the first and last scene. */
  readonly firstAt: Date;
  readonly lastAt: Date;
}
