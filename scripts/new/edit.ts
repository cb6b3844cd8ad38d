// Edits of a recipe. They are collected first and written together, so that a recipe that fails changes nothing.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** New text of each file that the recipe changes, by its path. */
const edited = new Map<string, string>();

function textOf(file: string): string {
  return edited.get(file) ?? readFileSync(file, 'utf8');
}

/** Adds a new file. @throws Error when it exists */
export function create(file: string, text: string): void {
  if (edited.has(file) || existsSync(file)) throw new Error(`${file} exists already`);
  edited.set(file, text);
}

/** Inserts text before the last (or the first) match. @throws Error when there is none */
export function insertBefore(
  file: string,
  place: RegExp,
  text: string,
  which: 'first' | 'last' = 'last',
): void {
  const before = textOf(file);
  const found = [...before.matchAll(new RegExp(place.source, 'gm'))].at(which === 'first' ? 0 : -1);
  if (found === undefined) throw new Error(`${file} has no place like ${place.source}: adapt scripts/new`);
  edited.set(file, before.slice(0, found.index) + text + before.slice(found.index));
}

/**
 * Replaces the first match; `$1`, `$2` and so on in the text are replaced by its groups.
 * @throws Error when there is none
 */
export function replace(file: string, place: RegExp, text: string): void {
  const before = textOf(file);
  if (!place.test(before)) throw new Error(`${file} has no place like ${place.source}: adapt scripts/new`);
  edited.set(file, before.replace(place, text));
}

/** Writes all edits. @returns the paths of the files, in the order of their first edit */
export function writeEdits(): readonly string[] {
  for (const [file, text] of edited) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return [...edited.keys()];
}
