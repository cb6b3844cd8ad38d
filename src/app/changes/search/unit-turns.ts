/** Decides which process runs which unit of a search. */
export interface UnitTurns {
  /**
   * Takes one of the units, which no other living process has.
   * @param search name of the search
   * @returns undefined when other processes have all of them
   */
  take(search: string, units: readonly string[]): Promise<string | undefined>;
  /** Ends the turn, whether the unit is done or not. */
  giveBack(search: string, unit: string): Promise<void>;
}

/** Turns of a process that shares its searches with no other. */
export const ALONE: UnitTurns = {
  take: (_search, [first]) => Promise.resolve(first),
  giveBack: () => Promise.resolve(),
};
