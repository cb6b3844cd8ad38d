import type { SceneMetric } from '../../raster/backscatter.ts';
import type { Feed, FeedStore } from '../feed-turns.ts';
import type { Owner } from '../owner.ts';
import type { Aoi } from '../areas/aoi-store.ts';

/**
 * A STAC catalogue. The service searches it regularly for new scenes of every area that the catalogue serves. Scenes taken
 * before `startsAt` are not ingested, even for a new area.
 */
export interface FollowedCatalogue extends Feed {
  /** Address of a STAC collection or search. */
  readonly url: string;
  /** Metrics to compute; null: all metrics that can be computed from the bands of the scenes. */
  readonly metrics: readonly SceneMetric[] | null;
  /** Maximum cloud share of a scene, 0 to 1; cloudier scenes are skipped. */
  readonly maxCloudShare: number;
  /** Whether scenes get a picture in true colour, where they have red, green and blue. */
  readonly isTrueColour: boolean;
}

/** A leased catalogue. It may be leased before it is due, when it has a new area. */
export interface HeldCatalogue extends FollowedCatalogue {
  readonly isDue: boolean;
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

/** Followed catalogues of all accounts. A catalogue with a new area is leased as if it were due. */
export interface CatalogueStore extends FeedStore<
  FollowedCatalogue,
  HeldCatalogue,
  { readonly againInMs: number }
> {
  /** Adds a catalogue. Returns false when the environment already has a catalogue of that name. */
  create(catalogue: Omit<FollowedCatalogue, 'nextAt'>): Promise<boolean>;
  /** Lists the catalogues that serve an owner, with their state for its oldest areas, at most `mostAreas`. */
  states(owner: Owner, mostAreas: number): Promise<readonly FeedState[]>;
  /** Lists the areas that a catalogue serves, oldest first, without deleted areas. */
  areas(catalogue: FollowedCatalogue): Promise<readonly FollowedArea[]>;
  /** Records the outcome of a search for one area. */
  note(catalogueId: string, area: Omit<FollowedArea, 'aoi'> & { readonly aoiId: string }): Promise<void>;
}
