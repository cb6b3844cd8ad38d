import type { CubeAddress } from '../../series/cube-store.ts';
import type { ChangeTask } from './change-task.ts';
import type { StateReference } from './resumable-search.ts';
import type { Bytes } from './saved-part.ts';
import type { PassJob, PassKind, PassState, StackPasses } from './stack-pass.ts';
import type { SharedStrips } from './strip-cache.ts';

/** `workerData` of a pass thread. */
export interface PassThreadData {
  /** Position of the next strip of the current pass, shared with the other threads. */
  readonly next: Int32Array;
}

/** A stack, and everything that a thread needs to process it. */
export interface PassStack extends Pick<PassState, 'since' | 'keeps'> {
  readonly task: ChangeTask;
  readonly cubes: CubeAddress;
  /** Shared cache of strips; undefined when the stack is too large for it. */
  readonly strips: SharedStrips | undefined;
  readonly left: StateReference | undefined;
}

/**
 * Messages to a pass thread. `stack`: the stack of the following passes; `pass`: run a pass; `kept`: a part was
 * saved; `over`: close the stack.
 */
export type ToPassThread =
  | { readonly kind: 'stack'; readonly stack: PassStack }
  | { readonly kind: 'pass'; readonly job: PassJob }
  | { readonly kind: 'kept' }
  | { readonly kind: 'over' };

/** Messages from a pass thread: progress, parts to save, and at the end of a pass its result. */
export type FromPassThread =
  | { readonly kind: 'seen'; readonly pixels: number }
  | { readonly kind: 'keep'; readonly part: string; readonly bytes: Bytes; readonly note?: Bytes | undefined }
  | { readonly kind: 'done'; readonly part: StackPasses[PassKind]['part'] };
