import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UpstreamUnavailable } from '../base/errors.ts';
import { WriteFailed } from './write-failed.ts';

/** Held while a cube's logs or its manifest are changed. */
export const WRITER_LOCK = 'writer.lock';
/** Held while full logs are turned into segments, which others need not wait for. */
export const CLOSER_LOCK = 'closer.lock';
/** A lock of another machine is given up when its holder has not touched it for so long [ms]. */
const FOREIGN_STALE_MS = 120_000;
/** How often a holder tells that it is alive [ms]: a repair or a backup may hold a lock for longer than that. */
const TOUCH_MS = 30_000;
/** A guard is held for microseconds; one of this age was left by a crash [ms]. */
const GUARD_STALE_MS = 10_000;
/** First and longest pause between two tries [ms]. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/** Who holds a lock: a process is its number and the time it started, since numbers are used again. */
interface Holder {
  /** Of this time of holding it. */
  readonly id?: string;
  readonly pid: number;
  readonly started: string | null;
  readonly host: string;
}

function code(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** When a process started, in the kernel's ticks; null where the system does not tell. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces: field 22 is the 20th after it (proc(5)).
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: alive, but another user's.
    if (code(error) === 'ESRCH') return false;
  }
  const started = startOf(holder.pid);
  return started === null || holder.started === null || started === holder.started;
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (code(error) !== 'ENOENT') throw error;
  }
}

/** Makes a file with its content at once, or answers false when one of that name is there. */
function createWhole(path: string, content: string): boolean {
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, content);
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (code(error) === 'EEXIST') return false;
    if (code(error) === 'ENOENT') throw error;
    throw new WriteFailed(path, error);
  } finally {
    unlinkIfThere(temporary);
  }
}

function readHolder(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch (error) {
    if (code(error) === 'ENOENT') return null;
    // A power cut can leave an empty file; it counts as another machine's, and so by its age.
    if (error instanceof SyntaxError) return { pid: 0, started: null, host: '' };
    throw error;
  }
}

function ageMs(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
}

/** Whether the lock file's holder is gone. */
function isStale(path: string, holder: Holder): boolean {
  return holder.host === hostname() ? !isAlive(holder) : ageMs(path) > FOREIGN_STALE_MS;
}

/**
 * Removes a stale lock. Under a guard file, so that of two processes that find it stale the slower one cannot remove
 * the fresh lock of the faster.
 */
function removeStale(path: string): void {
  const guard = `${path}.guard`;
  if (!createWhole(guard, '')) {
    if (ageMs(guard) > GUARD_STALE_MS) unlinkIfThere(guard);
    return;
  }
  try {
    const holder = readHolder(path);
    if (holder !== null && isStale(path, holder)) unlinkIfThere(path);
  } finally {
    unlinkIfThere(guard);
  }
}

/** A right to change one cube, held by at most one process at a time. */
export class WriterLock {
  readonly #path: string;
  readonly #id: string;
  readonly #touching: NodeJS.Timeout;

  private constructor(path: string, id: string) {
    this.#path = path;
    this.#id = id;
    this.#touching = setInterval(() => {
      try {
        this.touch();
      } catch {
        // It went with its folder, or the disk is away: who holds it finds out.
      }
    }, TOUCH_MS).unref();
  }

  /** Takes the lock if nobody has it; null when somebody has. */
  static tryTake(folder: string, name: string): WriterLock | null {
    const path = join(folder, name);
    const id = randomUUID();
    const mine: Holder = { id, pid: process.pid, started: startOf(process.pid), host: hostname() };
    const take = (): WriterLock | null =>
      createWhole(path, JSON.stringify(mine)) ? new WriterLock(path, id) : null;
    const taken = take();
    if (taken !== null) return taken;
    const holder = readHolder(path);
    if (holder === null || !isStale(path, holder)) return null;
    removeStale(path);
    return take();
  }

  /**
   * Waits until no other process holds the lock.
   * @throws UpstreamUnavailable when another still does after `timeoutMs`
   */
  static async take(folder: string, name: string, timeoutMs: number): Promise<WriterLock> {
    const deadline = performance.now() + timeoutMs;
    let pause = FIRST_PAUSE_MS;
    for (;;) {
      const lock = WriterLock.tryTake(folder, name);
      if (lock !== null) return lock;
      if (performance.now() > deadline) {
        const holder = readHolder(join(folder, name));
        throw new UpstreamUnavailable(
          `the cube in ${folder} is being written by process ${holder?.pid ?? 'unknown'} on ${holder?.host ?? 'this machine'}`,
        );
      }
      await sleep(pause);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  }

  /** Tells other machines that the holder is alive; needed in work that holds the event loop for a minute. */
  touch(): void {
    const now = new Date();
    utimesSync(this.#path, now, now);
  }

  /** Lets go of it; not of another's, in a folder made anew or taken over by a machine that thought this one dead. */
  release(): void {
    clearInterval(this.#touching);
    if (readHolder(this.#path)?.id === this.#id) unlinkIfThere(this.#path);
  }
}
