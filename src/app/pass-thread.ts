// Thread of pass-crew.ts: takes strips off passes that it shares with the other threads.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type ChangeTask, traitsOf } from './find-changes.ts';
import { StackReader } from './stack-reader.ts';
import { type PassJob, type PassKind, type StackPasses, type StackSource, workOff } from './stack-pass.ts';

/** What a thread starts with. */
export interface PassThreadData {
  /** Next strip of the pass under way, shared with the other threads. */
  readonly next: Int32Array;
}

/** What it is told: which stack to go over from here on, and by which port the thread that holds the cube is asked; and each pass. */
export type ToPassThread =
  | { readonly kind: 'stack'; readonly task: ChangeTask; readonly port: MessagePort }
  | { readonly kind: 'pass'; readonly job: PassJob };

/** What it answers a pass with: pixels seen, now and then, and at last what came of them. */
export type FromPassThread =
  | { readonly kind: 'seen'; readonly pixels: number }
  | { readonly kind: 'done'; readonly part: StackPasses[PassKind]['part'] };

const crew = parentPort!;
const { next } = workerData as PassThreadData;
let over: { readonly task: ChangeTask; readonly source: StackSource } | undefined;

function tell(message: FromPassThread): void {
  crew.postMessage(message);
}

crew.on('message', (message: ToPassThread) => {
  if (message.kind === 'stack') {
    const { task, port } = message;
    const reader = new StackReader(port, task.series);
    over = { task, source: { spec: task.spec, traits: traitsOf(task), reader } };
    return;
  }
  const { task, source } = over!;
  const run = {
    since: task.since,
    keeps: task.keeps,
    next,
    seen: (pixels: number) => tell({ kind: 'seen', pixels }),
  };
  // What it throws ends the thread, and so the run.
  void workOff(source, message.job, run).then((part) => tell({ kind: 'done', part }));
});
