import { NotFound } from '../base/errors.ts';
import { checkPresent, CubeView } from './cube-view.ts';
import type { CubeCaches } from './cube-view.ts';
import { appendRecords, sealLog, sweepLeftovers } from './cube-writer.ts';
import { closeSealedLogs } from './log-closing.ts';
import { manifestStamp, readManifest } from './manifest.ts';
import { sceneBytes } from './sample-layout.ts';
import { ThreadCaller } from './thread-caller.ts';
import { CLOSER_LOCK, WRITER_LOCK, WriterLock } from './writer-lock.ts';

/** Full logs that may wait for a thread to close them; an append that finds more waits for it. */
const MAX_SEALED = 2;
/** A log of fewer bytes is closed where it is, in less time than a thread takes to start: 4 MiB. */
const THREAD_BYTES = 4 * 1024 * 1024;
/** A log of large scenes is closed at this length, so that a cube does not take much more disk than its segments: 4 GiB. */
const LOG_BYTES = 4 * 1024 ** 3;
/** But not before it holds so many scenes, since each segment costs a series one more read. */
const FEWEST_SCENES = 16;
/** How often a manifest that changes under the reader is read again before it counts as an error. */
const LOAD_TRIES = 5;

/** What all cubes of one store share. */
export interface CubeSettings {
  /** Folder of all cubes. */
  readonly root: string;
  readonly caches: CubeCaches;
  /** Scenes of the open log at which it is set aside to become a segment. */
  readonly closeAt: number;
  /** How long a writer waits for another process [ms]. */
  readonly lockTimeoutMs: number;
  /** Whether large work goes to threads. */
  readonly threads: boolean;
}

/** Records to add to a cube, decided once no other process writes. */
export interface Decision<T> {
  /** Parts of whole records, one after the other. */
  readonly records: readonly Uint8Array[];
  readonly count: number;
  readonly answer: T;
}

/** One cube as this process knows it: its open files, and the order of its writers. */
export class CubeHandle {
  readonly id: string;
  readonly folder: string;
  readonly #settings: CubeSettings;
  #view: CubeView | null = null;
  /** The last writer of this process; the next waits for it. */
  #writers: Promise<unknown> = Promise.resolve();
  /** The closing of full logs that is under way in this process. */
  #closing: Promise<void> | null = null;
  #swept = false;

  constructor(id: string, folder: string, settings: CubeSettings) {
    this.id = id;
    this.folder = folder;
    this.#settings = settings;
  }

  /** Whether it holds files open. */
  get isOpen(): boolean {
    return this.#view !== null;
  }

  /** Lets go of the files; reads that are under way finish. */
  forget(): void {
    this.#view?.release();
    this.#view = null;
  }

  /** Ends once no full log is being closed. What could not be closed waits, whole, for the next writer. */
  async settle(): Promise<void> {
    await this.#closing?.catch(() => undefined);
  }

  /** Looks at the cube as it is now on disk. */
  use<T>(look: (view: CubeView) => T): T {
    const view = this.open();
    try {
      return look(view);
    } finally {
      view.release();
    }
  }

  /** The cube as it is now on disk; the caller releases it. @throws NotFound when there is none */
  open(): CubeView {
    for (let tries = 1; ; tries++) {
      const stamp = manifestStamp(this.folder);
      if (stamp === null) {
        this.forget();
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
        // The manifest was replaced, and a log deleted, between the two reads.
        if (!isMissing(error)) throw error;
        if (tries === LOAD_TRIES) {
          checkPresent(this.folder, readManifest(this.folder));
          throw error;
        }
      }
    }
  }

  /** Runs one writer of this process at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writers.then(work);
    this.#writers = result.catch(() => undefined);
    return result;
  }

  /** Runs while no other process writes. */
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

  /** Adds records while no other process writes; sets the log aside when it is full. */
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
      // Its failure shows where an append has to wait for it, and at the next attempt.
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

  /** Turns full logs into segments, in a thread unless that is little work. */
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
    if (!this.#settings.threads || bytes < THREAD_BYTES)
      return await closeSealedLogs(this.folder, this.#settings.lockTimeoutMs);
    const thread = new ThreadCaller(this.#settings.root);
    try {
      await thread.run({ kind: 'close', folder: this.folder, lockTimeoutMs: this.#settings.lockTimeoutMs });
    } finally {
      await thread.stop();
    }
  }

  /** Deletes, once a process, what a writer that crashed has left unnamed. */
  async #sweep(): Promise<void> {
    if (this.#swept) return;
    // Who is just closing a log has files that no manifest names yet.
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
