import { Worker } from 'node:worker_threads';
import { scratchBytes } from '../../src/change/kernel/kernel-instance.ts';
import type { KernelSpec } from '../../src/change/kernel/kernel-layout.ts';
import type { StripViews } from '../../src/change/kernel/strip-buffers.ts';
import { type KernelRules, openKernel, type StateViews } from '../../src/change/kernel/strip-kernel.ts';
import type { StripJob, StripThreadData } from './strip-thread.ts';
import { threadFile } from '../../src/base/thread-file.ts';

/**
 * Threads that fit and update strips of pixels in memory shared with the caller, which is never blocked. One job
 * runs at a time; each thread takes the next chunk of pixels when it has finished one. Results do not depend on the
 * number of threads.
 */
export class StripPool {
  readonly views: StripViews;
  readonly state: StateViews | null;
  readonly #threads: readonly Worker[];
  /** Next pixel of the running job. */
  readonly #next: Int32Array;
  #busy = false;
  #failure: Error | undefined;

  /** @throws RangeError on a spec that the kernel does not accept */
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
      // A thread's failure fails the running job and every later one.
      thread.on('error', (error) => (this.#failure = error as Error));
      return thread;
    });
  }

  /** As `StripKernel.fit`. @throws the error of a thread */
  fit(pixels: number, from: number, to: number, begins = false): Promise<void> {
    return this.#run({ kind: 'fit', pixels, from, to, begins });
  }

  /** As `StripKernel.update`. @throws the error of a thread */
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
      const ended = (code: number): void =>
        settle(() => reject(this.#failure ?? new Error(`a kernel thread ended with code ${code}`)));
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
