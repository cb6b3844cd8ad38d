// Edits for the recipes. Each records the file that it changes, and fails if the place to change is missing.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Files changed so far, in order. */
export const touched: string[] = [];

function note(file: string): void {
  if (!touched.includes(file)) touched.push(file);
}

/** Writes a new file. @throws Error when it exists */
export function create(file: string, text: string): void {
  if (existsSync(file)) throw new Error(`${file} exists already`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  note(file);
}

/** Inserts text before the last (or the first) match of `place`. @throws Error when there is no match */
export function insertBefore(
  file: string,
  place: RegExp,
  text: string,
  which: 'first' | 'last' = 'last',
): void {
  const before = readFileSync(file, 'utf8');
  const found = [...before.matchAll(new RegExp(place.source, 'gm'))].at(which === 'first' ? 0 : -1);
  if (found === undefined)
    throw new Error(`${file}: ${place.source} is not there any more; mend scripts/new`);
  writeFileSync(file, before.slice(0, found.index) + text + before.slice(found.index));
  note(file);
}

/** Replaces the first match; `$1` etc. in `text` insert its groups. @throws Error when there is no match */
export function replace(file: string, place: RegExp, text: string): void {
  const before = readFileSync(file, 'utf8');
  if (!place.test(before))
    throw new Error(`${file}: ${place.source} is not there any more; mend scripts/new`);
  writeFileSync(file, before.replace(place, text));
  note(file);
}
