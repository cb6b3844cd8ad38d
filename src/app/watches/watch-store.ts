import type { Peril } from '../../contract/fields.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import type { Environment } from '../owner.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

/** A watched place: a point in decimal degrees, or an area of interest. */
export type WatchedPlace = { readonly lat: number; readonly lng: number } | { readonly aoiId: string };

/** The last score of a watch. */
export interface WatchScore {
  readonly riskScore: number;
  readonly confidence: number;
  /** Whether the score has crossed the threshold upwards and has not since fallen far enough to rearm the watch. */
  readonly isAbove: boolean;
  readonly modelVersion: string;
}

/** A risk watch. Its score is computed again whenever the layers or the model change. */
export interface Watch extends Owner, WatchScore {
  readonly id: string;
  readonly peril: Peril;
  /** Risk score that triggers an event when it is reached, in [0, 1]. */
  readonly threshold: number;
  readonly place: WatchedPlace;
  /** The anomaly subscription that the watch belongs to; null for a watch that was created without a subscription. */
  readonly subscriptionId: string | null;
  /** False while the subscription of the watch is paused. */
  readonly isActive: boolean;
  readonly scoredAt: Date;
  readonly createdAt: Date;
}

export type NewWatch = Omit<Watch, 'createdAt'> & { readonly scoredAs: string };

/** An environment and a peril, which identify a set of watches, and the state with which to score these watches. */
export interface WatchScope {
  readonly environment: Environment;
  readonly peril: Peril;
  /** Digest of everything that scores depend on (`scoringState`). */
  readonly state: string;
}

/** Opaque cursor over stale watches. */
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
   * Proposes states for scoring the watches of environments and perils. A state that is new on the calling node
   * (`isNew`) is adopted at once. Any other state is adopted, or confirmed, only if no node with a different state
   * was active in the last minutes.
   */
  adopt(scopes: readonly WatchScope[], isNew: boolean): Promise<void>;
  /** Returns whether the state is still adopted. Locks the adopted state until the end of the transaction. */
  isAdopted(scope: WatchScope): Promise<boolean>;
  /** Returns those scopes of which any active watch was scored with another state. */
  stale<S extends WatchScope>(scopes: readonly S[]): Promise<readonly S[]>;
  /**
   * Locks active watches on points or areas that were scored with another state. Skips watches that another node has
   * locked. Continues after the cursor `after`.
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
  /** Returns areas by id, without deleted areas. */
  areas(
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly geometry: AreaGeometry; readonly areaM2: number }>>;
  removeAll(ids: readonly string[]): Promise<void>;
}
