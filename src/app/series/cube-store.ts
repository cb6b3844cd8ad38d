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

/** Series of consecutive pixels: `values[p * scenes.length + t]`, time ascending, NaN where nothing was observed. */
export interface CubeStrip {
  readonly scenes: readonly CubeScene[];
  readonly values: Float32Array | Float64Array;
}

/** Address at which a worker thread can open the cubes, as plain data that can be sent to the thread. */
export interface CubeAddress {
  /** URL of a module that exports the function `openCubes(at)`, which returns `SearchedCubes`. */
  readonly module: string;
  readonly at: unknown;
}

/**
 * Stores the observations of pixels, contiguous in time. Samples are raw (unscaled); the nodata value is -32768 in
 * an int16 cube and NaN otherwise. Reading damaged data throws an error that names the file or object.
 */
export interface CubeStore {
  /** Address at which worker threads can open the cubes of this store. */
  readonly address: CubeAddress;
  /**
   * Creates an empty cube. Does nothing when the cube exists with the same spec.
   * @throws InvalidInput when the cube exists with another spec
   */
  create(cubeId: string, spec: CubeSpec): Promise<void>;
  /**
   * Adds a scene, which is on disk when the promise resolves. If the cube has a scene with the same key and the same
   * bytes, does nothing (`added: false`); if the bytes differ, replaces that scene. Scenes may be added in any order of
   * time. The caller must not modify `samples` before the promise resolves.
   */
  append(
    cubeId: string,
    scene: { readonly key: string; readonly timeMs: number },
    samples: Samples,
  ): Promise<{ readonly sha256: string; readonly added: boolean }>;
  /** Scenes in order of time, then by key. */
  scenes(cubeId: string): Promise<readonly CubeScene[]>;
  /**
   * Series of pixels `[from, to)` in row-major order.
   * @param into array of the caller, which may be filled and returned if it has the type and length of the values
   */
  readStrip(cubeId: string, from: number, to: number, into?: CubeStrip['values']): Promise<CubeStrip>;
  /**
   * Fills `into` with the series of pixels `[from, to)` of an int16 cube, `into[p * scenes.length + t]`, as they are
   * stored: -32768 where nothing was observed. Leaves it as it is when its length is another one.
   * @returns the scenes. @throws RangeError when the cube has another sample type
   */
  readSamples(cubeId: string, from: number, to: number, into: Int16Array): Promise<readonly CubeScene[]>;
  /** Raw samples of pixels `[from, to)` of one scene, NaN where nothing was observed; undefined for an unknown key. */
  readScene(cubeId: string, key: string, from: number, to: number): Promise<Float32Array | undefined>;
  /** Removes scenes. Returns the keys that existed. */
  removeScenes(cubeId: string, keys: readonly string[]): Promise<readonly string[]>;
  /** Removes a cube; does nothing when it does not exist. */
  remove(cubeId: string): Promise<void>;
  /** Reads a whole cube. Returns one sentence for each damaged file or object. */
  check(cubeId: string): Promise<readonly string[]>;
  /**
   * Removes damaged data, so that its scenes can be ingested again, and keeps all other data. If the cube is missing or
   * its spec cannot be read, creates an empty cube with the given spec instead. Returns one sentence for each file or
   * object removed, as `check` does.
   */
  repair(cubeId: string, spec: CubeSpec): Promise<readonly string[]>;
}
