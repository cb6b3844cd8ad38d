import type { Grid } from '../geo/grid.ts';
import type { LayerMeta } from '../risk/assessment.ts';
import type { StateStore } from './saved-state.ts';

/** The three worlds a credential can belong to; nothing crosses between them. */
export type Environment = 'sandbox' | 'staging' | 'production';

/** Who is asking: an account in one environment, through one credential. */
export interface Principal {
  readonly accountId: string;
  readonly environment: Environment;
  /** The credential's public id, for logs and limits. */
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
  /** Units a minute; 0 is unlimited. */
  readonly rateLimit: number;
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export type SampleType = 'int16' | 'float32' | 'float64';
export type Samples = Int16Array | Float32Array | Float64Array;

/** A multi-band raster read as an image stack: one band per date, all on one grid. */
export interface RasterStack {
  readonly grid: Grid;
  readonly bandCount: number;
  readonly sampleType: SampleType;
  /** Raw value that means "nothing observed", from the file; null when the file declares none. */
  readonly nodata: number | null;
  /** Per-band scale and offset from the file (1 and 0 when it declares none). */
  readonly scale: number;
  readonly offset: number;
  /** SHA-256 of the whole file, hex. */
  readonly sha256: string;
  /** Raw samples of one band, row-major, `width * height` long; band counts from 0. @throws InvalidInput on a truncated file */
  readBand(band: number): Promise<Samples>;
  close(): Promise<void>;
  /** Unit of the values, where the file says it. */
  readonly unit?: string | undefined;
  /** When its bands were acquired, where the file says it. */
  readonly dates?: readonly BandDate[];
  /** Name of each band's own file, where it is a folder. */
  readonly files?: readonly string[];
}

/** Which of a file's variables is meant, where it may hold several. */
export interface StackChoice {
  readonly metric: string | undefined;
  /** Its name; undefined: the one that stands for the metric, or the only one. */
  readonly variable: string | undefined;
}

/** When one band of a stack was acquired. */
export interface BandDate {
  /** Band of the stack, from 1 as in the file. */
  readonly band: number;
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** The scene's name; null when the file has none. */
  readonly scene: string | null;
}

export interface StackReader {
  /** @throws InvalidInput when the file is no stack that is known, is truncated, or has no reference system. */
  open(path: string, choice?: StackChoice): Promise<RasterStack>;
}

export interface DatesReader {
  /** One date for each band. @throws InvalidInput naming the lines that cannot be used */
  readDates(path: string, bandCount: number): Promise<readonly BandDate[]>;
}

/** What a stack is that is to be written. */
export interface StackLayout {
  readonly grid: Grid;
  readonly sampleType: SampleType;
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  readonly bands: readonly BandDate[];
  /** Rows asked for together. */
  readonly rowsAtOnce: number;
}

/** Gives raw samples of rows `[firstRow, lastRow)` of every band, row-major; missing is -32768 for int16, else NaN. */
export type ReadRows = (firstRow: number, lastRow: number) => Promise<readonly Samples[]>;

export interface StackWriter {
  /**
   * Writes a stack, whole or not at all, asking for its rows in order.
   * @throws InvalidInput when the reference system cannot be written, or the file cannot
   */
  write(path: string, layout: StackLayout, rows: ReadRows): Promise<void>;
  /** Writes the dates of its bands, whole or not at all. @throws InvalidInput when the file cannot be written */
  writeDates(path: string, bands: readonly BandDate[]): Promise<void>;
}

/** Shape and storage type of one cube: the observations of one metric on one grid. */
export interface CubeSpec {
  readonly width: number;
  readonly height: number;
  readonly sampleType: SampleType;
}

/** One acquisition in a cube. */
export interface CubeScene {
  /** Name that identifies the scene within the cube; appending the same key again replaces the scene. */
  readonly key: string;
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** SHA-256 (hex) of the stored samples, little-endian, with missing ones marked. */
  readonly sha256: string;
}

/** Series of several neighbouring pixels: `values[p * times.length + t]`, time ascending, NaN where nothing was observed. */
export interface CubeStrip {
  readonly scenes: readonly CubeScene[];
  readonly values: Float32Array | Float64Array;
}

/** How a thread opens cubes for itself: plain data, so that it crosses threads. */
export interface CubeAddress {
  /** URL of a module that exports `openCubes`, which makes `SearchedCubes` of what follows. */
  readonly module: string;
  readonly at: unknown;
}

/** What a search for changes takes of cubes: series of pixels, and the state that it leaves beside one of them. */
export interface SearchedCubes extends Pick<CubeStore, 'readStrip'>, StateStore {
  close(): Promise<void>;
}

/**
 * The time-contiguous pixel store. Samples are raw (unscaled); a missing one is -32768 in an int16 cube and NaN otherwise.
 * What is stored and does not hold what was written is an error that names the file or object, never an answer.
 */
export interface CubeStore {
  /** Where threads find the cubes as they are now. */
  readonly address: CubeAddress;
  /** Makes an empty cube, or does nothing when one of the same spec is there. @throws InvalidInput when the spec differs */
  create(cubeId: string, spec: CubeSpec): Promise<void>;
  /**
   * Adds one scene; durable on disk when the promise resolves. The same key with the same bytes does nothing
   * (`added: false`); the same key with other bytes replaces the scene. Dates may come in any order. The samples must
   * not change before the promise resolves.
   */
  append(
    cubeId: string,
    scene: { readonly key: string; readonly timeMs: number },
    samples: Samples,
  ): Promise<{ readonly sha256: string; readonly added: boolean }>;
  /** Scenes in order of time, ties by key. */
  scenes(cubeId: string): Promise<readonly CubeScene[]>;
  /** Series of pixels `[from, to)` in row-major order. */
  readStrip(cubeId: string, from: number, to: number): Promise<CubeStrip>;
  /** Takes scenes out of the cube; answers which of the keys were there. */
  removeScenes(cubeId: string, keys: readonly string[]): Promise<readonly string[]>;
  /** Removes a cube; does nothing when there is none. */
  remove(cubeId: string): Promise<void>;
  /** Reads everything of a cube and says what is damaged, a sentence for each file or object. */
  check(cubeId: string): Promise<readonly string[]>;
  /**
   * Drops what is damaged, so that its scenes can be ingested again; the rest stays. A cube that is missing or whose
   * shape cannot be read becomes an empty one of this spec. Answers what was dropped, as `check` does.
   */
  repair(cubeId: string, spec: CubeSpec): Promise<readonly string[]>;
}

/** Why a layer gave no value at a point. */
export type NoValueReason = 'outside' | 'nodata';

/** What a layer said at a point. */
export type LayerSample =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly reason: NoValueReason };

