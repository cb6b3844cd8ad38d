/**
 * Saved state of a computation over a cube: named parts, and a heading that describes the inputs of the
 * computation.
 */
export interface SavedState {
  readonly heading: string;
  /** Reads a part. @throws Error when there is no such part, or it cannot be read */
  part(name: string): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

/** Saves a state part by part. Readers see it only after the commit. */
export interface SavedStateWriter {
  /** Adds a part. Wait for one call to finish before the next. */
  add(name: string, bytes: Uint8Array): Promise<void>;
  /** Replaces the previous state by this one, durably. */
  commit(heading: string): Promise<void>;
  /** Discards this state and keeps the previous one. Does nothing after a commit. */
  discard(): Promise<void>;
}

/** Keeps one saved state per cube. A state can always be recomputed: losing it only costs time. */
export interface StateStore {
  /** Opens the state of a cube; undefined when none was saved completely. */
  openState(cubeId: string): Promise<SavedState | undefined>;
  /**
   * Begins to save a state of about `expectedBytes`.
   * @throws NotFound when there is no such cube; Error when too little disk space would be left for data that cannot be
   * recomputed
   */
  writeState(cubeId: string, expectedBytes: number): Promise<SavedStateWriter>;
}
