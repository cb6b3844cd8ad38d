export type SampleType = 'int16' | 'float32' | 'float64';

export type Samples = Int16Array | Float32Array | Float64Array;

/** Shape and storage type of a cube, which contains the observations of one metric on one grid. */
export interface CubeSpec {
  readonly width: number;
  readonly height: number;
  readonly sampleType: SampleType;
}

/** One acquisition in a cube. */
export interface CubeScene {
  /** Identifies the scene within the cube. Appending a scene with the same key replaces it. */
  readonly key: string;
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** SHA-256 (hex) of the stored samples, little-endian, including the nodata values. */
  readonly sha256: string;
}

/** Series of neighbouring pixels: `values[p * scenes.length + t]`, time ascending, NaN where nothing was observed. */
export interface CubeStrip {
  readonly scenes: readonly CubeScene[];
  readonly values: Float32Array | Float64Array;
}

/** Tells a worker thread how to open the cubes; plain data that can be sent to it. */
export interface CubeAddress {
  /** URL of a module that exports `openCubes`, a function that opens `SearchedCubes` at `at`. */
  readonly module: string;
  readonly at: unknown;
}

/**
 * Stores the observations of pixels, contiguous in time. Samples are raw (unscaled); the nodata value is -32768 in
 * an int16 cube and NaN otherwise. Reading damaged data throws an error that names the file or object.
 */
export interface CubeStore {
  /** Address at which worker threads open the current cubes. */
  readonly address: CubeAddress;
  /**
   * Creates an empty cube. Does nothing when it exists with the same spec.
   * @throws InvalidInput when the spec differs
   */
  create(cubeId: string, spec: CubeSpec): Promise<void>;
  /**
   * Adds a scene; it is durable on disk when the promise resolves. A scene with the same key and the same bytes
   * does nothing (`added: false`); other bytes replace the scene. Scenes may be added in any order of time. Do not
   * modify `samples` before the promise resolves.
   */
  append(
    cubeId: string,
    scene: { readonly key: string; readonly timeMs: number },
    samples: Samples,
  ): Promise<{ readonly sha256: string; readonly added: boolean }>;
  /** Scenes in order of time, then by key. */
  scenes(cubeId: string): Promise<readonly CubeScene[]>;
  /** Series of pixels `[from, to)` in row-major order. */
  readStrip(cubeId: string, from: number, to: number): Promise<CubeStrip>;
  /** Removes scenes. Returns the keys that existed. */
  removeScenes(cubeId: string, keys: readonly string[]): Promise<readonly string[]>;
  /** Removes a cube; does nothing when it does not exist. */
  remove(cubeId: string): Promise<void>;
  /** Reads a whole cube. Returns one sentence for each damaged file or object. */
  check(cubeId: string): Promise<readonly string[]>;
  /**
   * Removes damaged data, so that its scenes can be ingested again; the rest stays. A cube that is missing or
   * whose spec cannot be read is replaced by an empty one with this spec. Returns what was removed, in sentences
   * like those of `check`.
   */
  repair(cubeId: string, spec: CubeSpec): Promise<readonly string[]>;
}
