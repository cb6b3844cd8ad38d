import { createHash, randomUUID } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  lutimesSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDiskFull } from '../base/disk-full.ts';
import { UpstreamUnavailable } from '../base/errors.ts';
import { WriteFailed } from './write-failed.ts';

/** Name of the lock for changes of a cube's logs and its manifest. */
export const WRITER_LOCK = 'writer.lock';
/** Name of the lock for turning sealed logs into segments. Appends do not need it. */
export const CLOSER_LOCK = 'closer.lock';
/** Default timeout for taking a lock [ms]: longer than the repair of a 10980 x 10980 cube takes on a slow disk. */
export const LOCK_TIMEOUT_MS = 300_000;
/** A lock held by another machine is stale when its lock file is this old [ms]. Holders touch the file regularly. */
const FOREIGN_STALE_MS = 120_000;
/**
 * Interval at which a holder updates the time of its lock file [ms], so that a lock held for long does not go stale.
 */
const TOUCH_MS = 30_000;
/** Age at which a guard file counts as left by a crash [ms]; normally it exists for microseconds. */
const GUARD_STALE_MS = 10_000;
/** First pause between two attempts to take a lock [ms]; doubled after each attempt, up to `LONGEST_PAUSE_MS`. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;
/** Length of the id of a lock that is a symbolic link. */
const LINK_ID = 12;

/** Holder of a lock. A process is identified by its id and its start time, since ids are reused. */
interface Holder {
  /** Random id of this lock. */
  readonly id?: string;
  readonly pid: number;
  readonly started: string | null;
  readonly host: string;
}

function code(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Start time of a process in kernel ticks; null where the system does not report it. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The start time is field 22: the 20th after the program name, which may contain spaces (proc(5)).
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: the process is alive, but belongs to another user.
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

/** Name of a machine as the target of a link has it: of one length, and short. */
function shortHost(): string {
  return createHash('sha256').update(hostname()).digest('base64url').slice(0, 12);
}

/**
 * Text of a holder that is short enough for the target of a symbolic link. Up to 59 bytes (ext4; tmpfs and XFS have room
 * for more) are kept in the link itself, so that a lock can be taken on a disk without a free byte.
 */
function linkText({ id, pid, started }: Holder): string {
  return [id!.slice(0, LINK_ID), pid, started ?? '', shortHost()].join(':');
}

function ofLink(text: string): Holder {
  const [id, pid, started, host] = text.split(':');
  return {
    id: id!,
    pid: Number(pid),
    started: started || null,
    host: host === shortHost() ? hostname() : 'another machine',
  };
}

/** @returns false when there is a file; undefined when no link can be made, as on Windows */
function createLink(path: string, text: string): boolean | undefined {
  try {
    symlinkSync(text, path);
    return true;
  } catch (error) {
    return code(error) === 'EEXIST' ? false : undefined;
  }
}

/**
 * Creates a file in one step, so that it is never seen without its content.
 * @param short what the target of a symbolic link says instead, if the disk is full
 * @returns false when it exists already
 */
function createWhole(path: string, content: string, short?: string): boolean {
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, content);
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (code(error) === 'EEXIST') return false;
    if (code(error) === 'ENOENT') throw error;
    const made = short !== undefined && isDiskFull(error) ? createLink(path, short) : undefined;
    if (made === undefined) throw new WriteFailed(path, error);
    return made;
  } finally {
    // `unlink` would fail on a read-only file system even if the file is not there.
    rmSync(temporary, { force: true });
  }
}

function readHolder(path: string): Holder | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) return ofLink(readlinkSync(path));
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch (error) {
    if (code(error) === 'ENOENT' || code(error) === 'EINVAL') return null; // EINVAL: it is no link any more
    // A power cut can leave an empty file. It is treated like a lock of another machine, which becomes stale by age.
    if (error instanceof SyntaxError) return { pid: 0, started: null, host: '' };
    throw error;
  }
}

function ageMs(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
}

/** Whether a lock is stale: its holder has ended or, if it is on another machine, has not touched it for long. */
function isStale(path: string, holder: Holder): boolean {
  return holder.host === hostname() ? !isAlive(holder) : ageMs(path) > FOREIGN_STALE_MS;
}

/**
 * Removes a stale lock. A guard file protects this step: when two processes find the same stale lock, and one of
 * them has already replaced it by a new lock, the other must not remove the new lock.
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

/**
 * A lock file in a cube's folder, held by at most one process at a time. On a full disk it is a symbolic link, which needs
 * no space: without a lock no copy could be deleted to make some. `flock` would need none either, but Node has no call
 * for it. Where links need a right, as on Windows, a full disk stays full.
 */
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
        // The folder was removed or the disk is not available. The holder's next write to the cube will report this.
      }
    }, TOUCH_MS).unref();
  }

  /** Takes the lock; null when another holder has it. */
  static tryTake(folder: string, name: string): WriterLock | null {
    const path = join(folder, name);
    const id = randomUUID();
    const mine: Holder = { id, pid: process.pid, started: startOf(process.pid), host: hostname() };
    const take = (): WriterLock | null =>
      createWhole(path, JSON.stringify(mine), linkText(mine)) ? new WriterLock(path, id) : null;
    const taken = take();
    if (taken !== null) return taken;
    const holder = readHolder(path);
    if (holder === null || !isStale(path, holder)) return null;
    removeStale(path);
    return take();
  }

  /**
   * Waits until no other holder has the lock, then takes it.
   * @throws UpstreamUnavailable when another process still holds it after `timeoutMs`
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

  /** Shows other machines that the holder is alive. Long work that blocks the event loop must call this method. */
  touch(): void {
    const now = new Date();
    lutimesSync(this.#path, now, now);
  }

  /**
   * Releases the lock. Does nothing when the lock file now belongs to another holder, which can happen when the folder
   * was deleted and created again.
   */
  release(): void {
    clearInterval(this.#touching);
    const id = readHolder(this.#path)?.id;
    if (id === this.#id || id === this.#id.slice(0, LINK_ID)) unlinkIfThere(this.#path);
  }
}
