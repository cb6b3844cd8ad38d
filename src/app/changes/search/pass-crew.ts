import { Worker } from 'node:worker_threads';
import type { FromPassThread, PassStack, PassThreadData, ToPassThread } from './pass-messages.ts';
import {
  type PassJob,
  type PassKind,
  type StackPasses,
  type StackSource,
  processStrips,
} from './stack-pass.ts';
import { SEARCH_HEAP } from './search-heap.ts';
import { threadFile } from '../../../base/thread-file.ts';

/** Number higher than any strip number. All threads finish the pass when it is set as the number of the next strip. */
const NO_MORE = 2 ** 30;

/**
 * Processes stacks, pass by pass, in the calling thread and in worker threads that share the strips with it. The
 * workers end together with the calling thread. The result does not depend on the number of threads: counts are
 * summed, and events are sorted.
 */
export class PassCrew {
  /** All running worker threads, also those started for an earlier stack. */
  readonly #threads = new Set<Worker>();
  /** The worker threads that process the current stack. */
  #others: readonly Worker[] = [];
  readonly #next = new Int32Array(new SharedArrayBuffer(4));

  /** Assigns a stack to `others` worker threads. Starts more worker threads if there are too few. */
  assignStack(stack: PassStack, others: number): void {
    const workerData: PassThreadData = { next: this.#next };
    while (this.#threads.size < others)
      this.#threads.add(
        new Worker(threadFile('pass-thread', import.meta.url), { workerData, resourceLimits: SEARCH_HEAP }),
      );
    this.#others = [...this.#threads].slice(0, others);
    for (const thread of this.#others) thread.postMessage({ kind: 'stack', stack } satisfies ToPassThread);
  }

  /** Makes the worker threads close the files of the stack. */
  releaseStack(): void {
    for (const thread of this.#others) thread.postMessage({ kind: 'over' } satisfies ToPassThread);
    this.#others = [];
  }

  /**
   * Runs a pass: all threads take strips until none is left.
   * @returns one result per thread. @throws the error of a thread, after all threads have finished the pass
   */
  async run<K extends PassKind>(
    source: StackSource,
    job: PassJob<K>,
    seen: (pixels: number) => void,
  ): Promise<readonly StackPasses[K]['part'][]> {
    this.#next[0] = job.strips?.first ?? 0;
    const stop = (error: unknown): never => {
      Atomics.store(this.#next, 0, NO_MORE);
      throw error;
    };
    const working = [
      ...this.#others.map((thread) => this.#runOn(thread, source, job, seen)),
      processStrips(source, job, { next: this.#next, seen }),
    ];
    const parts = await Promise.allSettled(working.map((part) => part.catch(stop)));
    return parts.map((part) => {
      if (part.status === 'rejected') throw part.reason;
      return part.value;
    });
  }

  /** Ends all worker threads, which frees their memory. The next stack starts new ones. */
  async end(): Promise<void> {
    const ended = Array.from(this.#threads, (thread) => thread.terminate());
    this.#threads.clear();
    this.#others = [];
    await Promise.all(ended);
  }

  #runOn<K extends PassKind>(
    thread: Worker,
    { state }: StackSource,
    job: PassJob<K>,
    seen: (pixels: number) => void,
  ): Promise<StackPasses[K]['part']> {
    return new Promise((resolve, reject) => {
      const settle = (): Worker => thread.off('message', hear).off('error', fail).off('exit', end);
      const hear = (message: FromPassThread): void => {
        if (message.kind === 'seen') seen(message.pixels);
        else if (message.kind === 'keep')
          void state
            .keep(message.part, message.bytes, message.note)
            .then(() => thread.postMessage({ kind: 'kept' } satisfies ToPassThread));
        else if (message.kind === 'done') {
          settle();
          resolve(message.part);
        }
      };
      const fail = (error: unknown): void => {
        settle();
        this.#threads.delete(thread);
        this.#others = this.#others.filter((other) => other !== thread);
        reject(error);
      };
      const end = (): void => fail(new Error('a thread of the search has ended'));
      thread.on('message', hear).on('error', fail).on('exit', end);
      thread.postMessage({ kind: 'pass', job: job as PassJob } satisfies ToPassThread);
    });
  }
}
