import type { SceneMetric } from '../../raster/backscatter.ts';
import type { Environment, Owner } from '../owner.ts';
import type { Aoi } from '../areas/aoi-store.ts';

/** A STAC catalogue. The service searches it regularly for new scenes of every area that the catalogue serves. */
export interface FollowedCatalogue {
  readonly id: string;
  readonly environment: Environment;
  /** Account whose areas the catalogue serves; null: all accounts of the environment. */
  readonly accountId: string | null;
  readonly name: string;
  /** Address of a STAC collection or search. */
  readonly url: string;
  /** Metrics to compute; null: all metrics that can be computed from the bands of the scenes. */
  readonly metrics: readonly SceneMetric[] | null;
  /** Maximum cloud share of a scene, 0 to 1; cloudier scenes are skipped. */
  readonly maxCloudShare: number;
  /** Whether scenes get a picture in true colour, where they have red, green and blue. */
  readonly isTrueColour: boolean;
  /** Scenes taken before this time are not ingested, even for a new area. */
  readonly startsAt: Date;
  /** Time between two searches [ms]. */
  readonly everyMs: number;
  /** When the next search of the catalogue is due. */
  readonly nextAt: Date;
}

/** Progress of a followed catalogue for one area. */
export interface FollowedArea {
  readonly aoi: Aoi;
  /** All scenes taken before this time have been ingested; null when no search for the area has succeeded yet. */
  readonly takenTo: Date | null;
  /** When the catalogue was last searched for the area; null: never. */
  readonly askedAt: Date | null;
  /** Error message of the last search; null when it succeeded. */
  readonly problem: string | null;
}

/** A followed catalogue, and how far it is for the areas of one owner. */
export interface FeedState extends Omit<FollowedCatalogue, 'accountId' | 'environment'> {
  /** Number of the areas that it serves; of them, how many were searched with success, and how many failed last. */
  readonly areas: number;
  readonly areasServed: number;
  readonly areasFailing: number;
  /** All scenes taken before this time have been ingested for every area that was served. */
  readonly takenTo: Date | null;
  readonly askedAt: Date | null;
  /** Error message of the last search that failed, of those whose area has not succeeded since. */
  readonly problem: string | null;
}

/** Followed catalogues of all accounts. The operator adds them. */
export interface CatalogueStore {
  /** Adds a catalogue. Returns false when the environment already has a catalogue of that name. */
  create(catalogue: Omit<FollowedCatalogue, 'nextAt'>): Promise<boolean>;
  list(): Promise<readonly FollowedCatalogue[]>;
  /** Lists the catalogues that serve an owner, with their state for its oldest areas, at most `mostAreas`. */
  states(owner: Owner, mostAreas: number): Promise<readonly FeedState[]>;
  find(environment: Environment, name: string): Promise<FollowedCatalogue | undefined>;
  remove(id: string): Promise<void>;
  /**
   * Leases a catalogue, so that no other process searches it at the same time. The lease ends after `forMs` unless it
   * is renewed.
   * @param id catalogue to lease, due or not. Default: the catalogue that has been due longest, or that has a new area
   * @returns undefined when there is no such catalogue, or another process has leased it
   */
  hold(
    holder: string,
    forMs: number,
    id?: string,
  ): Promise<{ readonly catalogue: FollowedCatalogue; readonly isDue: boolean } | undefined>;
  /** Extends a lease. Returns false when the holder has lost the lease. */
  renew(id: string, holder: string, forMs: number): Promise<boolean>;
  /**
   * Ends a lease.
   * @param againInMs maximum time until the next search [ms]; null leaves the time of the next search unchanged
   */
  release(id: string, holder: string, againInMs: number | null): Promise<void>;
  /** Lists the areas that a catalogue serves, oldest first, without deleted areas. */
  areas(catalogue: FollowedCatalogue): Promise<readonly FollowedArea[]>;
  /** Records the outcome of a search for one area. */
  note(catalogueId: string, area: Omit<FollowedArea, 'aoi'> & { readonly aoiId: string }): Promise<void>;
}
