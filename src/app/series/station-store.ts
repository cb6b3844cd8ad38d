import type { Bbox } from '../../geo/bbox.ts';
import type { Environment, Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

/**
 * A point collection: observations of one metric at stations. Collections with the same name, environment and owner
 * form a group, with one collection per metric.
 */
export interface PointCollection {
  readonly id: string;
  readonly environment: Environment;
  /** Account that owns the collection; null if every account of the environment may read the collection. */
  readonly accountId: string | null;
  readonly name: string;
  readonly metric: string;
  readonly unit: string;
  /** True for data of the sandbox's simulated region; undefined for real data. */
  readonly simulated?: true;
  /** Box around all stations. */
  readonly bounds: Bbox;
  /** Metrics from which this collection is derived; undefined if it was ingested. */
  readonly derivedFrom?: readonly string[];
}

/** A place where something is measured: a weather station, a river gauge, a GNSS antenna, an InSAR point. */
export interface Station {
  readonly id: string;
  /** Name of the station within its collection. */
  readonly key: string;
  /** Position [decimal degrees]. */
  readonly lng: number;
  readonly lat: number;
}

/** A station with one of its metrics, and the period in which this metric was observed. */
export interface MeasuringStation extends Station {
  /** Name of the collection that contains the station. */
  readonly collection: string;
  /** Whether the data are from the sandbox's simulated region. */
  readonly simulated: boolean;
  readonly metric: string;
  readonly unit: string;
  readonly observations: number;
  /** Times of the first and the last observation [ms since the Unix epoch]; null when there are none. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** Filter of stations. A property that is undefined does not restrict the result. */
export interface StationFilter {
  readonly bounds: Bbox | undefined;
  /** Only stations with any of these metrics. */
  readonly metrics: readonly string[] | undefined;
}

/** The observations of a station. */
export interface StationSeries {
  readonly station: Station;
  /** Milliseconds since the Unix epoch, strictly ascending. */
  readonly timesMs: Float64Array;
  /** In the unit of the metric; never NaN: gaps have no entry. */
  readonly values: Float64Array;
}

/** Observations to write. Their station may be new, so it has no id. */
export type NewStationSeries = Omit<StationSeries, 'station'> & { readonly station: Omit<Station, 'id'> };

/** Summary of the contents of a point collection. */
export interface PointContent {
  readonly stations: number;
  readonly observations: number;
  /** Times of the first and the last observation [ms since the Unix epoch]; null when there are none. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Time from which a live collection without new observations counts as silent; null for a historical record. */
  readonly silentAfter: Date | null;
}

/** Marks a station with new observations from which series must be derived. `mark` changes with each write. */
export interface DerivationMark {
  readonly key: string;
  readonly mark: string;
}

/** Stores point collections: stations and their series. */
export interface StationStore {
  /** Creates a collection. Returns false if a point or raster collection with this name and metric exists. */
  create(collection: PointCollection): Promise<boolean>;
  find(id: string): Promise<PointCollection | undefined>;
  /** Lists the collections that have the given name, one per metric. */
  byName(
    environment: Environment,
    accountId: string | null,
    name: string,
  ): Promise<readonly PointCollection[]>;
  /** All point collections, sorted by environment, owner and name. */
  list(): Promise<readonly PointCollection[]>;
  /** Collections of a metric that an owner may read and whose bounds overlap a box. */
  covering(owner: Owner, metric: string, bounds: Bbox): Promise<readonly PointCollection[]>;
  /** Number of collections that an owner may read, by metric. */
  countByMetric(owner: Owner): Promise<ReadonlyMap<string, number>>;
  /** Stations of a collection within a box, sorted by key. */
  stations(collectionId: string, bounds: Bbox): Promise<readonly Station[]>;
  /** Stations that an owner may read, newest first, one item per station and metric. */
  stationsOf(owner: Owner, filter: StationFilter, page: PageRequest): Promise<Page<MeasuringStation>>;
  /** Finds the stations of a collection that have the given keys; sorted by key. */
  stationsNamed(collectionId: string, keys: readonly string[]): Promise<readonly Station[]>;
  /**
   * Merges observations into a collection: new times are added, known times get the new value. Missing stations
   * are created, and the bounds of the collection are extended. Returns the number of new or changed observations.
   * @throws RangeError when times do not ascend or a value is not finite
   */
  write(collectionId: string, series: readonly NewStationSeries[]): Promise<number>;
  /** Marks stations with new observations from which series must be derived. */
  markForDerivation(collectionId: string, keys: readonly string[]): Promise<void>;
  /** At most `limit` marked stations, sorted by key. */
  derivationMarks(collectionId: string, limit: number): Promise<readonly DerivationMark[]>;
  /** Removes marks, except those of stations that were marked again after `marks` was read. */
  removeMarks(collectionId: string, marks: readonly DerivationMark[]): Promise<void>;
  /**
   * Reads the observations in `[fromMs, toMs)`, as one series per station in the given order. The series of a station
   * without observations is empty.
   */
  read(
    collectionId: string,
    stations: readonly Station[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly StationSeries[]>;
  /** Contents of the given collections, or of all, by collection id. */
  contents(collectionIds?: readonly string[]): Promise<ReadonlyMap<string, PointContent>>;
  /** Lists the live collections that count as silent at a given time. */
  silent(at: Date): Promise<readonly PointCollection[]>;
  /** Sets the time from which a collection counts as silent; null: never. */
  setSilentAfter(collectionId: string, silentAfter: Date | null): Promise<void>;
  /** Reads a whole collection. Returns one sentence for each damaged station. */
  check(collectionId: string): Promise<readonly string[]>;
  /** Deletes a collection with its stations, observations and anomalies. */
  remove(collectionId: string): Promise<void>;
}