/** One versioned raster layer as the catalogue knows it, and as the models take it. */
export type LayerCard = LayerMeta;

/**
 * Reads the maps that it was made for at many points: `into[c * lngs.length + i]` is what map `c` says at point `i`, NaN
 * where it knows nothing and Infinity where it does not reach.
 */
export type LayerColumns = (lngs: Float64Array, lats: Float64Array, into: Float64Array) => void;

/** One immutable view of the catalogue: every sample of one request comes from the same versions. */
export interface LayerSnapshot {
  cards(layer: string): readonly LayerCard[];
  /**
   * Samples one version of a layer at many points, answered in input order.
   * `lngs` and `lats` are decimal degrees; interpolation is the layer's own (nearest for classes, bilinear for fields);
   * nodata is never averaged in.
   */
  sample(
    card: LayerCard,
    lngs: Float64Array,
    lats: Float64Array,
  ): readonly LayerSample[] | Promise<readonly LayerSample[]>;
  /** The same for several cards, each interpolated in its own way; made once for a snapshot and used for every request. */
  reader(cards: readonly LayerCard[]): LayerColumns;
  /**
   * Digest (hex) of all that these layers answer from: the same wherever the same maps are installed in the same order,
   * another as soon as one of them is not.
   */
  state(layers: readonly string[]): string;
}

export interface LayerReader {
  /** What serves an environment now; the same object for as long as that does not change. */
  snapshot(environment: Environment): LayerSnapshot;
}

/** Finds out who is asking. */
export interface Authenticator {
  /**
   * The principal of an `Authorization` header; at once when it is known, so a warm call costs no promise.
   * @throws Unauthorized when there is no credential or it does not hold
   */
  authenticate(authorization: string | undefined): Principal | Promise<Principal>;
}
