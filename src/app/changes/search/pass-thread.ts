// Thread of pass-crew.ts: takes strips off passes that it shares with the thread that started it.
import { parentPort, workerData } from 'node:worker_threads';
import { type ChangeTask, traitsOf } from './find-changes.ts';
import { openCubes } from './open-cubes.ts';
import type { CubeAddress } from '../../series/cube-store.ts';
import type { LeftState } from './resume-changes.ts';
import { type Bytes, savedPart } from './saved-part.ts';
import { StackReader } from './series-reader.ts';
import {
  type PassJob,
  type PassKind,
  type PassState,
  type StackPasses,
  type StackSource,
  workOff,
} from './stack-pass.ts';
import { type SharedStrips, StripCache } from './strip-cache.ts';

/** What a thread starts with. */
export interface PassThreadData {
  /** Next strip of the pass under way, shared with the other threads. */
  readonly next: Int32Array;
}

/** A stack, and all that a thread needs to go over it. */
export interface PassStack extends Pick<PassState, 'since' | 'keeps'> {
  readonly task: ChangeTask;
  readonly cubes: CubeAddress;
  /** Absent where the stack is too large to be held. */
  readonly strips: SharedStrips | undefined;
  readonly left: LeftState | undefined;
}

/** What it is told: which stack to go over from here on, each pass, that a part is kept, and that the stack is done with. */
export type ToPassThread =
  | { readonly kind: 'stack'; readonly stack: PassStack }
  | { readonly kind: 'pass'; readonly job: PassJob }
  | { readonly kind: 'kept' }
  | { readonly kind: 'over' };

/** What it answers a pass with: pixels seen and parts to keep, now and then, and at last what came of them. */
export type FromPassThread =
  | { readonly kind: 'seen'; readonly pixels: number }
  | { readonly kind: 'keep'; readonly part: string; readonly bytes: Bytes }
  | { readonly kind: 'done'; readonly part: StackPasses[PassKind]['part'] };

const crew = parentPort!;
const { next } = workerData as PassThreadData;
/** Told in turn that their parts are kept. */
const keeping: (() => void)[] = [];
let open: Promise<{ readonly source: StackSource; readonly close: () => Promise<void> }> | undefined;

function tell(message: FromPassThread, transfer: readonly ArrayBuffer[] = []): void {
  crew.postMessage(message, transfer);
}

function keep(part: string, bytes: Bytes): Promise<void> {
  return new Promise((resolve) => {
    keeping.push(resolve);
    tell({ kind: 'keep', part, bytes }, [bytes.buffer]);
  });
}

async function opened({ task, cubes: address, strips, since, keeps, left }: PassStack) {
  const cubes = await openCubes(address);
  const state = left && (await cubes.openState(left.cubeId));
  if (state?.heading !== left?.heading) throw new Error('the saved state was replaced while it was read');
  const saved: PassState['saved'] = async (part) => {
    if (state === undefined) throw new RangeError('nothing was saved');
    return await savedPart(state, part);
  };
  const reader = new StackReader(cubes, task, strips && new StripCache(task, strips));
  const source: StackSource = {
    spec: task.spec,
    traits: traitsOf(task),
    reader,
    state: { since, keeps, saved, keep },
  };
  return {
    source,
    close: async () => {
      await state?.close();
      await cubes.close();
    },
  };
}

async function pass(job: PassJob): Promise<void> {
  const { source } = await open!;
  const part = await workOff(source, job, { next, seen: (pixels) => tell({ kind: 'seen', pixels }) });
  tell({ kind: 'done', part });
}

crew.on('message', (message: ToPassThread) => {
  // What any of these throws ends the thread, and so the pass.
  if (message.kind === 'stack') open = opened(message.stack);
  else if (message.kind === 'pass') void pass(message.job);
  else if (message.kind === 'kept') keeping.shift()!();
  else void open?.then(({ close }) => close());
});
