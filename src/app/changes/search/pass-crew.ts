import { Worker } from 'node:worker_threads';
import type { FromPassThread, PassStack, PassThreadData, ToPassThread } from './pass-thread.ts';
import { type PassJob, type PassKind, type StackPasses, type StackSource, workOff } from './stack-pass.ts';
import { threadFile } from '../../../base/thread-file.ts';

/** A strip beyond the last of any stack: who asks for the next one finds none [1]. */
const NO_MORE = 2 ** 30;

/**
 * Goes over stacks, pass by pass, with other threads that share the strips and end with this one. What they find together
 * does not depend on their number: counts are sums, and events are put in order.
 */
export class PassCrew {
  /** Started for this stack or one before. */
  readonly #threads = new Set<Worker>();
  /** Those of them that go over the present stack. */
  #others: readonly Worker[] = [];
  readonly #next = new Int32Array(new SharedArrayBuffer(4));

  /** Turns so many other threads to a stack, starting those that are missing. */
  turnTo(stack: PassStack, others: number): void {
    const workerData: PassThreadData = { next: this.#next };
    while (this.#threads.size < others)
      this.#threads.add(new Worker(threadFile('pass-thread', import.meta.url), { workerData }));
    this.#others = [...this.#threads].slice(0, others);
    for (const thread of this.#others) thread.postMessage({ kind: 'stack', stack } satisfies ToPassThread);
  }

  /** Has the others let go of the stack's files. */
  leave(): void {
    for (const thread of this.#others) thread.postMessage({ kind: 'over' } satisfies ToPassThread);
    this.#others = [];
  }

  /**
   * Has everybody take strips of a pass until none is left.
   * @returns what came of it, a part for each thread. @throws what a thread threw, once all have ended
   */
  async run<K extends PassKind>(
    source: StackSource,
    job: PassJob<K>,
    seen: (pixels: number) => void,
  ): Promise<readonly StackPasses[K]['part'][]> {
    this.#next[0] = 0;
    const stop = (error: unknown): never => {
      Atomics.store(this.#next, 0, NO_MORE);
      throw error;
    };
    const working = [
      ...this.#others.map((thread) => this.#runOn(thread, source, job, seen)),
      workOff(source, job, { next: this.#next, seen }),
    ];
    const parts = await Promise.allSettled(working.map((part) => part.catch(stop)));
    return parts.map((part) => {
      if (part.status === 'rejected') throw part.reason;
      return part.value;
    });
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
            .keep(message.part, message.bytes)
            .then(() => thread.postMessage({ kind: 'kept' } satisfies ToPassThread));
        else {
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
