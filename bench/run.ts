/**
 * Runs the benchmarks of this folder, all of them or those named, one after the other; `--list` only tells what each
 * measures. Figures depend on the machine and on what else it does, so each script prints its peers and budgets beside.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What a script measures: the comment that it begins with. */
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
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => name !== '--list' && !scripts.includes(name));

if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}: ${scripts.join(', ')}`);
  process.exitCode = 2;
} else if (asked.includes('--list')) {
  for (const name of scripts) console.log(`${name}: ${purpose(join(import.meta.dirname, `${name}.ts`))}`);
} else {
  for (const name of asked.length > 0 ? asked : scripts) {
    console.log(`\n== ${name}`);
    const run = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit' });
    if (run.status !== 0) process.exitCode = 1;
  }
}
