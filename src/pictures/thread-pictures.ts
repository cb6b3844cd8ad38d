import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { PictureCall, PictureMaker, PictureOf, PictureTask } from '../app/pictures/picture-maker.ts';
import type { CubeAddress } from '../app/series/cube-store.ts';
import { NotFound } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import { threadFile } from '../base/thread-file.ts';
import { WarmThreads } from '../base/warm-threads.ts';
import { KeptPictures } from './kept-pictures.ts';
import type { PictureOutcome } from './picture-outcome.ts';

/** How long an account waits for a thread [ms]. */
const WAIT_MS = 10_000;

/** Tasks whose results are not kept: what changes without its name, what others keep, and what is read once. */
const UNKEPT: ReadonlySet<PictureTask['kind']> = new Set(['clearness', 'palette', 'block']);

/** Makes pictures in worker threads. Accounts share the threads. The last pictures are kept. */
export class ThreadPictures implements PictureMaker {
  readonly #cubes: CubeAddress;
  readonly #threads = new WarmThreads(threadFile('picture-thread', import.meta.url));
  readonly #places = new FairQueue(
    Math.max(2, availableParallelism()),
    'threads for pictures of this account',
    WAIT_MS,
  );
  readonly #kept = new KeptPictures();
  readonly #running = new Set<Worker>();
  #closed = false;

  constructor(cubes: CubeAddress) {
    this.#cubes = cubes;
  }

  async make<const T extends PictureTask>(accountId: string, task: T): Promise<PictureOf<T>> {
    const name = UNKEPT.has(task.kind) ? null : JSON.stringify(task);
    const kept = name === null ? undefined : this.#kept.get(name);
    if (kept !== undefined) return kept as PictureOf<T>;
    const picture = await this.#places.with(accountId, () => this.#inThread({ cubes: this.#cubes, task }));
    if (name !== null && ArrayBuffer.isView(picture)) this.#kept.keep(name, picture);
    return picture as PictureOf<T>;
  }

  /** Ends the threads. Tasks under way fail. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running].map((thread) => thread.terminate()));
  }

  async #inThread(call: PictureCall): Promise<PictureOf<PictureTask>> {
    if (this.#closed) throw new Error('pictures are made no more: the service stops');
    const thread = this.#threads.take();
    this.#running.add(thread);
    let outcome: PictureOutcome;
    try {
      outcome = await answerOf(thread, call);
    } catch (error) {
      void thread.terminate();
      throw error;
    } finally {
      this.#running.delete(thread);
    }
    if (this.#closed) void thread.terminate();
    else this.#threads.giveBack(thread);
    if (outcome.kind === 'absent') throw new NotFound(outcome.message);
    if (outcome.kind === 'failed') throw outcome.error;
    return outcome.picture;
  }
}

function answerOf(thread: Worker, call: PictureCall): Promise<PictureOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<PictureOutcome>();
  const ended = (code: number): void => reject(new Error(`the picture thread ended with code ${code}`));
  thread.once('message', resolve).once('error', reject).once('exit', ended);
  thread.postMessage(call);
  return promise.finally(() => thread.off('message', resolve).off('error', reject).off('exit', ended));
}
