/** State of a computation over a cube, as it was saved whole: named parts under a heading that says what they rest on. */
export interface SavedState {
  readonly heading: string;
  /** @throws Error when there is no such part, or it cannot be read */
  part(name: string): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

/** Saves a state part by part; nothing is seen of it before it is committed. */
export interface StateWriter {
  /** Adds a part; one at a time. */
  add(name: string, bytes: Uint8Array): Promise<void>;
  /** Puts the state, whole and durable, in the place of the one before. */
  commit(heading: string): Promise<void>;
  /** Gives it up; the one before stays. Does nothing after a commit. */
  discard(): Promise<void>;
}

/** Keeps one state beside each cube. It is a copy of what could be worked out again: losing it costs time alone. */
export interface StateStore {
  /** The state of a cube; undefined where there is none that was saved whole. */
  openState(cubeId: string): Promise<SavedState | undefined>;
  /**
   * Begins to save a state of about so many bytes.
   * @throws NotFound when there is no cube; Error when it would leave too little room for what cannot be worked out again
   */
  writeState(cubeId: string, expectedBytes: number): Promise<StateWriter>;
}
