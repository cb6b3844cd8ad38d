import type { SpectralIndex } from '../../raster/spectral-index.ts';
import type { Environment } from '../owner.ts';
import type { Aoi } from '../areas/aoi-store.ts';

/** A STAC catalogue that the service searches regularly for new scenes of every area that it serves. */
export interface FollowedCatalogue {
  readonly id: string;
  readonly environment: Environment;
  /** Account whose areas it serves; null: all accounts of the environment. */
  readonly accountId: string | null;
  readonly name: string;
  /** Address of a STAC collection or search. */
  readonly url: string;
  /** Null: all metrics that can be computed from the bands of the scenes. */
  readonly metrics: readonly SpectralIndex[] | null;
  /** Scenes with a larger cloud share are skipped; 0 to 1. */
  readonly maxCloudShare: number;
  /** Start of the history that is taken in for a new area. */
  readonly startsAt: Date;
  /** Time between two searches [ms]. */
  readonly everyMs: number;
  /** When it is due to be searched again. */
  readonly nextAt: Date;
}

/** Progress of a followed catalogue for one area. */
export interface FollowedArea {
  readonly aoi: Aoi;
  /** Scenes taken before this time are in; null when the area was never completed. */
  readonly takenTo: Date | null;
  /** When the catalogue was last searched for the area; null: never. */
  readonly askedAt: Date | null;
  /** Error message of that search; null when it succeeded. */
  readonly problem: string | null;
}

/** Catalogues that the operator set up to be followed, of all accounts. */
export interface CatalogueStore {
  /** False when the environment already has a catalogue of that name. */
  create(catalogue: Omit<FollowedCatalogue, 'nextAt'>): Promise<boolean>;
  list(): Promise<readonly FollowedCatalogue[]>;
  find(environment: Environment, name: string): Promise<FollowedCatalogue | undefined>;
  remove(id: string): Promise<void>;
  /**
   * Leases a catalogue, so that no other process searches it at the same time. The lease ends after `forMs`
   * unless renewed.
   * @param id catalogue to lease, due or not. Default: the one that has been due longest, or that has a new
   * area
   * @returns undefined when there is none, or another process holds it
   */
  hold(
    holder: string,
    forMs: number,
    id?: string,
  ): Promise<{ readonly catalogue: FollowedCatalogue; readonly isDue: boolean } | undefined>;
  /** Extends a lease. False when the holder has lost it. */
  renew(id: string, holder: string, forMs: number): Promise<boolean>;
  /**
   * Ends a lease.
   * @param againInMs time until the next search, unless it is due earlier; null leaves the due time unchanged
   */
  release(id: string, holder: string, againInMs: number | null): Promise<void>;
  /** The areas that a catalogue serves, oldest first, without deleted ones. */
  areas(catalogue: FollowedCatalogue): Promise<readonly FollowedArea[]>;
  /** Records the outcome of a search for one area. */
  note(catalogueId: string, area: Omit<FollowedArea, 'aoi'> & { readonly aoiId: string }): Promise<void>;
}
