import { Worker } from 'node:worker_threads';
import { scratchBytes } from '../../src/change/kernel/kernel-instance.ts';
import type { KernelSpec } from '../../src/change/kernel/kernel-layout.ts';
import type { StripViews } from '../../src/change/kernel/strip-buffers.ts';
import { type KernelRules, openKernel, type StateViews } from '../../src/change/kernel/strip-kernel.ts';
import type { StripJob, StripThreadData } from './strip-thread.ts';
import { threadFile } from '../../src/base/thread-file.ts';

/**
 * Pool of threads that fit and update strips of pixels in memory that they share with the caller. The caller is never
 * blocked. One job runs at a time; a thread that has finished a chunk of pixels takes the next chunk. Results do not
 * depend on the number of threads.
 */
export class StripPool {
  readonly views: StripViews;
  readonly state: StateViews | null;
  readonly #threads: readonly Worker[];
  /** Index of the next pixel of the running job that no thread has taken yet, in shared memory. */
  readonly #next: Int32Array;
  #busy = false;
  #failure: Error | undefined;

  /** @throws RangeError for a spec that the kernel does not accept */
  constructor(spec: Omit<KernelSpec, 'monitors'>, rules: KernelRules, threads: number) {
    const { memory, layout, views, state } = openKernel(spec, rules);
    const next = memory.allocate(4);
    this.#next = memory.int32(next, 1);
    this.views = views;
    this.state = state;
    this.#threads = Array.from({ length: threads }, () => {
      const scratch = memory.allocate(scratchBytes(layout.tables.times));
      const workerData: StripThreadData = { memory: memory.memory, layout, rules, scratch, next };
      const thread = new Worker(threadFile('strip-thread', import.meta.url), { workerData });
      // When a thread fails or ends, the running job and every later job fail.
      thread.on('error', (error) => (this.#failure = error as Error));
      thread.on('exit', (code) => (this.#failure ??= new Error(`a kernel thread ended with code ${code}`)));
      return thread;
    });
  }

  /** Runs `StripKernel.fit` on all threads. @throws the error of a thread that failed */
  fit(pixels: number, from: number, to: number, begins = false): Promise<void> {
    return this.#run({ kind: 'fit', pixels, from, to, begins });
  }

  /** Runs `StripKernel.update` on all threads. @throws the error of a thread that failed */
  update(pixels: number, scene: number, fully: boolean): Promise<void> {
    return this.#run({ kind: 'update', pixels, scene, fully });
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  async #run(job: StripJob): Promise<void> {
    if (this.#busy) throw new RangeError('the pool has a job under way');
    this.#busy = true;
    this.#next[0] = 0;
    try {
      await Promise.all(this.#threads.map((thread) => this.#runOn(thread, job)));
    } finally {
      this.#busy = false;
    }
  }

  #runOn(thread: Worker, job: StripJob): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        thread.off('message', done);
        thread.off('exit', ended);
        finish();
      };
      const done = (): void => settle(resolve);
      const ended = (): void => settle(() => reject(this.#failure!));
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      thread.on('message', done);
      thread.on('exit', ended);
      thread.postMessage(job);
    });
  }
}
