import type { Peril } from '../../contract/fields.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import type { Environment } from '../owner.ts';
import type { Owner, Page, PageRequest } from '../owner.ts';

/** What a watch looks at: a point in decimal degrees, or an area of interest. */
export type WatchedPlace = { readonly lat: number; readonly lng: number } | { readonly aoiId: string };

/** What a watch was last found to be. */
export interface WatchScore {
  readonly riskScore: number;
  readonly confidence: number;
  /** Whether it has crossed its threshold upward, and has not been far enough below since. */
  readonly isAbove: boolean;
  readonly modelVersion: string;
}

/** A score that is looked at again whenever what it is made from changes. */
export interface Watch extends Owner, WatchScore {
  readonly id: string;
  readonly peril: Peril;
  /** [0, 1] */
  readonly threshold: number;
  readonly place: WatchedPlace;
  /** The anomaly subscription that it belongs to; null for a watch of its own. */
  readonly subscriptionId: string | null;
  /** False while its subscription is paused. */
  readonly isActive: boolean;
  readonly scoredAt: Date;
  readonly createdAt: Date;
}

export type NewWatch = Omit<Watch, 'createdAt'> & { readonly scoredAs: string };

/** Watches that one state of the layers and of the model concerns. */
export interface WatchScope {
  readonly environment: Environment;
  readonly peril: Peril;
  /** Digest of what scores are made from. */
  readonly state: string;
}

/** Where a pass over stale watches has come to; opaque. */
export interface StalePosition {
  readonly scoredAs: string;
  readonly id: string;
}

export interface StaleWatch extends Watch {
  readonly position: StalePosition;
}

export interface WatchStore {
  create(watches: readonly NewWatch[]): Promise<void>;
  find(owner: Owner, id: string): Promise<Watch | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<Watch>>;
  remove(owner: Owner, id: string): Promise<boolean>;
  /** Pauses and resumes the watches of a subscription. */
  activateOf(subscriptionId: string, isActive: boolean): Promise<void>;
  removeOf(subscriptionId: string): Promise<void>;
  /**
   * Makes this the state that the watches of its environment and peril are to be scored against: at once when it is new
   * where it comes from, else where it is that already, or the nodes that have another have not said so for minutes.
   */
  adopt(scope: WatchScope, isNew: boolean): Promise<void>;
  /** Whether it still is; nobody adopts another before the transaction ends. */
  isAdopted(scope: WatchScope): Promise<boolean>;
  /** Whether an active watch was scored against another state. */
  hasStale(scope: WatchScope): Promise<boolean>;
  /**
   * Locks active watches that were scored against another state, on points or on areas, leaving out those that another
   * node holds. In an order of its own, after `after`.
   */
  claimStale(
    scope: WatchScope,
    choice: {
      readonly on: 'points' | 'areas';
      readonly after: StalePosition | undefined;
      readonly limit: number;
    },
  ): Promise<readonly StaleWatch[]>;
  record(
    scope: WatchScope,
    scored: readonly (WatchScore & { readonly id: string })[],
    at: Date,
  ): Promise<void>;
  /** Areas that are not deleted, by id. */
  areas(
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly geometry: AreaGeometry; readonly areaM2: number }>>;
  removeAll(ids: readonly string[]): Promise<void>;
}
