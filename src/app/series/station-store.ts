import type { Bbox } from '../../geo/bbox.ts';
import type { Environment } from '../owner.ts';
import type { Owner, Page, PageRequest } from '../owner.ts';

/** The observations of one metric at stations; metrics of one name, environment and owner belong together. */
export interface PointCollection {
  readonly id: string;
  readonly environment: Environment;
  /** Null: serves every account of its environment. */
  readonly accountId: string | null;
  readonly name: string;
  readonly metric: string;
  readonly unit: string;
  /** Present when its observations come from the sandbox's simulated region. */
  readonly simulated?: true;
  /** Box around its stations. */
  readonly bounds: Bbox;
  /** Metrics that it is computed from and kept up to date with; absent where it was observed. */
  readonly derivedFrom?: readonly string[];
}

/** A place where something is measured: a weather station, a river gauge, a GNSS antenna, an InSAR point. */
export interface Station {
  readonly id: string;
  /** Its name within the collection. */
  readonly key: string;
  /** Decimal degrees. */
  readonly lng: number;
  readonly lat: number;
}

/** A station with what it measures, and from when to when it did. */
export interface MeasuringStation extends Station {
  /** Name of its collection. */
  readonly collection: string;
  /** Whether its observations come from the sandbox's simulated region. */
  readonly simulated: boolean;
  readonly metric: string;
  readonly unit: string;
  readonly observations: number;
  /** Times of its first and last observation [ms since the Unix epoch]; null when there is none. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** Which stations are meant; what is undefined does not narrow. */
export interface StationFilter {
  readonly bounds: Bbox | undefined;
  /** Of any of these metrics. */
  readonly metrics: readonly string[] | undefined;
}

/** What was measured at a station. */
export interface StationSeries {
  readonly station: Station;
  /** Milliseconds since the Unix epoch, strictly ascending. */
  readonly timesMs: Float64Array;
  /** Metric unit; never NaN: what was not measured is not there. */
  readonly values: Float64Array;
}

/** Observations to be taken in, of a station that may be new. */
export type NewStationSeries = Omit<StationSeries, 'station'> & { readonly station: Omit<Station, 'id'> };

/** What a collection of points holds. */
export interface PointContent {
  readonly stations: number;
  readonly observations: number;
  /** Times of the first and the last observation [ms since the Unix epoch]; null when there is none. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** When a live feed counts as silent unless more comes; null for a record of the past. */
  readonly silentAfter: Date | null;
}

/** A station of which something was written that what is computed from it does not know yet, and what names that. */
export interface DerivationMark {
  readonly key: string;
  readonly mark: string;
}

/** Series at stations. */
export interface StationStore {
  /** False when there is one of that name and metric, of stations or of images. */
  create(collection: PointCollection): Promise<boolean>;
  find(id: string): Promise<PointCollection | undefined>;
  /** One for each metric that the name holds. */
  byName(
    environment: Environment,
    accountId: string | null,
    name: string,
  ): Promise<readonly PointCollection[]>;
  /** All there are, by environment, owner and name. */
  list(): Promise<readonly PointCollection[]>;
  /** Those that an owner may read, of one metric, whose bounds overlap a box. */
  covering(owner: Owner, metric: string, bounds: Bbox): Promise<readonly PointCollection[]>;
  /** How many collections an owner may read, by metric. */
  countByMetric(owner: Owner): Promise<ReadonlyMap<string, number>>;
  /** Stations of a collection within a box, by key. */
  stations(collectionId: string, bounds: Bbox): Promise<readonly Station[]>;
  /** Stations that an owner may read, newest first, one for each of their metrics. */
  stationsOf(owner: Owner, filter: StationFilter, page: PageRequest): Promise<Page<MeasuringStation>>;
  /** Stations of a collection that have one of these keys, by key. */
  stationsNamed(collectionId: string, keys: readonly string[]): Promise<readonly Station[]>;
  /**
   * Merges observations in: a new time is added, a known time takes the new value. Stations are made as needed, and the
   * collection's bounds grow. Answers how many observations were new or changed.
   * @throws RangeError when times do not ascend or a value is not finite
   */
  write(collectionId: string, series: readonly NewStationSeries[]): Promise<number>;
  /** Notes that what is computed from the observations of these stations does not know the latest. */
  markUnderived(collectionId: string, keys: readonly string[]): Promise<void>;
  /** Some of the stations that are so noted, by key. */
  underived(collectionId: string, limit: number): Promise<readonly DerivationMark[]>;
  /** Strikes such notes out, but for stations that have been noted anew. */
  settle(collectionId: string, marks: readonly DerivationMark[]): Promise<void>;
  /** Observations in `[fromMs, toMs)` of stations, in their order; one without any is there and empty. */
  read(
    collectionId: string,
    stations: readonly Station[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly StationSeries[]>;
  /** What each collection holds, by its id; of all of them where none is named. */
  contents(collectionIds?: readonly string[]): Promise<ReadonlyMap<string, PointContent>>;
  /** Collections that were to have more by that time. */
  silent(at: Date): Promise<readonly PointCollection[]>;
  /** Sets when a feed counts as silent. */
  expectUntil(collectionId: string, silentAfter: Date | null): Promise<void>;
  /** Reads everything of a collection and says what is damaged, a sentence for each station. */
  check(collectionId: string): Promise<readonly string[]>;
  /** Forgets a collection with its stations, observations and anomalies. */
  remove(collectionId: string): Promise<void>;
}
