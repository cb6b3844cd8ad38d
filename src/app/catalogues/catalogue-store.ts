import type { SpectralIndex } from '../../raster/spectral-index.ts';
import type { Environment } from '../owner.ts';
import type { Aoi } from '../areas/aoi-store.ts';

/** A catalogue of scenes that the service asks by itself, for every area of its reach. */
export interface FollowedCatalogue {
  readonly id: string;
  readonly environment: Environment;
  /** Whose areas it serves; null: those of every account of the environment. */
  readonly accountId: string | null;
  readonly name: string;
  /** STAC collection or search. */
  readonly url: string;
  /** Null: all that the scenes have the bands for. */
  readonly metrics: readonly SpectralIndex[] | null;
  /** Scenes with a larger share of cloud are left out, 0 to 1. */
  readonly maxCloudShare: number;
  /** Start of the history that an area gets. */
  readonly startsAt: Date;
  readonly everyMs: number;
  /** When it is asked again. */
  readonly nextAt: Date;
}

/** How far a catalogue is with one area. */
export interface FollowedArea {
  readonly aoi: Aoi;
  /** All before was asked for and taken in; null: nothing was. */
  readonly takenTo: Date | null;
  /** When it was last asked for; null: never. */
  readonly askedAt: Date | null;
  /** What went wrong then; null: nothing. */
  readonly problem: string | null;
}

/** The operator's standing catalogues, over all accounts. */
export interface CatalogueStore {
  /** False when there is one of that name in the environment. */
  create(catalogue: Omit<FollowedCatalogue, 'nextAt'>): Promise<boolean>;
  list(): Promise<readonly FollowedCatalogue[]>;
  find(environment: Environment, name: string): Promise<FollowedCatalogue | undefined>;
  remove(id: string): Promise<void>;
  /**
   * Holds a catalogue that is due, or that has an area which it was never asked for, so that no other process asks it
   * meanwhile; a holder that is gone loses it after `forMs`.
   * @param id that one, due or not; absent: the one due longest
   */
  hold(
    holder: string,
    forMs: number,
    id?: string,
  ): Promise<{ readonly catalogue: FollowedCatalogue; readonly isDue: boolean } | undefined>;
  /** Holds it on. False when another has it. */
  renew(id: string, holder: string, forMs: number): Promise<boolean>;
  /** Lets go of it. @param againInMs in which it is due again at the latest; null: when it was */
  release(id: string, holder: string, againInMs: number | null): Promise<void>;
  /** The live areas it serves, oldest first. */
  areas(catalogue: FollowedCatalogue): Promise<readonly FollowedArea[]>;
  note(catalogueId: string, area: Omit<FollowedArea, 'aoi'> & { readonly aoiId: string }): Promise<void>;
}
