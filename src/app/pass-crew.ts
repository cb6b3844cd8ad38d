import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { ChangeTask } from './find-changes.ts';
import type { FromPassThread, PassThreadData, ToPassThread } from './pass-thread.ts';
import { type PassJob, type PassKind, type StackPasses, type StackSource, workOff } from './stack-pass.ts';

/** Who goes over a stack, pass by pass: the parts of a pass are merged by who asked for it. */
export interface PassCrew {
  run<K extends PassKind>(job: PassJob<K>): Promise<readonly StackPasses[K]['part'][]>;
}

/** The calling thread alone: for a stack that is done before a thread has started. */
export function crewOfOne(
  { since, keeps }: ChangeTask,
  source: StackSource,
  seen: (pixels: number) => void,
): PassCrew {
  return {
    run: async (job) => [await workOff(source, job, { since, keeps, next: new Int32Array(1), seen })],
  };
}

/**
 * Threads that share the strips of each pass, over one stack after the other; they end with the thread that started them.
 * What they find together does not depend on their number: counts are sums, and events are put in order.
 */
export class CrewOfThreads implements PassCrew {
  readonly #threads: Worker[] = [];
  /** Those of them that go over the present stack. */
  #crew: readonly Worker[] = [];
  readonly #next = new Int32Array(new SharedArrayBuffer(4));
  #seen: (pixels: number) => void = () => undefined;

  /**
   * Turns so many threads to a stack, starting those that are missing.
   * @param connect is given, for each thread, the end of a port that its series are to be read by
   */
  turnTo(
    task: ChangeTask,
    threads: number,
    connect: (port: MessagePort) => void,
    seen: (pixels: number) => void,
  ): void {
    this.#seen = seen;
    // Run from its sources or from its build, the thread's file lies beside this one.
    const file = import.meta.url.endsWith('.ts') ? './pass-thread.ts' : './pass-thread.js';
    const workerData: PassThreadData = { next: this.#next };
    while (this.#threads.length < threads)
      this.#threads.push(new Worker(new URL(file, import.meta.url), { workerData }));
    this.#crew = this.#threads.slice(0, threads);
    for (const thread of this.#crew) {
      const { port1, port2 } = new MessageChannel();
      connect(port2);
      thread.postMessage({ kind: 'stack', task, port: port1 } satisfies ToPassThread, [port1]);
    }
  }

  /** @throws what a thread threw */
  async run<K extends PassKind>(job: PassJob<K>): Promise<readonly StackPasses[K]['part'][]> {
    this.#next[0] = 0;
    return await Promise.all(this.#crew.map((thread) => this.#runOn(thread, job)));
  }

  #runOn<K extends PassKind>(thread: Worker, job: PassJob<K>): Promise<StackPasses[K]['part']> {
    return new Promise((resolve, reject) => {
      const hear = (message: FromPassThread): void => {
        if (message.kind === 'seen') {
          this.#seen(message.pixels);
          return;
        }
        thread.off('message', hear).off('error', reject);
        resolve(message.part);
      };
      thread.on('message', hear).on('error', reject);
      thread.postMessage({ kind: 'pass', job: job as PassJob } satisfies ToPassThread);
    });
  }
}
