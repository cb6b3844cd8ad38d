import { Worker } from 'node:worker_threads';
import type { CubeJob, CubeOutcome } from './cube-messages.ts';
import { DamagedFile } from './damaged-file.ts';
import { WriteFailed } from './write-failed.ts';
import { threadFile } from '../base/thread-file.ts';

interface Waiting {
  readonly resolve: (outcome: CubeOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs jobs in a worker thread. The first job starts the thread. An idle thread does not keep the process alive. */
export class ThreadCaller {
  readonly #root: string;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | null = null;
  #last = 0;

  /** @param root folder of the cubes */
  constructor(root: string) {
    this.#root = root;
  }

  /** @throws DamagedFile, WriteFailed, or any other error of the job */
  async run(job: CubeJob): Promise<CubeOutcome> {
    const thread = (this.#thread ??= this.#start());
    const id = ++this.#last;
    const outcome = await new Promise<CubeOutcome>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      thread.ref();
      thread.postMessage({ id, job });
    });
    if (outcome.kind === 'damaged') throw new DamagedFile(outcome.path, outcome.what);
    if (outcome.kind === 'unwritten')
      throw new WriteFailed(outcome.path, Object.assign(new Error(outcome.reason), { code: outcome.code }));
    if (outcome.kind === 'failed') throw outcome.error;
    return outcome;
  }

  /** Terminates the thread. Jobs under way are aborted. */
  async stop(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    // The thread must not inherit flags of the process that are invalid for a program in a file, such as --eval.
    const thread = new Worker(threadFile('cube-thread', import.meta.url), {
      workerData: this.#root,
      execArgv: [],
    });
    const fail = (error: unknown): void => {
      if (this.#thread === thread) this.#thread = null;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    thread.on('message', ({ id, outcome }: { readonly id: number; readonly outcome: CubeOutcome }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) thread.unref();
      waiting?.resolve(outcome);
    });
    thread.on('error', fail);
    thread.on('exit', (code) => fail(new Error(`the cube thread ended with code ${code}`)));
    return thread;
  }
}
