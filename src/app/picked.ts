/** How much is looked at, and how much of it is picked. */
export interface PickSize {
  /** Number of rows that are looked at. */
  readonly look: number;
  /** Number of items that are picked. */
  readonly most: number;
}

/** The highest ranked items of a place. */
export interface Picked<T> {
  readonly items: readonly T[];
  /** Number of items of the place that were looked at and are left out. */
  readonly omitted: number;
  /** Whether all were looked at. If not, older ones may be left out too. */
  readonly isWhole: boolean;
}
