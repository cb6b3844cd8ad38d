/** The move of cubes and layers between the data folder and a bucket. */
export interface ObjectsMove {
  /** Where they are moved from, for messages. */
  readonly source: string;
  /** The cubes that are not moved yet. */
  left(): Promise<readonly string[]>;
  /**
   * Moves a cube, while the service goes on with it.
   * @returns the size of its objects [bytes]; undefined when it was removed meanwhile
   * @throws when it could not be moved; it is then where it was
   */
  moveCube(cubeId: string): Promise<number | undefined>;
  /** Moves the installed layers. @returns the number of their files */
  moveLayers(): Promise<number>;
  /** The cubes that are moved, and whose former files or objects are still there. */
  moved(): Promise<readonly string[]>;
  /**
   * Reads a moved cube whole at its new place, then deletes its former files or objects.
   * @returns one sentence for each piece that is missing or damaged; nothing is deleted then
   */
  removeSource(cubeId: string): Promise<readonly string[]>;
  /** Deletes what else is left of the former place, after all cubes and layers. */
  end(): Promise<void>;
}
