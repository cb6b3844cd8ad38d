import type { Environment, Owner, Page, PageRequest } from '../owner.ts';
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

export interface AoiStore {
  create(aoi: Omit<Aoi, 'createdAt'>): Promise<Aoi>;
  find(owner: Owner, id: string): Promise<Aoi | undefined>;
  /** By id, whoever owns it: only for the operator's command line. */
  locate(id: string): Promise<Aoi | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<Aoi>>;
  rename(owner: Owner, id: string, name: string): Promise<Aoi | undefined>;
  /** Hides it and cancels its subscriptions. False when there is none. */
  remove(owner: Owner, id: string): Promise<boolean>;
  /** Cancels subscriptions, and removes watches, that were made while their area was deleted; does nothing to a live one. */
  endOf(id: string): Promise<void>;
  /** Areas whose bounds overlap, of one account or (null) of all. */
  overlapping(environment: Environment, accountId: string | null, bounds: Bbox): Promise<readonly Aoi[]>;
}

/** The scenes of one metric of a collection. */
export interface Imagery {
  readonly collection: string;
  /** Whether they come from the sandbox's simulated region. */
  readonly simulated: boolean;
  readonly metric: string;
  readonly scenes: number;
  /** When its first and its last scene were taken. */
  readonly firstAt: Date;
  readonly lastAt: Date;
}
