/**
 * Saved state of a computation over a cube: named parts, and a heading that describes the inputs of the
 * computation.
 */
export interface SavedState {
  readonly heading: string;
  /** Reads a part into memory of its own. @throws Error when there is no such part, or it cannot be read */
  part(name: string): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

/**
 * Saves a state part by part. Readers see the new state only after the commit. What a process that died had added is
 * kept for the next writer of the same state.
 */
export interface SavedStateWriter {
  /**
   * Adds a part. The caller waits for each call to finish before the next call.
   * @param note bytes that are needed only to go on after a crash; they are not in the committed state
   */
  add(name: string, bytes: Uint8Array, note?: Uint8Array): Promise<void>;
  /** Reads a part, and its note, that a process that died had added; undefined when it had not. */
  kept(
    name: string,
  ): Promise<
    | { readonly bytes: Uint8Array<ArrayBuffer>; readonly note: Uint8Array<ArrayBuffer> | undefined }
    | undefined
  >;
  /** Replaces the previous state by this one. The new state is on disk when the promise resolves. */
  commit(heading: string): Promise<void>;
  /** Discards this state and keeps the previous one. Does nothing after a commit. */
  discard(): Promise<void>;
}

/** Keeps one saved state per cube. A lost state can be recomputed from the cube. */
export interface StateStore {
  /** Opens the state of a cube; undefined when no complete state was saved. */
  openState(cubeId: string): Promise<SavedState | undefined>;
  /**
   * Begins to save a state of about `expectedBytes`, or goes on with what a process that died has left of it.
   * @param about describes the state; only what was left under the same text is used
   * @throws NotFound when there is no such cube; Error when too little disk space would be left for data that cannot be
   * recomputed
   */
  writeState(cubeId: string, expectedBytes: number, about: string): Promise<SavedStateWriter>;
}

/**
 * Keeps the results of the units of searches with a cube, so that the processes that share a search, and one that goes
 * on with it after a crash, find what is done. A unit is written whole or not at all. If two processes write the same
 * unit, either result is kept: they are the same.
 */
export interface UnitStore {
  /** Opens the result of a unit; undefined when it is not there. */
  openUnit(cubeId: string, search: string, unit: string): Promise<SavedState | undefined>;
  /** Begins to write the result of a unit. */
  writeUnit(cubeId: string, search: string, unit: string): Promise<SavedStateWriter>;
  /** Names of the units of a search that are there. */
  unitsOf(cubeId: string, search: string): Promise<readonly string[]>;
  /** Deletes the units of one search, or of all searches but one. */
  dropUnits(cubeId: string, searches: SomeSearches): Promise<void>;
}

/** One search, or all searches but one, by name. */
export type SomeSearches = { readonly of: string } | { readonly butOf: string };
