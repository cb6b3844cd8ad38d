import type { CubeAddress } from '../../series/cube-store.ts';
import type { ChangeTask } from './change-task.ts';
import type { FoundChange } from './found-change.ts';

/** Order for one search. A thread gets the next order after it has finished the one before. */
export interface SearchOrder {
  readonly task: ChangeTask;
  readonly cubes: CubeAddress;
  /** Number of threads, including the one that gets the order; undefined: chosen by the size of the stack. */
  readonly threads: number | undefined;
}

/** Messages to the search thread: start a search, send the next changes, or abandon the search and exit. */
export type ToSearchThread =
  | { readonly kind: 'search'; readonly order: SearchOrder }
  | { readonly kind: 'more' }
  | { readonly kind: 'stop' };

/** Messages from the search thread. */
export type FromSearchThread =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  /** Some of the changes found in a group. The thread waits for `more` before it sends the next. */
  | { readonly kind: 'found'; readonly group: number; readonly changes: readonly FoundChange[] }
  | { readonly kind: 'over' };
