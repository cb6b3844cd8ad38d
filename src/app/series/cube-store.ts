export type SampleType = 'int16' | 'float32' | 'float64';

export type Samples = Int16Array | Float32Array | Float64Array;

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
