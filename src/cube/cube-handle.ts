import { NotFound } from '../base/errors.ts';
import type { CubeSettings } from './cube-settings.ts';
import { checkPresent, CubeView } from './cube-view.ts';
import { appendRecords, sealLog, sweepLeftovers } from './cube-writer.ts';
import { closeSealedLogs } from './log-closing.ts';
import { manifestStamp, readManifest, refuseMoved } from './manifest.ts';
import { sceneBytes } from './sample-layout.ts';
import { CLOSER_LOCK, WRITER_LOCK, WriterLock } from './writer-lock.ts';

/** Maximum number of sealed logs that wait to be turned into segments. An append that would seal another log waits. */
const MAX_SEALED = 2;
/**
 * Minimum total size of the scenes in sealed logs for which a new thread closes the logs [bytes]: 4 MiB. For smaller
 * logs, closing them in this thread is faster than starting a thread.
 */
const THREAD_BYTES = 4 * 1024 * 1024;
/**
 * Length at which a log with at least `FEWEST_SCENES` scenes is sealed [bytes]: 4 GiB. Without this limit, a cube of
 * large scenes would take much more disk space than its segments.
 */
const LOG_BYTES = 4 * 1024 ** 3;
/**
 * Minimum number of scenes in a log that is sealed because of its length. Sealing logs with fewer scenes would create
 * more segments, each of which slows down series reads.
 */
const FEWEST_SCENES = 16;
/** Maximum number of attempts to open the files of a manifest while writers replace it. */
const LOAD_TRIES = 5;

/** Result of the function that decides, under the writer's lock, which records to append to a cube. */
export interface Decision<T> {
  /** The bytes of the records, in parts. */
  readonly records: readonly Uint8Array[];
  /** Number of records. */
  readonly count: number;
  /** Value that `add` returns to its caller. */
  readonly answer: T;
}

/** State of one cube in this process: its open files and the queue of its writers. */
export class CubeHandle {
  readonly id: string;
  readonly folder: string;
  readonly #settings: CubeSettings;
  #view: CubeView | null = null;
  /** Settles when the last writer of this process is done. The next writer waits for it. */
  #writers: Promise<unknown> = Promise.resolve();
  /** Settles when the logs that are now being closed have become segments; null while this process closes no logs. */
  #closing: Promise<void> | null = null;
  #swept = false;

  constructor(id: string, folder: string, settings: CubeSettings) {
    this.id = id;
    this.folder = folder;
    this.#settings = settings;
  }

  /** Whether files of the cube are open. */
  get isOpen(): boolean {
    return this.#view !== null;
  }

  /** Closes the files. Files that are being read are closed when these reads finish. */
  forget(): void {
    this.#view?.release();
    this.#view = null;
  }

  /**
   * Waits until no sealed log is being closed. A log that could not be closed remains sealed; the next writer can
   * close it.
   */
  async settle(): Promise<void> {
    await this.#closing?.catch(() => undefined);
  }

  /** Calls a function with the current state of the cube on disk. */
  use<T>(look: (view: CubeView) => T): T {
    const view = this.open();
    try {
      return look(view);
    } finally {
      view.release();
    }
  }

  /** Calls a function that reads with the current state of the cube on disk, which stays open until it is done. */
  async read<T>(read: (view: CubeView) => T | Promise<T>): Promise<T> {
    const view = this.open();
    try {
      return await read(view);
    } finally {
      view.release();
    }
  }

  /** Opens the current state of the cube on disk. The caller must release it. @throws NotFound if there is no cube */
  open(): CubeView {
    for (let tries = 1; ; tries++) {
      const stamp = manifestStamp(this.folder);
      if (stamp === null) {
        this.forget();
        refuseMoved(this.folder);
        throw new NotFound(`there is no cube ${this.id}`);
      }
      if (this.#view?.stamp === stamp) {
        this.#view.refresh();
        return this.#view.hold();
      }
      try {
        const view = new CubeView(
          this.folder,
          readManifest(this.folder),
          stamp,
          this.#settings.caches,
          this.#view,
        );
        this.forget();
        this.#view = view;
        return view.hold();
      } catch (error) {
        // A file may be missing because a writer replaced the manifest, and deleted files, after the manifest was read
        // here.
        if (!isMissing(error)) throw error;
        if (tries === LOAD_TRIES) {
          checkPresent(this.folder, readManifest(this.folder));
          throw error;
        }
      }
    }
  }

