import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportJournal } from '../app/bundles/bundle.ts';
import { replaceFile } from '../base/durable-file.ts';

interface Entry {
  readonly pid: number;
  readonly collectionIds: readonly string[];
}

/**
 * Imports under way, a file each.
 * @param folder folder of the files; it is made at the first import
 */
export function importJournal(folder: string): ImportJournal {
  const pathOf = (id: string): string => join(folder, `${id}.json`);
  return {
    async left() {
      const found = [];
      for (const name of await readdir(folder).catch(() => [])) {
        if (!name.endsWith('.json')) continue;
        const { pid, collectionIds } = JSON.parse(await readFile(join(folder, name), 'utf8')) as Entry;
        if (!isRunning(pid)) found.push({ id: name.slice(0, -'.json'.length), collectionIds });
      }
      return found;
    },
    async begin(collectionIds) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const id = randomUUID();
      await replaceFile(pathOf(id), JSON.stringify({ pid: process.pid, collectionIds } satisfies Entry));
      return id;
    },
    end: (id) => rm(pathOf(id), { force: true }),
  };
}

/** Whether a process runs. Another one may have got its number; then what is left stays until that one has ended. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
