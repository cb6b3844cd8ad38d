import { Worker } from 'node:worker_threads';

/**
 * How long a thread waits for the next search before it ends, and its memory with it [ms]: with those that it starts it takes
 * about a second of processor time until its code is compiled, which a search for one scene more takes itself.
 */
const IDLE_MS = 30_000;
/** Threads that wait at most: a search that finds none starts one. */
const MOST_WAITING = 2;

/** A thread that waits for a search. */
interface Waiting {
  readonly thread: Worker;
  readonly leave: () => void;
}

const waiting: Waiting[] = [];

/** A thread of change-thread.ts that nobody else has, one that has searched before where one waits. */
export function takeChangeThread(): Worker {
  const warm = waiting.pop();
  if (warm !== undefined) {
    warm.leave();
    warm.thread.ref();
    return warm.thread;
  }
  // Run from its sources or from its build, the thread's file lies beside this one.
  const file = import.meta.url.endsWith('.ts') ? './change-thread.ts' : './change-thread.js';
  return new Worker(new URL(file, import.meta.url));
}

/** Takes a thread back whose search is over and did not fail. It keeps no process alive. */
export function giveBackChangeThread(thread: Worker): void {
  if (waiting.length >= MOST_WAITING) {
    void thread.terminate();
    return;
  }
  const end = (): void => {
    waiting.splice(waiting.indexOf(one), 1);
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
  waiting.push(one);
}
