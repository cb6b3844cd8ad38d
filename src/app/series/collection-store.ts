import type { SceneReading } from '../../contract/sources/scene-reading.ts';
import type { Imagery } from '../areas/aoi-store.ts';
import type { Environment, Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { SampleType } from './cube-store.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { Grid } from '../../geo/grid.ts';

/**
 * A raster collection: observations of one metric on one grid. Collections with the same name, environment and owner
 * form a group, with one collection per metric.
 */
export interface Collection {
  readonly id: string;
  readonly environment: Environment;
  /** Account that owns the collection; null if every account of the environment may read the collection. */
  readonly accountId: string | null;
  readonly name: string;
  readonly metric: string;
  readonly unit: string;
  /** True for data of the sandbox's simulated region; undefined for real data. */
  readonly simulated?: true;
  /** Value in the unit of the metric = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  readonly sampleType: SampleType;
  readonly grid: Grid;
  readonly pixelAreaM2: number;
  readonly bounds: Bbox;
}

/** A collection with the times of its first and last scene; null without scenes. */
export interface DatedCollection extends Collection {
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
}

/** A collection of a list. */
export interface ListedCollection extends DatedCollection {
  /** Whether some of its scenes have a picture in true colour. */
  readonly hasColours: boolean;
}

export interface Scene {
  readonly id: string;
  readonly key: string;
  readonly href: string;
  readonly observedAt: Date;
  /** SHA-256 (hex) of the samples stored. */
  readonly sha256: string;
  readonly clearFraction: number;
  /** How the samples were read; undefined if a release ingested the scene that did not keep it. */
  readonly reading?: SceneReading;
  /** Collection whose colour cube has the picture of the scene in true colour; undefined: it has none. */
  readonly colourOf?: string;
}

/** Collections with data at or near a place. */
export interface Observing {
  /** Raster collections whose bounds contain the place, sorted by pixel size, smallest first. */
  readonly rasters: readonly Collection[];
  /** Ids of the point collections whose bounds overlap the box around the place. */
  readonly pointIds: readonly string[];
}

/** Filter of scenes. A property that is undefined does not restrict them. */
export interface SceneFilter {
  readonly ids?: readonly string[] | undefined;
  /** First and last moment, inclusive [ms since the Unix epoch]. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface CollectionStore {
  /** Creates a collection. Returns false if a raster or point collection with this name and metric exists. */
  create(collection: Collection): Promise<boolean>;
  find(id: string): Promise<Collection | undefined>;
  /**
   * Lists the collections that have the given name, one per metric, in order of creation. Callers that lock the whole
   * group lock its first collection.
   */
  byName(environment: Environment, accountId: string | null, name: string): Promise<readonly Collection[]>;
  /** All raster collections, sorted by environment, owner and name. */
  list(): Promise<readonly Collection[]>;
  /** Collections of a metric that an owner may read and whose bounds overlap a box. */
  covering(owner: Owner, metric: string, bounds: Bbox): Promise<readonly Collection[]>;
  /** Finds the collections of a metric that an owner may read at a place and in the box around it, in one query. */
  observing(owner: Owner, metric: string, place: Bbox, around: Bbox): Promise<Observing>;
  /**
   * Summarises the scenes over a box that an owner may read, by collection name and metric. Collections without a scene
   * are left out.
   */
  imagery(owner: Owner, bounds: Bbox): Promise<readonly Imagery[]>;
  /** Number of collections that an owner may read, by metric. */
  countByMetric(owner: Owner): Promise<ReadonlyMap<string, number>>;
  /** Lists the collections that an owner may read, newest first. */
  readable(owner: Owner, page: PageRequest): Promise<Page<ListedCollection>>;
  /** Times of the first and last scene of a collection; null without scenes. */
  span(collectionId: string): Promise<readonly [first: Date | null, last: Date | null]>;
  /** Finds a collection that an owner may read. */
  findReadable(owner: Owner, id: string): Promise<Collection | undefined>;
  /** The collections of a name that an owner may read, newest first, at most `most`. */
  readableNamed(owner: Owner, name: string, most: number): Promise<readonly Collection[]>;
  /**
   * The collections that an owner may read, of some ids and whose bounds overlap a box, newest first, at most `most`.
   * A part of the filter that is undefined does not restrict them.
   */
  readableOf(
    owner: Owner,
    filter: { readonly ids: readonly string[] | undefined; readonly bounds: Bbox | undefined },
    most: number,
  ): Promise<readonly Collection[]>;
  /** Lists the scenes of some collections, newest first. */
  scenesOf(
    collectionIds: readonly string[],
    filter: SceneFilter,
    page: PageRequest,
  ): Promise<Page<Scene & { readonly collectionId: string }>>;
  /** Finds a scene of a collection that an owner may read, and that collection. */
  findScene(
    owner: Owner,
    id: string,
  ): Promise<{ readonly scene: Scene; readonly collection: Collection } | undefined>;
  /** Lists the scenes of a collection, newest first. */
  scenePage(collectionId: string, page: PageRequest): Promise<Page<Scene>>;
  /** Scenes by their keys. Unknown keys are left out. */
  scenesNamed(collectionId: string, keys: readonly string[]): Promise<readonly Scene[]>;
  scenes(collectionId: string): Promise<readonly Scene[]>;
  /** Records scenes. A recorded scene with the same key is replaced. */
  putScenes(collectionId: string, scenes: readonly Scene[]): Promise<void>;
  /** Deletes the records of scenes; unknown keys are ignored. */
  removeScenes(collectionId: string, keys: readonly string[]): Promise<void>;
  /** Deletes a collection with its scenes, changes and anomalies. */
  remove(collectionId: string): Promise<void>;
  /** Digest of the scenes, model and software version of the last search for changes; null if none was recorded. */
  monitoredAs(collectionId: string): Promise<string | null>;
  setMonitoredAs(collectionId: string, state: string): Promise<void>;
  /** Locks a collection until the transaction ends, so that processes write to it one at a time. */
  lock(collectionId: string): Promise<void>;
}
