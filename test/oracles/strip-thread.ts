// Code of a thread of strip-pool.ts. It processes chunks of the pixels of a job; the other threads process the rest.
import { parentPort, workerData } from 'node:worker_threads';
import type { KernelLayout } from '../../src/change/kernel/kernel-layout.ts';
import { type KernelRules, startInstance } from '../../src/change/kernel/strip-kernel.ts';

/** Start parameters of a thread. */
export interface StripThreadData {
  readonly memory: WebAssembly.Memory;
  readonly layout: KernelLayout;
  readonly rules: KernelRules;
  readonly scratch: number;
  /** Address in `memory` of a counter: the first pixel of the running job that no thread has taken yet. */
  readonly next: number;
}

/** Job for a thread. The thread replies with a message when no pixels of the job are left. */
export type StripJob =
  | {
      readonly kind: 'fit';
      readonly pixels: number;
      readonly from: number;
      readonly to: number;
      readonly begins: boolean;
    }
  | { readonly kind: 'update'; readonly pixels: number; readonly scene: number; readonly fully: boolean };

/** Number of pixels per chunk, by kind of job: a multiple of 16, as in a strip. A chunk takes about a millisecond. */
const CHUNK = { fit: 512, update: 16_384 } as const;

const port = parentPort!;
const { memory, layout, rules, scratch, next } = workerData as StripThreadData;
const kernel = startInstance(memory, layout, rules, scratch);
const counter = new Int32Array(memory.buffer, next, 1);

port.on('message', (job: StripJob) => {
  const chunk = CHUNK[job.kind];
  for (;;) {
    const first = Atomics.add(counter, 0, chunk);
    if (first >= job.pixels) break;
    const count = Math.min(chunk, job.pixels - first);
    if (job.kind === 'fit') kernel.fit(first, count, job.from, job.to, job.begins);
    else kernel.update(first, count, job.scene, job.fully);
  }
  port.postMessage('done');
});
