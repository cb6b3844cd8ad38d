import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/**
 * Time [ms] after which an idle thread is ended and its memory is freed. Idle threads are kept, because compiling the
 * code of a new thread takes up to a second of processor time, as much as a small task.
 */
const IDLE_MS = 30_000;
/** Maximum number of idle threads of one file. When no thread is idle, a task starts a new one. */
const MAX_IDLE = 2;

/**
 * Size of the older part of a heap, buffers included, up to which V8 does not collect all garbage of a thread [MB]. By
 * default it begins at some megabytes, so that a search of a small stack, which makes 30 MB of buffers, paid for one or
 * two collections. They took a tenth of its processor time (bench/results/machines.md). Threads have no option
 * for it.
 */
const FIRST_HEAP_MB = 64;
setFlagsFromString(`--initial-old-space-size=${FIRST_HEAP_MB}`);

/** An idle thread. */
interface Idle {
  readonly thread: Worker;
  readonly detach: () => void;
}

/** A pool of threads that run one file. Each thread runs one task at a time and is then kept for the next task. */
export class WarmThreads {
  readonly #file: URL;
  readonly #limits: ResourceLimits;
  readonly #idle: Idle[] = [];

  /**
   * @param file URL of the thread's code
   * @param limits limits of the heap of each thread, if not those of Node
   */
  constructor(file: URL, limits: ResourceLimits = {}) {
    this.#file = file;
    this.#limits = limits;
  }

  /** Returns an idle thread, or a new one. The caller gives it back or ends it. */
  take(): Worker {
    const warm = this.#idle.pop();
    if (warm !== undefined) {
      warm.detach();
      warm.thread.ref();
      return warm.thread;
    }
    return new Worker(this.#file, { resourceLimits: this.#limits });
  }

  /** Takes back a thread whose task ended without an error. Idle threads do not prevent the process from ending. */
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
