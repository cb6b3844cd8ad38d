// A process that tells its phases and ends itself with SIGKILL in one of them; and the thread that does so.
import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** When a process ends itself: some time after it began a phase for the nth time. */
export interface Doom {
  readonly phase: string;
  /** From 1. */
  readonly occurrence: number;
  readonly delayMs: number;
}

/** Prefix of the lines that tell a phase. */
export const PHASE_LINE = 'phase ';

/** Time to wait while the parent has not read what fills the pipe [ms]. */
const FULL_PIPE_MS = 2;

/**
 * Writes a line to the standard output at once: the parent reads it even if the process dies in the next instant. The
 * pipe does not block, and a few hundred short lines fill it where a busy machine keeps the parent from reading.
 */
function writeLine(line: string): void {
  for (;;)
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
    }
}

/**
 * Tells phases on the standard output, and carries out the doom. A thread ends the process, so that it also ends within
 * work that keeps the main thread busy.
 */
export class Phases {
  readonly #doom: Doom | undefined;
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  #seen = 0;

  /** @param doom undefined: the process is not killed */
  constructor(doom: Doom | undefined) {
    this.#doom = doom;
    if (doom === undefined) return;
    new Worker(new URL(import.meta.url), {
      workerData: { signal: this.#signal, delayMs: doom.delayMs },
    }).unref();
  }

  begin(phase: string): void {
    writeLine(`${PHASE_LINE}${phase}\n`);
    if (this.#doom?.phase !== phase || ++this.#seen !== this.#doom.occurrence) return;
    Atomics.store(this.#signal, 0, 1);
    Atomics.notify(this.#signal, 0);
  }

  /**
   * Tells the phases of an object: one while a method runs, and another after it.
   * @param phases phase of each method; methods that have none are not told
   */
  of<T extends object>(target: T, phases: Partial<Record<keyof T, string>>, after: string): T {
    return new Proxy(target, {
      get: (_, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        const method = value as (...args: unknown[]) => unknown;
        const phase = phases[key as keyof T];
        if (phase === undefined) return method.bind(target);
        return async (...args: unknown[]) => {
          this.begin(phase);
          try {
            return await method.apply(target, args);
          } finally {
            this.begin(after);
          }
        };
      },
    });
  }
}

if (!isMainThread && (workerData as { signal?: unknown } | null)?.signal !== undefined) {
  const { signal, delayMs } = workerData as { readonly signal: Int32Array; readonly delayMs: number };
  Atomics.wait(signal, 0, 0);
  if (delayMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);
  process.kill(process.pid, 'SIGKILL');
}
