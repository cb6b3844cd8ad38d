import type { Imagery } from '../areas/aoi-store.ts';
import type { Environment, Owner } from '../owner.ts';
import type { SampleType } from './cube-store.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { Grid } from '../../geo/grid.ts';

/** The observations of one metric on one grid; metrics of one name, environment and owner belong together. */
export interface Collection {
  readonly id: string;
  readonly environment: Environment;
  /** Null: serves every account of its environment. */
  readonly accountId: string | null;
  readonly name: string;
  readonly metric: string;
  readonly unit: string;
  /** Present when its observations come from the sandbox's simulated region. */
  readonly simulated?: true;
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  readonly sampleType: SampleType;
  readonly grid: Grid;
  readonly pixelAreaM2: number;
  readonly bounds: Bbox;
}

export interface Scene {
  readonly id: string;
  readonly key: string;
  readonly href: string;
  readonly observedAt: Date;
  /** SHA-256 (hex) of the samples stored. */
  readonly sha256: string;
  readonly clearFraction: number;
}

/** Collections that can tell of a place. */
export interface Observing {
  /** Those whose bounds hold it, the smallest pixels first. */
  readonly rasters: readonly Collection[];
  /** Ids of those of points whose bounds overlap the box around it. */
  readonly pointIds: readonly string[];
}

export interface CollectionStore {
  /** False when there is one of that name and metric, of images or of stations. */
  create(collection: Collection): Promise<boolean>;
  find(id: string): Promise<Collection | undefined>;
  /** One for each metric that the name holds, the first made first: it stands for all. */
  byName(environment: Environment, accountId: string | null, name: string): Promise<readonly Collection[]>;
  /** All there are, by environment, owner and name. */
  list(): Promise<readonly Collection[]>;
  /** Those that an owner may read, which hold a metric over a point or box. */
  covering(owner: Owner, metric: string, bounds: Bbox): Promise<readonly Collection[]>;
  /** What an owner may read of a metric at a place, by one question: pixels over it, and points around it. */
  observing(owner: Owner, metric: string, place: Bbox, around: Bbox): Promise<Observing>;
  /** What the collections that an owner may read hold of a box, by name and metric; those without a scene are left out. */
  imagery(owner: Owner, bounds: Bbox): Promise<readonly Imagery[]>;
  /** How many collections an owner may read, by metric. */
  countByMetric(owner: Owner): Promise<ReadonlyMap<string, number>>;
  scenes(collectionId: string): Promise<readonly Scene[]>;
  /** Records scenes; one of the same key is replaced. */
  putScenes(collectionId: string, scenes: readonly Scene[]): Promise<void>;
  /** Forgets scenes; keys that are unknown do nothing. */
  removeScenes(collectionId: string, keys: readonly string[]): Promise<void>;
  /** Forgets a collection with its scenes, changes and anomalies. */
  remove(collectionId: string): Promise<void>;
  /** What the collection was last monitored as: a hash of its scenes and the model; null when never, or not since. */
  monitoredAs(collectionId: string): Promise<string | null>;
  setMonitoredAs(collectionId: string, state: string): Promise<void>;
  /** Serialises the publishing of one collection over processes until the transaction ends. */
  lock(collectionId: string): Promise<void>;
}
