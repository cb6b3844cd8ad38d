// Thread of strip-pool.ts: processes chunks of pixels of a job shared with the other threads.
import { parentPort, workerData } from 'node:worker_threads';
import type { KernelLayout } from '../../src/change/kernel/kernel-layout.ts';
import { type KernelRules, startInstance } from '../../src/change/kernel/strip-kernel.ts';

/** Start parameters of a thread. */
export interface StripThreadData {
  readonly memory: WebAssembly.Memory;
  readonly layout: KernelLayout;
  readonly rules: KernelRules;
  readonly scratch: number;
  /** Address of the next pixel of the running job. */
  readonly next: number;
}

/** Job of a thread, which replies with a message when no pixels are left. */
export type StripJob =
  | {
      readonly kind: 'fit';
      readonly pixels: number;
      readonly from: number;
      readonly to: number;
      readonly begins: boolean;
    }
  | { readonly kind: 'update'; readonly pixels: number; readonly scene: number; readonly fully: boolean };

/** Pixels per chunk: about a millisecond of work, and a multiple of the strips of 16. */
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