  /** Runs work when the earlier writers of this process are done. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writers.then(work);
    this.#writers = result.catch(() => undefined);
    return result;
  }

  /** Runs work under the writer's lock, so that no other process writes. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    let lock: WriterLock;
    try {
      lock = await WriterLock.take(this.folder, WRITER_LOCK, this.#settings.lockTimeoutMs);
    } catch (error) {
      if (isMissing(error)) throw new NotFound(`there is no cube folder ${this.folder}`);
      throw error;
    }
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  /**
   * Runs work, with all files of this process closed, while no process appends or closes logs.
   * @throws NotFound if there is no folder
   */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    let closer: WriterLock;
    try {
      // The locks are taken in the same order as when a log is closed, so that no deadlock occurs.
      closer = await WriterLock.take(this.folder, CLOSER_LOCK, this.#settings.lockTimeoutMs);
    } catch (error) {
      if (isMissing(error)) throw new NotFound(`there is no cube folder ${this.folder}`);
      throw error;
    }
    try {
      return await this.locked(() => {
        this.forget();
        return work();
      });
    } finally {
      closer.release();
    }
  }

  /** Appends records under the writer's lock. Seals the log first when it is full. */
  async add<T>(decide: () => Decision<T>): Promise<T> {
    while (this.use((view) => view.logs.length > MAX_SEALED && this.#isFull(view))) {
      await this.#startClosing();
    }
    const answer = await this.locked(async () => {
      const decided = decide();
      if (decided.count === 0) return decided.answer;
      await this.#sweep();
      if (this.use((view) => this.#isFull(view))) await sealLog(this.folder, readManifest(this.folder));
      const view = this.open();
      try {
        await appendRecords(view.log, view.spec, decided.records, decided.count);
        view.refresh();
      } finally {
        view.release();
      }
      return decided.answer;
    });
    if (this.use((view) => view.logs.length > 1)) {
      // A failure is ignored here, because a later append tries to close the logs again. If too many logs are sealed
      // by then, that append waits and may fail.
      this.#startClosing().catch(() => undefined);
    }
    return answer;
  }

  #isFull(view: CubeView): boolean {
    const { records, head } = view.log;
    return (
      records.length >= this.#settings.closeAt || (records.length >= FEWEST_SCENES && head.end >= LOG_BYTES)
    );
  }

  /** Turns sealed logs into segments. Small logs are closed in this thread, others in a new thread. */
  #startClosing(): Promise<void> {
    this.#closing ??= this.#closeLogs().finally(() => {
      this.#closing = null;
    });
    return this.#closing;
  }

  async #closeLogs(): Promise<void> {
    const bytes = this.use(
      (view) =>
        sceneBytes(view.spec) * view.logs.slice(0, -1).reduce((sum, log) => sum + log.records.length, 0),
    );
    const { closeInThread, lockTimeoutMs } = this.#settings;
    if (closeInThread === null || bytes < THREAD_BYTES) await closeSealedLogs(this.folder, lockTimeoutMs);
    else await closeInThread(this.folder);
  }

  /** Deletes files of crashed writers that are not in the manifest. Does this once per process. */
  async #sweep(): Promise<void> {
    if (this.#swept) return;
    // A process that is closing a log has new files that are not in the manifest yet. They must not be deleted.
    const closer = WriterLock.tryTake(this.folder, CLOSER_LOCK);
    if (closer === null) return;
    try {
      await sweepLeftovers(
        this.folder,
        this.use((view) => view.manifest),
      );
      this.#swept = true;
    } finally {
      closer.release();
    }
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
