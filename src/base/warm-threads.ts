import { Worker } from 'node:worker_threads';

/**
 * How long an idle thread is kept before it is ended and its memory freed [ms]. Compiling the code of a new thread
 * takes up to a second of processor time, as much as a small task.
 */
const IDLE_MS = 30_000;
/** Most idle threads of one file; a task that finds none starts a new one. */
const MAX_IDLE = 2;

/** An idle thread. */
interface Idle {
  readonly thread: Worker;
  readonly detach: () => void;
}

/** A pool of threads of one file. Each serves one task at a time and is kept for the next. */
export class WarmThreads {
  readonly #file: URL;
  readonly #idle: Idle[] = [];

  /** @param file URL of the thread's code */
  constructor(file: URL) {
    this.#file = file;
  }

  /** Lends an idle thread, or a new one. */
  take(): Worker {
    const warm = this.#idle.pop();
    if (warm !== undefined) {
      warm.detach();
      warm.thread.ref();
      return warm.thread;
    }
    return new Worker(this.#file);
  }

  /** Takes back a thread whose task ended without an error. Idle threads do not keep the process alive. */
  giveBack(thread: Worker): void {
    if (this.#idle.length >= MAX_IDLE) {
      void thread.terminate();
      return;
    }
    const end = (): void => {
      this.#idle.splice(this.#idle.indexOf(one), 1);
      one.detach();
      void thread.terminate();
    };
    const timer = setTimeout(end, IDLE_MS).unref();
    const one: Idle = {
      thread,
      detach: () => {
        clearTimeout(timer);
        thread.off('error', end).off('exit', end);
      },
    };
    thread.on('error', end).on('exit', end).unref();
    this.#idle.push(one);
  }
}
