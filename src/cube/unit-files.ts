import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SomeSearches } from '../app/changes/search/saved-state.ts';
import { DEAD_MS, PART_SUFFIX } from './state-file.ts';

/** End of the name of a file with the result of one unit of a search: `<search>.<unit>.unit-state`. */
const UNIT_SUFFIX = '.unit-state';

/** Name of the file of a unit in a cube's folder. Neither name may contain a dot. */
export function unitFile(search: string, unit: string): string {
  return `${search}.${unit}${UNIT_SUFFIX}`;
}

/** The search and the unit of a file; undefined when it is not the whole file of a unit. */
export function unitOfFile(name: string): { readonly search: string; readonly unit: string } | undefined {
  const [search, unit, ...end] = name.split('.');
  return `.${end.join('.')}` === UNIT_SUFFIX ? { search: search!, unit: unit! } : undefined;
}

/** Returns the names of the units of a search whose files are in a cube's folder. */
export async function unitsIn(folder: string, search: string): Promise<readonly string[]> {
  const start = `${search}.`;
  return (await namesIn(folder))
    .filter((name) => name.startsWith(start) && name.endsWith(UNIT_SUFFIX))
    .map((name) => name.slice(start.length, -UNIT_SUFFIX.length));
}

/**
 * Deletes the files of the units of some searches, and what dead processes left of them.
 * @param isOver whether the units of a search are not needed any more
 */
export async function removeUnits(folder: string, isOver: (search: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder)) {
    const end = name.indexOf(UNIT_SUFFIX);
    if (end < 0 || !isOver(name.slice(0, name.indexOf('.')))) continue;
    const path = join(folder, name);
    if (!name.endsWith(PART_SUFFIX) || (await isLeft(path))) await rm(path, { force: true });
  }
}

/** Deletes what dead processes left of one unit. */
export async function removeLeftovers(folder: string, search: string, unit: string): Promise<void> {
  const start = `${unitFile(search, unit)}.`;
  for (const name of await namesIn(folder))
    if (name.startsWith(start) && (await isLeft(join(folder, name))))
      await rm(join(folder, name), { force: true });
}

/** Whether nobody has written to a file for some seconds. */
async function isLeft(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined); // another process may have deleted it
  return found !== undefined && Date.now() - found.mtimeMs > DEAD_MS;
}

/** Returns a function that tells whether a search is among some. */
export function isOverIn(searches: SomeSearches): (search: string) => boolean {
  return (search) => ('of' in searches ? search === searches.of : search !== searches.butOf);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
