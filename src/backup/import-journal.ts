import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ImportJournal } from '../app/bundles/bundle.ts';
import { replaceFile } from '../base/durable-file.ts';

/** Interval at which an import says that it runs, and silence after which one of another machine is dead [ms]. */
const BEAT_MS = 60_000;
const DEAD_MS = 30 * 60_000;

interface Entry {
  /** The import, or the process that removes what it left. */
  readonly owner: string;
  readonly pid: number;
  /** The machine or container whose processes have such numbers. */
  readonly machine: string;
  readonly collectionIds: readonly string[];
  /** Time of the latest sign of life, by the clock of that machine. It makes each text of an entry another one. */
  readonly saidMs: number;
}

/** Where imports under way are written down, by id. */
export interface ImportEntries {
  /** All entries, and the time since each was written [ms]. */
  list(): Promise<readonly { readonly id: string; readonly ageMs: number; readonly text: string }[]>;
  write(id: string, text: string): Promise<void>;
  /**
   * Replaces an entry whose text is still what it was. One that was removed stays so.
   * @returns whether it did
   */
  replace(id: string, isStill: (text: string) => boolean, text: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}

/** Entries of this process. One with its number that is not among them was left by a process before it. */
const own = new Set<string>();

interface Held {
  readonly owner: string;
  readonly collectionIds: readonly string[];
  readonly beats?: NodeJS.Timeout;
  /** The latest sign of life. The next one waits for it. */
  said: Promise<unknown>;
}

/** Imports under way. */
export function importJournal(entries: ImportEntries): ImportJournal {
  const holds = new Map<string, Held>();
  const hold = (id: string, held: Held): void => void (own.add(id), holds.set(id, held));
  const textOf = ({ owner, collectionIds }: Pick<Held, 'owner' | 'collectionIds'>): string =>
    JSON.stringify({
      owner,
      pid: process.pid,
      machine: thisMachine(),
      collectionIds,
      saidMs: Date.now(),
    } satisfies Entry);
  const say = async (id: string): Promise<boolean> => {
    const held = holds.get(id);
    if (held === undefined) return false;
    const isStill = (text: string): boolean => (JSON.parse(text) as Entry).owner === held.owner;
    const saying = held.said.then(() => entries.replace(id, isStill, textOf(held)));
    held.said = saying.catch(() => undefined); // one that fails is made up for by the next
    return saying;
  };
  return {
    async left() {
      const found = [];
      for (const { id, ageMs, text } of await entries.list()) {
        const { pid, machine, collectionIds } = JSON.parse(text) as Entry;
        const isOver = machine === thisMachine() ? !isRunning(id, pid) : ageMs > DEAD_MS;
        if (!isOver) continue;
        // It may have said something since, or another process may have taken it.
        const held: Held = { owner: randomUUID(), collectionIds, said: Promise.resolve() };
        if (!(await entries.replace(id, (now) => now === text, textOf(held)))) continue;
        hold(id, held);
        found.push({ id, collectionIds });
      }
      return found;
    },
    async begin(collectionIds) {
      const id = randomUUID();
      const beats = setInterval(() => void say(id).catch(() => undefined), BEAT_MS).unref();
      const held: Held = { owner: randomUUID(), collectionIds, beats, said: Promise.resolve() };
      hold(id, held);
      await entries.write(id, textOf(held));
      return id;
    },
    isHeld: say,
    async end(id) {
      const held = holds.get(id);
      clearInterval(held?.beats);
      await held?.said;
      holds.delete(id);
      own.delete(id);
      await entries.remove(id);
    },
  };
}

/**
 * Entries as files.
 * @param folder it is made at the first import
 */
export function entriesInFolder(folder: string): ImportEntries {
  const pathOf = (id: string): string => join(folder, `${id}.json`);
  return {
    async list() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
      return Promise.all(
        names.map(async (name) => ({
          id: name.slice(0, -'.json'.length),
          ageMs: Date.now() - (await stat(join(folder, name))).mtimeMs,
          text: await readFile(join(folder, name), 'utf8'),
        })),
      );
    },
    async write(id, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(pathOf(id), text);
    },
    // In two steps: two processes that find the same dead import may both remove what it left.
    async replace(id, isStill, text) {
      const now = await readFile(pathOf(id), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (now === undefined || !isStill(now)) return false;
      await replaceFile(pathOf(id), text);
      return true;
    },
    remove: (id) => rm(pathOf(id), { force: true }),
  };
}

/**
 * What has the numbers of processes: a container, or a machine since its start. Two machines may have one name, and the
 * first namespace of each has the same number.
 */
function thisMachine(): string {
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${start} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname(); // no Linux
  }
}

/** Whether a process runs. Another one may have got its number; then what is left stays until that one has ended. */
function isRunning(id: string, pid: number): boolean {
  if (pid === process.pid) return own.has(id);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
