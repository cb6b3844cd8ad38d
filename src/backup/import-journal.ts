import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ImportJournal } from '../app/bundles/bundle.ts';
import { replaceFile } from '../base/durable-file.ts';

/** Interval at which an import says that it runs, and silence after which one of another machine is dead [ms]. */
const BEAT_MS = 60_000;
const DEAD_MS = 30 * 60_000;

interface Entry {
  readonly pid: number;
  /** The machine or container whose processes have such numbers. */
  readonly machine: string;
  readonly collectionIds: readonly string[];
}

/** Where imports under way are written down, by id. */
export interface ImportEntries {
  /** All entries, and the time since each was written or touched [ms]. */
  list(): Promise<readonly { readonly id: string; readonly ageMs: number; readonly text: string }[]>;
  write(id: string, text: string): Promise<void>;
  /** Makes an entry young again. @returns whether it is there */
  touch(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}

/** Entries of this process. One with its number that is not among them was left by a process before it. */
const own = new Set<string>();

/** Imports under way. */
export function importJournal(entries: ImportEntries): ImportJournal {
  const beats = new Map<string, NodeJS.Timeout>();
  return {
    async left() {
      const found = [];
      for (const { id, ageMs, text } of await entries.list()) {
        const { pid, machine, collectionIds } = JSON.parse(text) as Entry;
        const isOver = machine === thisMachine() ? !isRunning(id, pid) : ageMs > DEAD_MS;
        if (isOver) found.push({ id, collectionIds });
      }
      return found;
    },
    async begin(collectionIds) {
      const id = randomUUID();
      own.add(id);
      const entry: Entry = { pid: process.pid, machine: thisMachine(), collectionIds };
      await entries.write(id, JSON.stringify(entry));
      // A beat that fails is made up for by the next.
      const beat = (): void => void entries.touch(id).catch(() => undefined);
      beats.set(id, setInterval(beat, BEAT_MS).unref());
      return id;
    },
    isHeld: (id) => entries.touch(id),
    async end(id) {
      clearInterval(beats.get(id));
      beats.delete(id);
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
    async touch(id) {
      return await utimes(pathOf(id), new Date(), new Date()).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return false;
          throw error;
        },
      );
    },
    remove: (id) => rm(pathOf(id), { force: true }),
  };
}

/** Containers of one host have processes with the same numbers, and a container keeps its name when it starts again. */
function thisMachine(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
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
