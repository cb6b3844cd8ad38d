// Thread of pass-crew.ts: takes strips off passes that it shares with the other threads.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type ChangeTask, traitsOf } from './find-changes.ts';
import { StackReader } from './stack-reader.ts';
import { type PassJob, type PassKind, type StackPasses, workOff } from './stack-pass.ts';

/** What a thread starts with. */
export interface PassThreadData {
  readonly task: ChangeTask;
  /** To the thread that holds the cube. */
  readonly port: MessagePort;
  /** Next strip of the pass under way, shared with the other threads. */
  readonly next: Int32Array;
}

/** What it answers a pass with: pixels seen, now and then, and at last what came of them. */
export type FromPassThread =
  | { readonly kind: 'seen'; readonly pixels: number }
  | { readonly kind: 'done'; readonly part: StackPasses[PassKind]['part'] };

const crew = parentPort!;
const { task, port, next } = workerData as PassThreadData;
const source = { spec: task.spec, traits: traitsOf(task), reader: new StackReader(port, task.series) };

function tell(message: FromPassThread): void {
  crew.postMessage(message);
}

crew.on('message', (job: PassJob) => {
  const run = {
    since: task.since,
    keeps: task.keeps,
    next,
    seen: (pixels: number) => tell({ kind: 'seen', pixels }),
  };
  // What it throws ends the thread, and so the run.
  void workOff(source, job, run).then((part) => tell({ kind: 'done', part }));
});
