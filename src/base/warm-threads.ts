import { Worker } from 'node:worker_threads';

/**
 * How long a thread waits for the next task before it ends, and its memory with it [ms]: it takes up to a second of processor
 * time until the code of a new one is compiled, as much as a small task takes itself.
 */
const IDLE_MS = 30_000;
/** Threads of one file that wait at most: a task that finds none starts one. */
const MOST_WAITING = 2;

/** A thread that waits for a task. */
interface Waiting {
  readonly thread: Worker;
  readonly leave: () => void;
}

/** Threads of one file, lent to one task at a time and kept for the next. */
export class WarmThreads {
  readonly #file: URL;
  readonly #waiting: Waiting[] = [];

  /** @param file of the thread */
  constructor(file: URL) {
    this.#file = file;
  }

  /** A thread that nobody else has, one that has worked before where one waits. */
  take(): Worker {
    const warm = this.#waiting.pop();
    if (warm !== undefined) {
      warm.leave();
      warm.thread.ref();
      return warm.thread;
    }
    return new Worker(this.#file);
  }

  /** Takes a thread back whose task is over and did not fail. It keeps no process alive. */
  giveBack(thread: Worker): void {
    if (this.#waiting.length >= MOST_WAITING) {
      void thread.terminate();
      return;
    }
    const end = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      one.leave();
      void thread.terminate();
    };
    const timer = setTimeout(end, IDLE_MS).unref();
    const one: Waiting = {
      thread,
      leave: () => {
        clearTimeout(timer);
        thread.off('error', end).off('exit', end);
      },
    };
    thread.on('error', end).on('exit', end).unref();
    this.#waiting.push(one);
  }
}
