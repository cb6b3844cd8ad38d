import type { Worker } from 'node:worker_threads';
import type { ChangeTask } from './change-task.ts';
import type { FoundChange } from './found-change.ts';
import { SEARCH_HEAP } from './search-heap.ts';
import type { FromSearchThread, HelpOrder, SearchOrder, ToSearchThread } from './search-messages.ts';
import type { CubeAddress } from '../../series/cube-store.ts';
import { ALONE, type UnitTurns } from './unit-turns.ts';
import { isScenesChanged, ScenesChanged } from './scenes-changed.ts';
import { WarmThreads } from '../../../base/warm-threads.ts';
import { threadFile } from '../../../base/thread-file.ts';

const searchers = new WarmThreads(threadFile('change-thread', import.meta.url), SEARCH_HEAP);

/** Maximum time [ms] for a thread to discard a half-written state. After this time the thread is terminated. */
const STOP_MS = 5000;

/** Options for a search. */
export interface ChangeRun {
  readonly cubes: CubeAddress;
  readonly progress: (done: number, total: number) => void;
  /** Number of threads; undefined: derived from the size of the stack. */
  readonly threads?: number | undefined;
  /** Decides which units of the search this process runs; undefined: all. */
  readonly turns?: UnitTurns | undefined;
  /** Aborts the search. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the change monitor over a stack. Worker threads open the cubes themselves, so the event loop is not blocked
 * and the stack need not fit in memory. The result does not depend on the number of threads, nor on whether the
 * search resumed from a saved state, nor on who ran its units.
 * @returns the changes found in each group
 * @throws ScenesChanged when the scenes of the cubes do not match the task; any other error of the monitor or the
 * cubes, with its name, code and message; the abort reason of the signal
 */
export async function findChanges(
  task: ChangeTask,
  { cubes, progress, threads, turns, signal }: ChangeRun,
): Promise<readonly (readonly FoundChange[])[]> {
  const changes = task.groups.map((): FoundChange[] => []);
  const order: SearchOrder = { task, cubes, threads, isShared: turns !== undefined };
  await inThread({ kind: 'search', order }, { turns, signal }, (message, thread) => {
    if (message.kind === 'progress') progress(message.done, message.total);
    if (message.kind !== 'found') return;
    changes[message.group]!.push(...message.changes);
    thread.postMessage({ kind: 'more' } satisfies ToSearchThread);
  });
  return changes;
}

/**
 * Runs units of a search that another process leads, until none is free. Does nothing when the search is over.
 * @throws as `findChanges`
 */
export async function helpWithSearch(
  order: HelpOrder,
  { turns, signal }: Pick<ChangeRun, 'turns' | 'signal'>,
): Promise<void> {
  await inThread({ kind: 'help', order }, { turns, signal }, () => undefined);
}

/** Runs an order in a search thread. @param hear is called with what the thread says, until it is over */
async function inThread(
  order: ToSearchThread,
  { turns, signal }: Pick<ChangeRun, 'turns' | 'signal'>,
  hear: (message: FromSearchThread, thread: Worker) => void,
): Promise<void> {
  signal?.throwIfAborted();
  const thread = searchers.take();
  const over = new AbortController();
  const holding = new HeldTurns(turns ?? ALONE, thread);
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (error: unknown): void => reject(isScenesChanged(error) ? new ScenesChanged() : error);
      const ended = (code: number): void => reject(new Error(`the monitor's thread ended with code ${code}`));
      const heard = (message: FromSearchThread): void => {
        if (message.kind === 'over') resolve();
        else if (message.kind === 'take' || message.kind === 'given back') holding.hear(message, fail);
        else hear(message, thread);
      };
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { signal: over.signal });
      thread.on('error', fail).on('exit', ended).on('message', heard);
      // `removeAllListeners` would also remove the internal listeners of Worker.
      over.signal.addEventListener('abort', () =>
        thread.off('error', fail).off('exit', ended).off('message', heard),
      );
      thread.postMessage(order);
    });
    over.abort();
    searchers.giveBack(thread);
  } catch (error) {
    over.abort();
    await stopped(thread);
    await holding.giveAllBack();
    throw error;
  }
}

/** The turns that a search thread has. */
class HeldTurns {
  readonly #turns: UnitTurns;
  readonly #thread: Worker;
  readonly #held = new Set<string>();
  #search = '';

  constructor(turns: UnitTurns, thread: Worker) {
    this.#turns = turns;
    this.#thread = thread;
  }

  /** Answers the thread. @param fail is called when the turn of a unit cannot be decided */
  hear(
    message: Extract<FromSearchThread, { kind: 'take' | 'given back' }>,
    fail: (error: unknown) => void,
  ): void {
    void this.#answer(message).catch(fail);
  }

  /** Gives back the turns of a search that failed. */
  async giveAllBack(): Promise<void> {
    for (const unit of this.#held) await this.#turns.giveBack(this.#search, unit).catch(() => undefined);
  }

  async #answer(message: Extract<FromSearchThread, { kind: 'take' | 'given back' }>): Promise<void> {
    if (message.kind === 'given back') {
      this.#held.delete(message.unit);
      await this.#turns.giveBack(message.search, message.unit);
      return;
    }
    this.#search = message.search;
    const unit = await this.#turns.take(message.search, message.units);
    if (unit !== undefined) this.#held.add(unit);
    this.#thread.postMessage({ kind: 'taken', unit } satisfies ToSearchThread);
  }
}

/** Asks a thread to exit, waits until it has ended, and terminates it if this takes longer than `STOP_MS`. */
async function stopped(thread: Worker): Promise<void> {
  thread.on('error', () => undefined); // errors of a thread that is being stopped are ignored
  thread.postMessage({ kind: 'stop' } satisfies ToSearchThread);
  const last = setTimeout(() => void thread.terminate(), STOP_MS);
  if (thread.threadId !== -1) await new Promise((resolve) => thread.once('exit', resolve));
  clearTimeout(last);
}
