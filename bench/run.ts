/**
 * Runs all benchmarks of this folder, or the named ones, one after the other; `--list` only prints what each
 * measures. All arguments after the name of a benchmark whose comment contains `NAME...` are passed to it. Results
 * depend on the machine and its other load, so what the machine does by the plainest means is printed before each, and
 * each benchmark also prints its budgets and a comparison.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { machineLine } from './service/machine.ts';

/** Description of a benchmark: the comment at its head. */
function purpose(file: string): string {
  const comment = /^\/\*\*(.*?)\*\//s.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  return comment
    .replaceAll(/^\s*\*? ?/gm, '')
    .replaceAll('\n', ' ')
    .trim();
}

const scripts = readdirSync(import.meta.dirname)
  .filter(
    (name) => name.endsWith('.ts') && name !== basename(import.meta.filename) && !name.endsWith('.test.ts'),
  )
  .map((name) => basename(name, '.ts'))
  .toSorted();
const fileOf = (name: string): string => join(import.meta.dirname, `${name}.ts`);
const asked: { readonly name: string; readonly words: string[] }[] = [];
const unknown: string[] = [];
for (const word of process.argv.slice(2)) {
  const last = asked.at(-1);
  // A set may have the name of a benchmark, as `sandbox` has.
  if (last !== undefined && purpose(fileOf(last.name)).includes('NAME...')) last.words.push(word);
  else if (scripts.includes(word)) asked.push({ name: word, words: [] });
  else if (word !== '--list') unknown.push(word);
}

if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}: ${scripts.join(', ')}`);
  process.exitCode = 2;
} else if (process.argv.includes('--list')) {
  for (const name of scripts) console.log(`${name}: ${purpose(fileOf(name))}`);
} else {
  for (const { name, words } of asked.length > 0 ? asked : scripts.map((name) => ({ name, words: [] }))) {
    console.log(`\n== ${name}\n${machineLine()}`);
    const run = spawnSync(process.execPath, [fileOf(name), ...words], { stdio: 'inherit' });
    if (run.status !== 0) process.exitCode = 1;
  }
}
