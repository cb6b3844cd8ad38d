import type { CubeAddress } from '../../series/cube-store.ts';
import type { ChangeTask } from './change-task.ts';
import type { FoundChange } from './found-change.ts';

/** Order to run one search. A thread gets its next order after it has finished the current search. */
export interface SearchOrder {
  readonly task: ChangeTask;
  readonly cubes: CubeAddress;
  /** Number of threads, including the thread that gets the order; undefined: derived from the size of the stack. */
  readonly threads: number | undefined;
  /** Whether the receiver decides whose turn the units are; false: the thread runs all of them. */
  readonly isShared: boolean;
}

/** Order to run units of a search that another process leads, until none is free. */
export interface HelpOrder {
  readonly cubes: CubeAddress;
  readonly cubeId: string;
  readonly search: string;
  readonly threads: number | undefined;
}

/**
 * Messages to the search thread: start a search, help with one, send the next changes, the answer to `take`, or abandon the search and
 * exit.
 */
export type ToSearchThread =
  | { readonly kind: 'search'; readonly order: SearchOrder }
  | { readonly kind: 'help'; readonly order: HelpOrder }
  | { readonly kind: 'more' }
  | { readonly kind: 'taken'; readonly unit: string | undefined }
  | { readonly kind: 'stop' };

/** Messages from the search thread. */
export type FromSearchThread =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  /** Some of the changes found in a group. The thread waits for `more` before it sends more changes. */
  | { readonly kind: 'found'; readonly group: number; readonly changes: readonly FoundChange[] }
  /** Asks for the turn of a unit. The thread waits for `taken`. */
  | { readonly kind: 'take'; readonly search: string; readonly units: readonly string[] }
  | { readonly kind: 'given back'; readonly search: string; readonly unit: string }
  | { readonly kind: 'over' };
